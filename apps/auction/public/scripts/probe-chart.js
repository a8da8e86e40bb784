import { createChart } from './chart.js'
import { formatMs } from './format.js'
import { createHistory } from './history.js'

const SECONDS = 15
/** A person sees a delay from about here on, and somebody who calls others waits for all of theirs. */
const SLOW_MS = 50
/** For those who want less motion. */
const CALM_MS = 1000

const byId = (id) => document.getElementById(id)
const wantsCalm = matchMedia('(prefers-reduced-motion: reduce)')

/** The answers of /livez, as another process sees them. */
export function createProbeChart(storms) {
  const history = createHistory(SECONDS)
  const now = byId('probe-now')
  const worst = byId('probe-worst')
  const pulse = byId('pulse')
  let drawnAt = 0
  const chart = createChart({
    place: byId('chart-probes'),
    seconds: SECONDS,
    series: [{ color: worst, filled: true }],
    range: (high) => [0, Math.max(SLOW_MS, high * 1.1)],
    text: (ms) => `${ms} ms`,
    marks: storms.marks,
  })
  return {
    add(probes) {
      history.add(...probes.map(({ dueAt, latencyMs, ok }) => ({ at: dueAt, latencyMs, ok })))
      const { at, latencyMs, ok } = history.entries.at(-1)
      if (wantsCalm.matches && at - drawnAt < CALM_MS) return
      drawnAt = at
      const slowest = Math.max(...history.entries.map((probe) => probe.latencyMs))
      now.textContent = formatMs(latencyMs)
      worst.textContent = formatMs(slowest)
      worst.dataset.state = slowest < SLOW_MS ? 'well' : 'ill'
      const slowestNow = Math.max(...probes.map((probe) => probe.latencyMs))
      pulse.dataset.state = ok && slowestNow < SLOW_MS ? 'well' : 'ill'
      pulse.firstElementChild.textContent = ok ? `alive, ${formatMs(slowestNow)}` : 'no answer'
      chart.show(history.data(at, (probe) => probe.latencyMs))
    },
    redraw: () => chart.redraw(),
  }
}
