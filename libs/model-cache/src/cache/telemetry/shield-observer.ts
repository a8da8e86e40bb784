import type { ModelObserver } from './observer.js'

/** Wraps an observer so that its exceptions cannot fail the reads it observes. The first is reported to `onFirstError`. */
export function shieldObserver(
  observer: ModelObserver,
  onFirstError: (error: unknown) => void,
): ModelObserver {
  let hasThrown = false
  const shield = <Method extends (...args: never[]) => void>(method: Method): Method => {
    const bound = method.bind(observer) as (a: unknown, b: unknown, c: unknown) => void
    // Three parameters, as many as any method has: rest parameters would allocate an array per call.
    return ((a: unknown, b: unknown, c: unknown) => {
      try {
        bound(a, b, c)
      } catch (error) {
        if (!hasThrown) onFirstError(error)
        hasThrown = true
      }
    }) as unknown as Method
  }
  return {
    reads: shield(observer.reads),
    readSeconds: shield(observer.readSeconds),
    load: shield(observer.load),
    invalidations: shield(observer.invalidations),
    syncSeconds: shield(observer.syncSeconds),
    payloadBytes: shield(observer.payloadBytes),
    batchKeys: shield(observer.batchKeys),
    largePayloads: shield(observer.largePayloads),
    hotIds: shield(observer.hotIds),
    misses: shield(observer.misses),
    fills: shield(observer.fills),
    audits: shield(observer.audits),
    prismaReads: shield(observer.prismaReads),
    prismaShadow: shield(observer.prismaShadow),
    newSchemas: shield(observer.newSchemas),
    unknownWrites: shield(observer.unknownWrites),
    fences: shield(observer.fences),
    fenceSeconds: shield(observer.fenceSeconds),
    slowCommits: shield(observer.slowCommits),
  }
}
