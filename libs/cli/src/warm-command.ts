import { parseArgs } from 'node:util'
import {
  addWarmCounts,
  type AtRest,
  connectNodes,
  defaultWarmedPerSecond,
  defaultWarmedRows,
  describeIds,
  describeWarmCounts,
  type Hint,
  hintsFrom,
  type HintSource,
  isUseful,
  maxWarmedPerSecond,
  maxWarmedRows,
  type Messages,
  Pace,
  readCatalogue,
  replayAll,
  sealedMessages,
  type ValkeyAddress,
  type ValkeyNodes,
  ValkeyStore,
  type WarmCounts,
  warmCountsOf,
  type WarmingProcess,
  WarmingProcesses,
} from 'model-cache/internal'
import { type Command, type Output, UsageError } from './command.js'
import {
  answerMs,
  atRestIn,
  integerIn,
  keysOption,
  keysUsage,
  neededAddress,
  storeOptions,
  storeUsage,
} from './options.js'

export const warmCommand: Command = {
  usage: `Usage: model-cache warm --from <url|namespace> [options]

Takes the ids of the rows that are read most in another region or namespace, and has running processes of the namespace
read them: rows come from their own database. A process needs \`warm\` in ModelCacheModule.forRoot, which may be {}.

  --from            the URL of the Valkey of another region; by default FROM_VALKEY_URL. Or another namespace of the same
                    Valkey
  --from-namespace  the namespace there; by default that of --namespace
  --rows            how many ids; by default ${defaultWarmedRows}
  --per-second      how many of them in a second; by default ${defaultWarmedPerSecond}. \`warm.perSecond\` of the process
                    is another bound
${keysUsage}
${storeUsage}`,

  async run(args, output) {
    const { values } = parseArgs({
      args: [...args],
      options: {
        ...storeOptions,
        ...keysOption,
        from: { type: 'string' },
        'from-namespace': { type: 'string' },
        rows: { type: 'string', default: String(defaultWarmedRows) },
        'per-second': { type: 'string', default: String(defaultWarmedPerSecond) },
      },
    })
    const { json, namespace } = values
    const rows = integerIn('rows', values.rows, 1, maxWarmedRows)
    const perSecond = integerIn('per-second', values['per-second'], 1, maxWarmedPerSecond)
    const target = neededAddress(values, output)
    const source = sourceIn(values, target, output)
    const atRest = atRestIn(values, output)
    const interrupted = new AbortController()
    const interrupt = (): void => interrupted.abort()
    process.once('SIGINT', interrupt)
    try {
      const { hints, problem } = await hintsFrom(source, rows, interrupted.signal).catch((error: unknown) => {
        if (interrupted.signal.aborted) return { hints: [], problem: undefined }
        throw error
      })
      const line = json ? () => {} : (text: string): void => output.line(text)
      if (problem) line(`Only a part of the ids could be read: ${problem}`)
      const warmed = await warm(target, {
        namespace,
        atRest,
        hints,
        perSecond,
        line,
        signal: interrupted.signal,
      })
      if (json) output.line(JSON.stringify({ version: 1, namespace, ids: hints.length, problem, ...warmed }))
      else line(summaryOf(warmed, hints.length, namespace))
      const hasWarmed = hints.length === 0 || isUseful(warmed.counts)
      return warmed.end === 'done' && hasWarmed && warmed.counts.failed === 0 && !problem ? 0 : 1
    } finally {
      process.off('SIGINT', interrupt)
    }
  },
}

interface SourceValues {
  readonly from?: string | undefined
  readonly 'from-namespace'?: string | undefined
  readonly namespace: string
}

/** @throws UsageError */
function sourceIn(values: SourceValues, target: ValkeyAddress, { environment }: Output): HintSource {
  const from = values.from ?? environment.FROM_VALKEY_URL
  if (from === undefined || from === '') throw new UsageError(warmCommand.usage)
  const isUrl = from.includes('://')
  if (!isUrl && values['from-namespace'] !== undefined)
    throw new UsageError(
      `--from is "${from}", which is no URL; with --from-namespace, give that of a server, as valkey://host:6379.`,
    )
  const address = isUrl ? { url: from } : target
  const namespace = isUrl ? (values['from-namespace'] ?? values.namespace) : from
  if (namespace !== values.namespace || address.url !== target.url) return { address, namespace }
  throw new UsageError(
    `--from is the namespace "${namespace}" itself. Name another server, or another namespace with --from-namespace.`,
  )
}

interface Work {
  readonly namespace: string
  readonly atRest: AtRest | undefined
  readonly hints: readonly Hint[]
  readonly perSecond: number
  readonly line: (text: string) => void
  readonly signal: AbortSignal
}

/** How a warm-up by command ended. */
interface WarmedByCommand {
  readonly counts: WarmCounts
  readonly end: 'done' | 'in vain' | 'interrupted' | 'nobody' | 'process lost'
}

/** Ids after which the progress is printed. */
const printedPer = 1_000

