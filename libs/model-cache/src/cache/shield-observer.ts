import type { ModelObserver } from './observer.js'

/**
 * An observer whose exceptions end here: it is told of reads in their midst, and must not take them along. The first is
 * handed on.
 */
export function shieldObserver(
  observer: ModelObserver,
  onFirstError: (error: unknown) => void,
): ModelObserver {
  let hasThrown = false
  const shield = <Tell extends (...args: never[]) => void>(tell: Tell): Tell => {
    const bound = tell.bind(observer) as (a: unknown, b: unknown, c: unknown) => void
    // As many parameters as any of them has, since an array of them would be made per call.
    return ((a: unknown, b: unknown, c: unknown) => {
      try {
        bound(a, b, c)
      } catch (error) {
        if (!hasThrown) onFirstError(error)
        hasThrown = true
      }
    }) as unknown as Tell
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
    misses: shield(observer.misses),
    fills: shield(observer.fills),
    audits: shield(observer.audits),
    newSchemas: shield(observer.newSchemas),
    unknownWrites: shield(observer.unknownWrites),
    fences: shield(observer.fences),
    fenceSeconds: shield(observer.fenceSeconds),
    slowCommits: shield(observer.slowCommits),
  }
}
