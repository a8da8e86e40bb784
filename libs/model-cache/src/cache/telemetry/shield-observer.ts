import { isPromise } from 'node:util/types'
import { type ModelObserver, observedEvents } from './observer.js'

/** Wraps an observer so that its errors cannot fail the reads it observes, or end the process. The first is reported to `onFirstError`. */
export function shieldObserver(
  observer: ModelObserver,
  onFirstError: (error: unknown) => void,
): ModelObserver {
  let hasFailed = false
  const fail = (error: unknown): void => {
    if (!hasFailed) onFirstError(error)
    hasFailed = true
  }
  const shield = <Method extends (...args: never[]) => void>(method: Method): Method => {
    const bound = method.bind(observer) as (a: unknown, b: unknown, c: unknown) => unknown
    // Three parameters, as many as any method has: rest parameters would allocate an array per call.
    return ((a: unknown, b: unknown, c: unknown) => {
      try {
        const result = bound(a, b, c)
        if (isPromise(result)) result.catch(fail)
      } catch (error) {
        fail(error)
      }
    }) as unknown as Method
  }
  return Object.fromEntries(
    observedEvents.map((name) => [name, shield(observer[name])]),
  ) as unknown as ModelObserver
}
