import { StoreTimeoutError } from '../errors.js'

/**
 * Resolves with a command's reply, or rejects if the deadline passes first. A later reply is dropped.
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
    // One poll later: if the event loop was blocked, the reply may have arrived unread.
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
