import { isPromise } from 'node:util/types'
import { type ModelObserver, observedEvents } from './observer.js'

/** Wraps an observer so that its errors cannot fail the reads it observes, or end the process. The first is reported to `onFirstError`. */
export function shieldObserver(
  observer: ModelObserver,
  onFirstError: (error: unknown) => void,
): ModelObserver {
  return shieldEvents(observer, observedEvents, onFirstError)
}

type Method = (a: unknown, b: unknown, c: unknown) => unknown

/** As {@link shieldObserver}, of an observer with these events. */
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
