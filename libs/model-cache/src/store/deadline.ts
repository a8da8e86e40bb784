import { StoreTimeoutError } from '../errors.js'

/**
 * Gives a command's reply, or rejects when the deadline passes first. A reply that comes later is dropped.
 *
 * @throws StoreTimeoutError
 */
export function withDeadline<T>(
  reply: Promise<T>,
  store: string,
  command: string,
  deadlineMs: number,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const expire = (): void => reject(new StoreTimeoutError(store, command, deadlineMs))
    // One poll later: when the event loop was blocked, the reply may be there and only not read yet.
    const timer = setTimeout(() => setImmediate(expire), deadlineMs)
    reply.then(
      (value) => {
        clearTimeout(timer)
        resolve(value)
      },
      (error: unknown) => {
        clearTimeout(timer)
        reject(error)
      },
    )
  })
}
