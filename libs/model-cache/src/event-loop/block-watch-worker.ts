/** What the thread is given. */
export interface WatchedLoop {
  /** One number, which the loop moves on while it is not blocked. While it is 0, the thread sleeps until it is notified. */
  readonly beat: Int32Array
  /** The channel whose subscriber in the main thread notes what is running. */
  readonly channel: string
  /** Milliseconds between two looks; a loop that does not move in that time is asked what is running. */
  readonly lookEveryMs: number
}

/**
 * The code of the thread that watches for blocks. A string, so that no bundler can lose its file; it needs the inspector, which
 * reaches the main thread while that is busy. A session exists only during a block: while one does, the process would wait
 * for it at its end.
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
  if (now !== seen || now === 0) {
    seen = now
    seenAt = performance.now()
    if (session) session.disconnect()
    session = undefined
    isAsking = false
    if (now === 0) Atomics.wait(beat, 0, 0)
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
