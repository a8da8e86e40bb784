import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import {
  type CacheDescription,
  Catalogue,
  connectNodes,
  consistencySettings,
  createForeignCache,
  type DescribedCache,
  entryIdOf,
  lookupKeyOf,
  readCatalogue,
  type RowFences,
  type RowId,
  shieldLog,
  StoreError,
  toCanonicalUuid,
  ValkeyStore,
  type WrittenCache,
} from 'model-cache/internal'
import { type Command, UsageError } from './command.js'
import { cachesNamed, cachesWithLookup, hashIdOf, lookupNamed, typedFields } from './named-caches.js'
import {
  answerMs,
  atRestIn,
  keysOption,
  keysUsage,
  millisecondsIn,
  neededAddress,
  replicasIn,
  storeOptions,
  storeUsage,
} from './options.js'

/** What is invalidated of a cache: rows, or entries of a lookup; all rows; or all entries, for a key that only the database knows. */
type Target = readonly RowId[] | 'all' | 'existence'

export const invalidateCommand: Command = {
  usage: `Usage: model-cache invalidate <cache> <id...> [options]
       model-cache invalidate <cache> --lookup <name> <key...> [options]
       model-cache invalidate <cache> --all [options]

Invalidates rows, entries of a lookup, or all of a cache: in the store, and in the memory of all processes.
An id of several fields is JSON, or orgId=7,slug=tea. Does so at once, without asking.

${storeUsage}
${keysUsage}
  --lookup          the lookup whose entries are invalidated
  --all             invalidates all rows and entries
  --replica-lag-ms  consistency.replicaLagMs of the application; by default 0
  --replicas        consistency.replicas of the application: how many replicas of the server have to acknowledge
                    it; by default 0`,

  async run(args, output) {
    const { positionals, values } = parseArgs({
      args: [...args],
      options: {
        ...storeOptions,
        ...keysOption,
        all: { type: 'boolean', default: false },
        lookup: { type: 'string' },
        'replica-lag-ms': { type: 'string', default: '0' },
        replicas: { type: 'string', default: '0' },
      },
      allowPositionals: true,
    })
    const { all, json, lookup, namespace } = values
    const [name, ...texts] = positionals
    if (name === undefined || (all ? texts.length > 0 || lookup !== undefined : texts.length === 0))
      throw new UsageError(invalidateCommand.usage)
    const replicaLagMs = millisecondsIn('replica-lag-ms', values['replica-lag-ms'])
    const replicas = replicasIn(values.replicas)
    const atRest = atRestIn(values, output)
    const nodes = await connectNodes(neededAddress(values, output), answerMs)
    // Before the catalogue is asked for, which would create one in a namespace that has none.
    const listed = await readCatalogue(nodes, namespace).finally(() => nodes.close())
    const named = cachesNamed(listed.caches, name, namespace)
    const caches = lookup === undefined ? named : cachesWithEntries(named, lookup)
    const layouts = new Map(caches.map((cache) => [cache.layout, cache]))
    if (!all) for (const { description } of caches) if (description) hashIdOf(description, atRest)
    const store = new ValkeyStore({ ...nodes.connection, deadlineMs: answerMs })
    const warnings: string[] = []
    try {
      await store.connect()
      const catalogue = new Catalogue(store, namespace, replicas)
      await catalogue.ask().catch((error: unknown) => {
        throw replicas > 0 ? unacknowledged(error, replicas) : error
      })
      const opened = [...layouts.values()].map((cache) => {
        const written = createForeignCache(cache, {
          store,
          namespace,
          catalogue,
          atRest,
          consistency: consistencySettings({ replicaLagMs, replicas }),
          log: shieldLog({ warn: (message) => warnings.push(message) }),
        })
        return {
          cache,
          written,
          target: all ? 'all' : targetOf(cache, written, lookup, texts),
        } as const
      })
      const results = await Promise.all(
        opened.map(({ target, written }) => invalidate(written.fences, target)),
      )
      const isDone = results.every(Boolean)
      const what = opened.some(({ target }) => target === 'all')
        ? 'all rows'
        : opened.some(({ target }) => target === 'existence')
          ? 'all entries of lookups'
          : `${texts.length} ${lookup === undefined ? (texts.length === 1 ? 'row' : 'rows') : `of ${lookup}`}`
      if (json)
        output.line(JSON.stringify({ version: 1, cache: name, invalidated: isDone ? what : null, warnings }))
      else if (isDone) output.line(`Invalidated ${what} of ${name}.`)
      else output.line(refusal(replicas, warnings))
      return isDone ? 0 : 1
    } finally {
      await store.close()
    }
  },
}

