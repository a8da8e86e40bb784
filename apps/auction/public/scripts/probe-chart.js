import { createChart } from '../inspector-page/charts/chart.js'
import { formatAxisMs, formatMs } from '../inspector-page/kit/format.js'
import { createHistory } from '../inspector-page/charts/history.js'

const SECONDS = 15
/** From about here on, people notice a delay. */
const SLOW_MS = 50
/** Time between updates with reduced motion. */
const REDUCED_MOTION_MS = 1000

const byId = (id) => document.getElementById(id)
const prefersReducedMotion = matchMedia('(prefers-reduced-motion: reduce)')

/** Charts the response times of /livez, measured by another process. */
export function createProbeChart(bursts) {
  const history = createHistory(SECONDS)
  const now = byId('probe-now')
  const worst = byId('probe-worst')
  const pulse = byId('pulse')
  let drawnAt = 0
  const chart = createChart({
    container: byId('chart-probes'),
    seconds: SECONDS,
    series: [{ color: worst, filled: true }],
    range: (high) => [0, Math.max(SLOW_MS, high * 1.1)],
    formatValue: formatAxisMs,
    marks: bursts.marks,
  })
  return {
    add(probes) {
      history.add(...probes.map(({ dueAt, latencyMs, ok }) => ({ at: dueAt, latencyMs, ok })))
      const { at, latencyMs, ok } = history.entries.at(-1)
      if (prefersReducedMotion.matches && at - drawnAt < REDUCED_MOTION_MS) return
      drawnAt = at
      const slowest = Math.max(...history.entries.map((probe) => probe.latencyMs))
      now.textContent = formatMs(latencyMs)
      worst.textContent = formatMs(slowest)
      worst.dataset.state = slowest < SLOW_MS ? 'healthy' : 'unhealthy'
      const slowestNow = Math.max(...probes.map((probe) => probe.latencyMs))
      pulse.dataset.state = ok && slowestNow < SLOW_MS ? 'healthy' : 'unhealthy'
      pulse.firstElementChild.textContent = ok ? `alive, ${formatMs(slowestNow)}` : 'no response'
      chart.show(history.data(at, (probe) => probe.latencyMs))
    },
    /** Begins with probes of the time before the page was loaded. After a lost connection, there is no time before. */
    fill(probes) {
      if (history.entries.length === 0 && probes.length > 0) this.add(probes)
    },
    redraw: () => chart.redraw(),
  }
}
