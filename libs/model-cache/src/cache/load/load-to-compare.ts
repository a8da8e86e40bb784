import type { ModelContext } from '../context.js'
import type { CachePermits } from './load-permits.js'
import { SourceCall } from './source-call.js'

/**
 * Loads rows past the cache, to compare them with what it has: with a permit, and within the deadline of loads.
 *
 * @throws ModelCacheError (`E_LOAD_TIMEOUT`), any error of the source
 */
export function loadToCompare<Row, Id>(
  { name, source }: ModelContext<Row, Id>,
  permits: CachePermits,
  ids: readonly Id[],
): Promise<readonly Row[]> {
  return permits.execute(() =>
    new SourceCall(name, source, []).run(() => source.load(ids), permits.timeoutMs),
  )
}
