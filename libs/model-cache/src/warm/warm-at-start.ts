import { createHash } from 'node:crypto'
import {
  type GuardedKey,
  guardOf,
  newToken,
  type OperatorLog,
  type Store,
  warmKey,
} from '../protocol/index.js'
import { replayAll } from './hints.js'
import { hintsFrom, type HintSource } from './stored-hints.js'
import { describeIds, describeWarmCounts } from './warm-counts.js'
import type { WarmSettings } from './warm-options.js'
import type { Warmer } from './warmer.js'
import { untilAborted } from './pace.js'

export interface WarmedRoot {
  readonly store: Store
  readonly namespace: string
  /** The names of its caches. */
  readonly caches: readonly string[]
  readonly warmer: Warmer
  readonly log: OperatorLog
  /** Ends it. */
  readonly signal: AbortSignal
}

/** For so long no other process with the same caches warms them up as well. */
const leaseMs = 3_600_000

/**
 * Warms up with the rows of another region or namespace, if no other process with the same caches does or has done so of late. Never
 * rejects.
 */
export async function warmAtStart(
  { from, perSecond, rows }: WarmSettings & { readonly from: HintSource },
  { caches, log, namespace, signal, store, warmer }: WarmedRoot,
): Promise<void> {
  const place = `namespace "${namespace}"`
  const source = `namespace "${from.namespace}" of ${hostOf(from.address.url)}`
  const lease = await leaseIn(store, warmUpKeyOf(namespace, caches))
  if (lease === 'other') {
    log.info(
      `ModelCache: ${place} is not warmed up by this process; another one does, or has within the last hour.`,
    )
    return
  }
  try {
    const isOwn = (cache: string): boolean => caches.includes(cache)
    const { hints, problem } = await untilAborted(hintsFrom(from, rows, signal, isOwn), signal)
    if (problem)
      log.warn(`ModelCache: only a part of the ids of ${source} could be read. The reason: ${problem}.`)
    const { counts, end } = await replayAll(hints, { perSecond, replay: (batch) => warmer.replay(batch) })
    if (end !== 'done') await lease?.release()
    const message = `ModelCache: warmed up ${place} with ${describeIds(hints.length)} of ${source}: ${describeWarmCounts(counts)}.`
    if (end === 'in vain')
      log.warn(`${message} Ended, as nothing of the last hundred could be stored. ${remedy}`)
    else log.info(end === 'done' ? message : `${message} Ended with the process.`)
  } catch (error) {
    await lease?.release()
    if (signal.aborted) return
    log.warn(
      `ModelCache: ${place} begins cold, as the ids of ${source} could not be read. Rows are loaded when they are first read, as without ` +
        `\`warm\`. The reason: ${(error as Error).message}. Correct \`warm.from\` in ModelCacheModule.forRoot, or the server. ${remedy}`,
    )
  }
}

const remedy = '`npx model-cache warm` does the same later, without a restart.'

/** Undefined if the store does not answer; nothing is loaded then either, until it does. */
async function leaseIn(
  store: Store,
  key: GuardedKey,
): Promise<{ release(): Promise<void> } | 'other' | undefined> {
  const token = newToken()
  const request = { token, leaseMs, onlyAbsent: false, onlyUnmarked: false }
  try {
    const [answer] = await store.leaseMany([key], request)
    if (answer!.token === null) return 'other'
    return { release: () => store.releaseLeases([key], answer!.token!).catch(() => {}) }
  } catch {
    return undefined
  }
}

/** What processes with the same caches lease. A worker warms up its own, and an API those that the worker does not have. */
export function warmUpKeyOf(namespace: string, caches: readonly string[]): GuardedKey {
  const digest = createHash('sha256').update(JSON.stringify(caches.toSorted())).digest('base64url')
  const key = `${warmKey(namespace)}:${digest.slice(0, 8)}`
  return { key, guard: guardOf(key) }
}

/** Without user and password: of one that is not percent-encoded, the beginning would count as host and port. */
function hostOf(url: string): string {
  const { hash = '', host = '', pathname = '', search = '' } = URL.parse(url) ?? {}
  return host === '' || `${pathname}${search}${hash}`.includes('@') ? 'an unreadable URL' : host
}
