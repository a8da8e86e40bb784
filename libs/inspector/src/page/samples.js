import { CHART_SECONDS, createHistory } from './charts/history.js'
import { LAYERS } from './charts/layers.js'

/** The time of a sample of a process. Those of several are taken for one if they are of the same such time. */
const SAMPLE_MS = 2_000

/** Collects what the charts show, of each process, and of all together under the id `''`. */
export function createSamples() {
  let histories = new Map()
  const historyOf = (id) => histories.get(id) ?? createHistory(CHART_SECONDS)
  return {
    add({ processes }) {
      // Of this clock, as those of several servers may differ.
      const time = Date.now()
      const all = [['', processes], ...processes.map((process) => [process.id, [process]])]
      histories = new Map(
        all.map(([id, of]) => {
          const history = historyOf(id)
          history.add(sampleOf(time, of))
          return [id, history]
        }),
      )
    },
    /** Adds what processes remember of the time before the samples that are there. */
    addPast({ processes }) {
      const now = Date.now()
      const all = processes.flatMap(({ samples }) => samples)
      for (const [id, samples] of [['', all], ...processes.map((process) => [process.id, process.samples])]) {
        const history = historyOf(id)
        history.fillGaps(entriesOf(samples, now), SAMPLE_MS)
        histories.set(id, history)
      }
    },
    /** @returns the history, that of all processes if there is none of this one, or undefined before the first report */
    of(id) {
      const history = histories.get(id) ?? histories.get('')
      return history?.entries.length > 0 ? history : undefined
    },
  }
}

/** The entries of samples that processes have taken, the oldest first. */
function entriesOf(samples, now) {
  const slots = Map.groupBy(samples, ({ agoMs }) => Math.round(agoMs / SAMPLE_MS))
  // What is now comes with the figures.
  slots.delete(0)
  return [...slots]
    .toSorted(([one], [other]) => other - one)
    .map(([slot, of]) => {
      const decoding = {}
      for (const { decodeMs, seconds } of of) {
        for (const [name, ms] of Object.entries(decodeMs))
          decoding[name] = (decoding[name] ?? 0) + ms / seconds
      }
      return entryOf(now - slot * SAMPLE_MS, {
        lags: of.map(({ lagMs }) => lagMs),
        answered: of.map(({ answered }) => answered),
        decoding,
      })
    })
}

/** What the charts show of processes as they are now. */
function sampleOf(at, processes) {
  const figures = processes.flatMap(({ caches }) =>
    caches.map(({ name, figures: { recent } }) => ({ name, recent })).filter(({ recent }) => recent),
  )
  const decoding = {}
  for (const { name, recent } of figures) {
    if (recent.decodeMs > 0) decoding[name] = (decoding[name] ?? 0) + recent.decodeMs / recent.seconds
  }
  return entryOf(at, {
    lags: processes.map(({ eventLoop }) => eventLoop.lagMs),
    answered: figures.map(({ recent }) => recent.answered),
    decoding,
  })
}

/** Lags are the worst of the processes; reads and decoding are added. */
function entryOf(at, { lags, answered, decoding }) {
  const known = lags.filter((lag) => lag !== null)
  const highest = (quantile) => Math.max(...known.map((lag) => lag[quantile]))
  const layers = Object.keys(LAYERS)
  const readsOf = (layer) => answered.reduce((sum, of) => sum + of[layer], 0)
  const reads = layers.reduce((sum, layer) => sum + readsOf(layer), 0)
  return {
    at,
    lag: known.length > 0 ? { p50: highest('p50'), p99: highest('p99') } : null,
    answered: reads > 0 ? Object.fromEntries(layers.map((layer) => [layer, readsOf(layer) / reads])) : null,
    decoding,
  }
}
