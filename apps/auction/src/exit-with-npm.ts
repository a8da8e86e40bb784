/**
 * Ends this process when the `npm start` that runs it is gone.
 *
 * npm sends SIGTERM to its shell only, which exits without forwarding the signal. The process would keep running, and
 * keep the port and the embedded database.
 */
export function exitWithNpm(): void {
  if (process.env.npm_lifecycle_event !== 'start') return
  const parent = process.ppid
  const timer = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(timer)
    process.kill(process.pid, 'SIGTERM')
  }, 500)
  timer.unref()
}
