import { StoreError, storeTimeoutError } from '../../../errors.js'
import { noConnection, reasonOf, aclAdviceOf, clusterAdviceOf } from './error-reason.js'

/**
 * Resolves with a command's reply, or rejects if the deadline passes first. A later reply is dropped.
 *
 * @param errorOf turns the error of the command into the one to reject with
 * @throws StoreError
 */
export function withDeadline<T>(
  reply: Promise<T>,
  store: string,
  command: string,
  deadlineMs: number,
  errorOf: (error: unknown) => unknown = (error) => error,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const expire = (): void => reject(storeTimeoutError(store, command, deadlineMs))
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
 * @param advice why there is no connection, or what to do about it
 * @throws StoreError, with the code `E_STORE_FORBIDDEN` if the user may not run the command
 */
export function answerWithin<T>(
  reply: Promise<T>,
  store: string,
  command: string,
  deadlineMs: number,
  advice?: string,
): Promise<T> {
  return withDeadline(reply, store, command, deadlineMs, (error) => {
    if (error instanceof StoreError) return error
    const reason = reasonOf(error)
    const missing = aclAdviceOf(reason)
    const remedy = missing ?? (reason === noConnection ? advice : clusterAdviceOf(reason))
    const problem = `${command} failed: ${remedy === undefined ? reason : `${reason}. ${remedy}`}`
    return new StoreError(store, problem, missing === undefined ? 'E_STORE' : 'E_STORE_FORBIDDEN')
  })
}
