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
  return {
    // Getters, as a source may know these only once it is bound.
    get maxIds() {
      return source.maxIds
    },
    get isEachAlone() {
      return source.isEachAlone
    },
    get isCanonical() {
      return source.isCanonical
    },
    get canonicalOf() {
      return source.canonicalOf
    },
    get primary() {
      return source.primary
    },
    get watchLoad() {
      return source.watchLoad
    },
    // Lookups observe what they find.
    get find() {
      if (!source.find) return undefined
      return (query: RowQuery, client?: object) => {
        onUse?.()
        return source.find!(query, client)
      }
    },
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
        observer.load('failed', seconds(), ids.length)
        throw error
      }
    },
    isFromReplicas: () => source.isFromReplicas?.() ?? false,
    isOwnTransaction: (client) => source.isOwnTransaction?.(client) ?? true,
    mayBlameOneId: (error) => source.mayBlameOneId(error),
    isAnswer: (error, id) => source.isAnswer?.(error, id) ?? false,
  }
}
