/**
 * Child process with an IPC channel, `probe-process URL`. Requests the URL fifty times a second, whether or not earlier
 * requests have been answered, and reports to its parent. A blocked event loop cannot measure itself reliably.
 */
import { Agent, get } from 'node:http'
import type { Probe } from './probe.js'

const PROBE_EVERY_MS = 20
const TIMEOUT_MS = 5_000
const REPORT_EVERY_MS = 100

const url = process.argv[2]!
const agent = new Agent({ keepAlive: true })
const startedAt = Date.now()
const clockAtStart = performance.now()
const elapsed = (): number => performance.now() - clockAtStart

/** Probes that are not reported yet, in the order in which they were due. */
const unreported: { dueMs: number; result?: Probe }[] = []
let count = 0

function sendDueProbes(): void {
  // Several at once after this process itself was late.
  for (let dueMs = count * PROBE_EVERY_MS; dueMs <= elapsed(); dueMs = ++count * PROBE_EVERY_MS) {
    const probe: (typeof unreported)[number] = { dueMs }
    unreported.push(probe)
    // Measured from the due time, so that a delayed request does not look fast.
    const complete = (ok: boolean): void => {
      probe.result ??= { dueAt: startedAt + dueMs, latencyMs: elapsed() - dueMs, ok }
    }
    const request = get(url, { agent, timeout: TIMEOUT_MS }, (response) => {
      response.resume().once('end', () => complete(response.statusCode === 200))
    })
    request.once('timeout', () => request.destroy())
    request.once('error', () => complete(false))
  }
  // An interval would drift away from the due times.
  setTimeout(sendDueProbes, Math.max(0, count * PROBE_EVERY_MS - elapsed()))
}

/** Reports in order: stops at the first probe without a result. */
function report(): void {
  const open = unreported.findIndex(({ result }) => !result)
  const completed = unreported.splice(0, open === -1 ? unreported.length : open)
  if (completed.length > 0) process.send?.(completed.map(({ result }) => result))
}

sendDueProbes()
setInterval(report, REPORT_EVERY_MS)
process.on('disconnect', () => process.exit())
