/** Calls each listener. What one throws, such as that a log cannot be written, is ignored: the others are called all the same. */
export function notify<Values extends readonly unknown[]>(
  listeners: Iterable<(...values: Values) => void>,
  ...values: Values
): void {
  for (const listener of listeners) {
    try {
      listener(...values)
    } catch {
      // It would end the process, or the read that took the sample.
    }
  }
}