async function warm(target: ValkeyAddress, work: Work): Promise<WarmedByCommand> {
  const { atRest, hints, line, namespace, perSecond, signal } = work
  if (signal.aborted) return { counts: warmCountsOf(), end: 'interrupted' }
  const nodes = await connectNodes(target, answerMs)
  const encrypted = await encryptedCachesOf(nodes, namespace).finally(() => nodes.close())
  const store = new ValkeyStore({ ...nodes.connection, deadlineMs: answerMs })
  try {
    await store.connect()
    const processes = new WarmingProcesses(namespace, messagesOf(store, encrypted, atRest))
    await processes.open()
    const names = new Set(hints.map(({ cache }) => cache))
    let readers: ReadonlyMap<string, WarmingProcess> = new Map()
    const find = async (): Promise<boolean> => {
      readers = await processes.find(names, signal)
      const byProcess = Map.groupBy(readers, ([, reader]) => reader)
      for (const [{ host, perSecond: own, pid }, ofProcess] of byProcess) {
        const what =
          byProcess.size === 1 ? 'them' : `those of ${ofProcess.map(([cache]) => cache).join(', ')}`
        line(`Process ${pid} on ${host} reads ${what}, ${Math.min(perSecond, own)} a second at most.`)
      }
      const others = [...names].filter((cache) => !readers.has(cache))
      if (readers.size > 0 && others.length > 0)
        line(`No process has ${others.join(', ')}: these ids are skipped.`)
      return readers.size > 0
    }
    line(`Found ${describeIds(hints.length)}.`)
    if (hints.length > 0 && !(await find()))
      return { counts: warmCountsOf(), end: signal.aborted ? 'interrupted' : 'nobody' }
    const pace = new Pace(perSecond)
    const replayOf = async (cache: string, ids: readonly Hint[]): Promise<WarmCounts | undefined> => {
      const reader = readers.get(cache)
      if (!reader) return warmCountsOf({ skipped: ids.length })
      const counts = await processes.replay(reader, ids, signal)
      if (counts || signal.aborted || !(await find())) return counts
      const other = readers.get(cache)
      return other && processes.replay(other, ids, signal)
    }
    const replay = async (batch: readonly Hint[]): Promise<WarmCounts | undefined> => {
      await pace.next(batch.length, signal).catch(() => {})
      let counts = warmCountsOf()
      for (const [cache, ids] of Map.groupBy(batch, (hint) => hint.cache)) {
        const replayed = await replayOf(cache, ids)
        if (!replayed) return undefined
        counts = addWarmCounts(counts, replayed)
      }
      return counts
    }
    const onProgress = (counts: WarmCounts, replayed: number): void => {
      if (replayed % printedPer === 0) line(`${replayed.toLocaleString('en')}: ${describeWarmCounts(counts)}`)
    }
    const { counts, end } = await replayAll(hints, { perSecond, replay, onProgress })
    if (end !== 'stopped') return { counts, end }
    return { counts, end: signal.aborted ? 'interrupted' : 'process lost' }
  } finally {
    await store.close()
  }
}

/** The caches of a namespace whose rows are encrypted. @throws StoreError */
async function encryptedCachesOf(nodes: ValkeyNodes, namespace: string): Promise<readonly string[]> {
  const { caches } = await readCatalogue(nodes, namespace)
  return caches.flatMap(({ description, name }) => (description?.atRest?.isEncrypted ? [name] : []))
}

/** Ids are sent as the processes send them. @throws UsageError instead of sending them in clear text */
function messagesOf(
  { messages }: Pick<ValkeyStore, 'messages'>,
  [encrypted]: readonly string[],
  atRest: AtRest | undefined,
): Messages {
  if (encrypted === undefined) return messages
  if (atRest) return sealedMessages(messages, atRest)
  throw new UsageError(
    `The rows of ${encrypted} are encrypted, and so are messages that name them. Name a file with the keys with --keys.`,
  )
}

function summaryOf({ counts, end }: WarmedByCommand, ids: number, namespace: string): string {
  if (end === 'nobody')
    return (
      `No process of the namespace "${namespace}" answers. Start the application with \`warm: {}\` in ModelCacheModule.forRoot, and check ` +
      '--namespace, --keys, and that the user of both may publish and subscribe (model-cache doctor). Nothing was warmed up.'
    )
  const counted = `${describeWarmCounts(counts)}.`
  const warmed = ids === 0 || isUseful(counts) ? 'Warmed up' : 'Warmed up nothing in'
  return {
    done: `${warmed} "${namespace}" with ${describeIds(ids)}: ${counted}`,
    interrupted: `Interrupted: ${counted} Run the command again to go on; what is stored is not loaded again.`,
    'process lost': `The process has ended, and no other answers: ${counted} Run the command again to go on.`,
    'in vain': `Ended, as nothing of the last hundred ids could be stored: ${counted} The log of the process, and model-cache doctor, say why.`,
  }[end]
}
