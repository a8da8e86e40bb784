import { addWarmCounts, isUseful, type WarmCounts, warmCountsOf } from './warm-counts.js'

/** An id that was read elsewhere, as people type it. Nothing else of a row travels. */
export interface Hint {
  /** The name of the cache. */
  readonly cache: string
  readonly id: string
}

/** Hints that are replayed together: one query for each cache. */
export const maxHintsPerBatch = 100

/** Hints in a row of which nothing was stored, after which a warm-up ends: it would have the database load rows for nothing. */
const maxInVain = 100

export interface WarmedHints {
  readonly counts: WarmCounts
  /** `'stopped'` by the caller; `'in vain'` if the last hundred hints were all refused, or failed. */
  readonly end: 'done' | 'stopped' | 'in vain'
}

export interface ReplayAllOptions {
  /** Hints of one second, at most. */
  readonly perSecond: number
  /** Replays a batch; undefined to stop. */
  readonly replay: (batch: readonly Hint[]) => Promise<WarmCounts | undefined>
  /** Called after each batch, with the counts so far. */
  readonly onProgress?: (counts: WarmCounts, replayed: number) => void
}

/** Replays hints one batch after another, in their order. */
export async function replayAll(
  hints: readonly Hint[],
  { onProgress, perSecond, replay }: ReplayAllOptions,
): Promise<WarmedHints> {
  const batchSize = Math.min(maxHintsPerBatch, perSecond)
  let counts = warmCountsOf()
  let inVain = 0
  for (let start = 0; start < hints.length; start += batchSize) {
    const batch = hints.slice(start, start + batchSize)
    const replayed = await replay(batch)
    if (!replayed) return { counts, end: 'stopped' }
    counts = addWarmCounts(counts, replayed)
    onProgress?.(counts, start + batch.length)
    inVain = isUseful(replayed) ? 0 : inVain + replayed.refused + replayed.failed
    if (inVain >= maxInVain) return { counts, end: 'in vain' }
  }
  return { counts, end: 'done' }
}
