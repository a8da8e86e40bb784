import { type ModelObserver, observedEvents } from './observer.js'

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
  return Object.fromEntries(
    observedEvents.map((name) => [name, shield(observer[name])]),
  ) as unknown as ModelObserver
}
