/**
 * Ends this process when the `npm start` that runs it is gone.
 *
 * npm passes SIGTERM on to its shell, and the shell dies of it without telling the program: that would live on unseen,
 * with the port and the embedded database in its hands.
 */
export function endWithNpm(): void {
  if (process.env.npm_lifecycle_event !== 'start') return
  const parent = process.ppid
  const timer = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(timer)
    process.kill(process.pid, 'SIGTERM')
  }, 500)
  timer.unref()
}
