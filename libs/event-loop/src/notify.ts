import { isPromise } from 'node:util/types'

/**
 * Calls each listener. What one throws, or rejects with, such as that a log cannot be written, is ignored: the others are called all the
 * same.
 */
export function notify<Values extends readonly unknown[]>(
  listeners: Iterable<(...values: Values) => unknown>,
  ...values: Values
): void {
  for (const listener of listeners) {
    try {
      const result = listener(...values)
      if (isPromise(result)) result.catch(() => {})
    } catch {
      // It would end the process, or the read that took the sample.
    }
  }
}
