import { ApiError, findCaches, findHistory, findProcesses } from './api.js'

const EVERY_MS = 2_000

/**
 * Asks for the figures of all processes every two seconds, while the page is visible.
 *
 * @param onReport called with `{ at, self, silent, caches, foreign, processes }`
 * @param onHistory called with what the processes remember of the minute before the page was shown
 * @param onProblem called with an ApiError, after which polling goes on
 */
export function startPolling({ onReport, onHistory, onProblem }) {
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
  const begin = () => {
    if (document.hidden) return
    // What the figures have to say does not wait for the charts.
    void poll()
    findHistory().then(onHistory, () => {})
  }
  document.addEventListener('visibilitychange', begin)
  begin()
  /** Asks now, such as after an action. */
  return poll
}
