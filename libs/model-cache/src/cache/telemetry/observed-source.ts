import type { RowQuery, Source } from '../../source/source.js'
import type { ModelObserver } from './observer.js'

/**
 * Wraps a source so that an observer sees its calls.
 *
 * @param onUse called before each of them
 */
export function observedSource<Row, Id>(
  source: Source<Row, Id>,
  observer: ModelObserver,
  onUse?: () => void,
): Source<Row, Id> {
  const { canonicalOf, isCanonical, isEachAlone, maxIds, primary, watchLoad } = source
  return {
    maxIds,
    isEachAlone,
    isCanonical,
    canonicalOf,
    primary,
    watchLoad,
    ...(source.find && {
      // Lookups observe what they find.
      find(query: RowQuery, client?: object) {
        onUse?.()
        return source.find!(query, client)
      },
    }),
    async load(ids, client) {
      onUse?.()
      const startedAtMs = performance.now()
      const seconds = (): number => (performance.now() - startedAtMs) / 1_000
      try {
        const loading = source.load(ids, client)
        observer.syncSeconds('load', seconds())
        const rows = await loading
        observer.load('loaded', seconds(), ids.length)
        return rows
      } catch (error) {
        observer.load(isAnswer(source, error, ids) ? 'loaded' : 'failed', seconds(), ids.length)
        throw error
      }
    },
    isFromReplicas: () => source.isFromReplicas?.() ?? false,
    isOwnTransaction: (client) => source.isOwnTransaction?.(client) ?? true,
    mayBlameOneId: (error) => source.mayBlameOneId(error),
    isAnswer: (error, id) => source.isAnswer?.(error, id) ?? false,
  }
}

/** Whether the database has answered by this error that it has none of the rows. */
function isAnswer<Row, Id>(source: Source<Row, Id>, error: unknown, ids: readonly Id[]): boolean {
  return ids.every((id) => source.isAnswer?.(error, id))
}
