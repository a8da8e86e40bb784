/** The `workerData` of the thread. */
export interface WatchedLoop {
  /** A counter, which the loop increments while it is not blocked; then 1, or 0 to let the thread sleep until notified. */
  readonly beat: Int32Array
  /** The diagnostics channel whose subscriber in the main thread records what is running. */
  readonly channel: string
  /** Milliseconds between two looks at the counter. If it has not changed, the thread interrupts the loop. */
  readonly lookEveryMs: number
}

/**
 * The code of the thread that watches for blocks. It is a string, so that bundlers need not know a worker file. It uses the
 * inspector, which reaches the main thread while that is busy. A session exists only during a block, since an open session
 * delays the exit of the process.
 */
export const workerCode = `
const { workerData: { beat, channel, lookEveryMs } } = require('node:worker_threads')
const { Session } = require('node:inspector')
const expression = "process.getBuiltinModule('node:diagnostics_channel').channel('" + channel + "').publish()"
let seen = -1
let seenAt = performance.now()
let session
let isAsking = false

function look() {
  const now = Atomics.load(beat, 0)
  const isPaused = Atomics.load(beat, 1) === 0
  if (now !== seen || isPaused) {
    seen = now
    seenAt = performance.now()
    if (session) session.disconnect()
    session = undefined
    isAsking = false
    if (isPaused) Atomics.wait(beat, 1, 0)
    return
  }
  if (isAsking || performance.now() - seenAt < lookEveryMs / 2) return
  if (!session) {
    session = new Session()
    session.connectToMainThread()
  }
  isAsking = true
  session.post('Runtime.evaluate', { expression, silent: true, returnByValue: true }, () => { isAsking = false })
}

setInterval(look, lookEveryMs)
`
