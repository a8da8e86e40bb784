import { isPromise } from 'node:util/types'

type Method = (a: unknown, b: unknown, c: unknown) => unknown

/**
 * Wraps an observer with these events so that its errors cannot fail the reads it observes, or end the process. The first is reported to
 * `onFirstError`.
 */
export function shieldEvents<Observer extends object>(
  observer: Observer,
  events: readonly (keyof Observer)[],
  onFirstError: (error: unknown) => void,
): Observer {
  let hasFailed = false
  const fail = (error: unknown): void => {
    if (!hasFailed) onFirstError(error)
    hasFailed = true
  }
  const shield = (method: Method): Method => {
    const bound = method.bind(observer)
    // Three parameters, as many as any method has: rest parameters would allocate an array per call.
    return (a, b, c) => {
      try {
        const result = bound(a, b, c)
        if (isPromise(result)) result.catch(fail)
      } catch (error) {
        fail(error)
      }
    }
  }
  return Object.fromEntries(
    events.map((name) => [name, shield(observer[name] as unknown as Method)]),
  ) as unknown as Observer
}
