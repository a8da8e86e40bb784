/**
 * A process of its own, `probe-process URL` with an IPC channel: asks the URL fifty times a second, however long the answers
 * take, and tells its parent. An event loop cannot tell how long it was away; its neighbour can.
 */
import { Agent, get } from 'node:http'
import type { Probe } from './probe.js'

const EVERY_MS = 20
const GIVE_UP_MS = 5_000
const TELL_EVERY_MS = 100

const url = process.argv[2]!
const agent = new Agent({ keepAlive: true })
const startedAt = Date.now()
const clockAtStart = performance.now()
const elapsed = (): number => performance.now() - clockAtStart

/** Those that are not told of yet, in the order in which they were due. */
const asked: { dueMs: number; answer?: Probe }[] = []
let count = 0

function ask(): void {
  // More than one when this process itself was late.
  for (let dueMs = count * EVERY_MS; dueMs <= elapsed(); dueMs = ++count * EVERY_MS) {
    const probe: (typeof asked)[number] = { dueMs }
    asked.push(probe)
    // From when it was due: a probe that had to wait for others must not look quick.
    const settle = (ok: boolean): void => {
      probe.answer ??= { dueAt: startedAt + dueMs, latencyMs: elapsed() - dueMs, ok }
    }
    const request = get(url, { agent, timeout: GIVE_UP_MS }, (response) => {
      response.resume().once('end', () => settle(response.statusCode === 200))
    })
    request.once('timeout', () => request.destroy())
    request.once('error', () => settle(false))
  }
  // Not at an interval, which drifts away from what is due.
  setTimeout(ask, Math.max(0, count * EVERY_MS - elapsed()))
}

/** In order, so that whoever hears of a probe has heard of all before it. */
function tell(): void {
  const open = asked.findIndex(({ answer }) => !answer)
  const answered = asked.splice(0, open === -1 ? asked.length : open)
  if (answered.length > 0) process.send?.(answered.map(({ answer }) => answer))
}

ask()
setInterval(tell, TELL_EVERY_MS)
process.on('disconnect', () => process.exit())