/**
 * The versions of a cache that may have what a lookup stands for: those that lack it may have the same list under another name.
 *
 * @throws UsageError if none has the lookup
 */
function cachesWithEntries(named: readonly DescribedCache[], lookup: string): readonly DescribedCache[] {
  cachesWithLookup(named, lookup)
  return named.filter(({ description }) => description?.lookups.length !== 0)
}

/** The error of a store that refuses to be written, because replicas are missing or for another reason. */
function unacknowledged(error: unknown, replicas: number): unknown {
  if (!(error instanceof StoreError)) return error
  return new StoreError(
    'valkey',
    `${error.message.replace(/^model-cache: valkey: /, '')}. Nothing was invalidated. If replicas are missing, which ` +
      `model-cache doctor --replicas ${replicas} says, start them and run the command again; without --replicas it ` +
      'invalidates at the primary alone, and a failover may bring the old rows back.',
    error.code,
  )
}

function refusal(replicas: number, warnings: readonly string[]): string {
  if (replicas === 0)
    return `Not invalidated: ${warnings.join(' ') || 'the store did not answer.'} Run the command again.`
  return (
    `Not invalidated, or not acknowledged by ${replicas} ${replicas === 1 ? 'replica' : 'replicas'} of each server: a failover may bring the old rows back. ` +
    `model-cache doctor --replicas ${replicas} says which are missing. Run the command again.`
  )
}

/** @throws UsageError, InvalidIdError */
function targetOf(
  { description }: DescribedCache,
  { rowIdOf }: WrittenCache,
  lookup: string | undefined,
  texts: readonly string[],
): Target {
  // The rows of this cache cannot be identified: another version of the library has described it.
  if (!description) return 'all'
  if (lookup !== undefined) return entriesOf(description, lookup, texts)
  return texts.flatMap((text) => spellingsOf(text, description).map((id) => rowIdOf(id)))
}

/** A UUID may be typed in another spelling than that of the database. */
function spellingsOf(text: string, { id }: CacheDescription): readonly Readonly<Record<string, unknown>>[] {
  const values = typedFields(id, text, 'The id')
  const canonical = Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, toCanonicalUuid(value)]),
  )
  return JSON.stringify(Object.values(canonical).map(String)) ===
    JSON.stringify(Object.values(values).map(String))
    ? [values]
    : [values, canonical]
}

function entriesOf(description: CacheDescription, lookup: string, texts: readonly string[]): Target {
  const fields = lookupNamed(description, lookup)?.key
  if (!fields) return 'existence'
  const keys = texts.map((text) => lookupKeyOf(fields, typedFields(fields, text, `The key of "${lookup}"`)))
  return keys.every((key) => typeof key === 'string')
    ? keys.map((key) => entryIdOf(lookup, key))
    : 'existence'
}

/** @returns whether the store has taken it */
async function invalidate(writes: RowFences, target: Target): Promise<boolean> {
  if (target === 'all' || target === 'existence') await writes.releaseAll('', target)
  else await writes.release(target, '')
  // What the store does not take is tried again for a while.
  const isTaken = await Promise.race([
    writes.settled().then(() => true),
    delay(answerMs, false, { ref: false }),
  ])
  await writes.stop()
  return isTaken
}
