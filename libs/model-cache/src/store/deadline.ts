import { StoreError, StoreTimeoutError } from '../errors.js'
import { aclAdviceOf } from './acl-advice.js'
import { reasonOf } from './error-reason.js'

/**
 * Resolves with a command's reply, or rejects if the deadline passes first. A later reply is dropped.
 *
 * @param errorOf turns the error of the command into the one to reject with
 * @throws StoreTimeoutError
 */
export function withDeadline<T>(
  reply: Promise<T>,
  store: string,
  command: string,
  deadlineMs: number,
  errorOf: (error: unknown) => unknown = (error) => error,
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
        reject(errorOf(error))
      },
    )
  })
}

/**
 * As {@link withDeadline}, with errors of the server as those of a store.
 *
 * @throws StoreError, with the code `E_STORE_FORBIDDEN` if the user may not run the command
 */
export function answerWithin<T>(
  reply: Promise<T>,
  store: string,
  command: string,
  deadlineMs: number,
): Promise<T> {
  return withDeadline(reply, store, command, deadlineMs, (error) => {
    if (error instanceof StoreError) return error
    const reason = reasonOf(error)
    const advice = aclAdviceOf(reason)
    if (!advice) return new StoreError(store, `${command} failed: ${reason}`)
    return new StoreError(
      store,
      `${command} failed: ${reason.replace(/\.$/, '')}. ${advice}`,
      'E_STORE_FORBIDDEN',
    )
  })
}
