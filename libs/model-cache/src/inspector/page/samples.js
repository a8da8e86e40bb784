import { createHistory } from './charts/history.js'
import { LAYERS } from './charts/layers.js'
import { CHART_SECONDS } from './charts/metric-charts.js'

/** Collects what the charts show, of each process, and of all together under the id `''`. */
export function createSamples() {
  let histories = new Map()
  return {
    add({ processes }) {
      // Of this clock, as those of several servers may differ.
      const time = Date.now()
      const next = new Map()
      const add = (id, of) => {
        const history = histories.get(id) ?? createHistory(CHART_SECONDS)
        history.add(sampleOf(time, of))
        next.set(id, history)
      }
      add('', processes)
      for (const process of processes) add(process.id, [process])
      histories = next
    },
    /** @returns the history, that of all processes if there is none of this one, or undefined before the first report */
    of: (id) => histories.get(id) ?? histories.get(''),
  }
}

/** Lags are the worst of the processes; reads and decoding are added. */
function sampleOf(at, processes) {
  const figures = processes.flatMap(({ caches }) =>
    caches.map(({ name, figures: { recent } }) => ({ name, recent })).filter(({ recent }) => recent),
  )
  const lags = processes.map(({ eventLoop }) => eventLoop.lagMs).filter((lag) => lag !== null)
  const highest = (quantile) => Math.max(...lags.map((lag) => lag[quantile]))
  const reads = sumOf(figures, ({ recent }) => recent.reads)
  const shareOf = (layer) => sumOf(figures, ({ recent }) => recent.answered[layer]) / reads
  const decoding = {}
  for (const { name, recent } of figures) {
    if (recent.decodeMs > 0) decoding[name] = (decoding[name] ?? 0) + recent.decodeMs / recent.seconds
  }
  return {
    at,
    lag: lags.length > 0 ? { p50: highest('p50'), p99: highest('p99') } : null,
    answered:
      reads > 0 ? Object.fromEntries(Object.keys(LAYERS).map((layer) => [layer, shareOf(layer)])) : null,
    decoding,
  }
}

const sumOf = (items, valueOf) => items.reduce((sum, item) => sum + valueOf(item), 0)
