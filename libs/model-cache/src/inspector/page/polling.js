import { ApiError, findCaches, findProcesses } from './api.js'

const EVERY_MS = 2_000

/**
 * Asks for the figures of all processes every two seconds, while the page is visible.
 *
 * @param onReport called with `{ at, self, silent, caches, foreign, processes }`
 * @param onProblem called with an ApiError, after which polling goes on
 */
export function startPolling(onReport, onProblem) {
  let timer
  let isAsking = false
  const poll = async () => {
    clearTimeout(timer)
    if (document.hidden || isAsking) return
    isAsking = true
    let waitMs = EVERY_MS
    try {
      const [caches, processes] = await Promise.all([findCaches(), findProcesses()])
      onReport({ ...caches, ...processes })
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      waitMs = Math.max(waitMs, error.retryAfterMs)
      onProblem(error)
    } finally {
      isAsking = false
      timer = setTimeout(poll, waitMs)
    }
  }
  document.addEventListener('visibilitychange', poll)
  void poll()
  /** Asks now, such as after an action. */
  return poll
}
