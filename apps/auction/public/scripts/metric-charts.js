import { createChart } from './chart.js'
import { formatAxisMs, formatMs, formatShare } from './format.js'
import { createHistory } from './history.js'
import { createLayerTable, LAYERS } from './layer-table.js'
import { createLegend } from './legend.js'

const SECONDS = 60
/** How many models have a line, one per colour. */
const MODELS = 4

const byId = (id) => document.getElementById(id)
const upTo = (least) => (high) => [0, Math.max(least, high * 1.1)]

/** Creates the three charts and the table of the Prometheus metrics. */
export function createMetricCharts(bursts) {
  const history = createHistory(SECONDS)
  const charts = [lagChart(bursts), layersChart(), decodingChart()]
  const layers = createLayerTable()
  return {
    add(sample) {
      history.add(sample)
      for (const { show } of charts) show(history, sample)
      layers.show(sample)
    },
    redraw: () => charts.forEach(({ chart }) => chart().redraw()),
  }
}

function lagChart(bursts) {
  const legend = createLegend(byId('legend-lag'), ['p50', 'p99'])
  const chart = createChart({
    container: byId('chart-lag'),
    seconds: SECONDS,
    series: legend.items.map((color) => ({ color })),
    range: upTo(20),
    formatValue: formatAxisMs,
    marks: bursts.marks,
  })
  return {
    chart: () => chart,
    show(history, { at, lag }) {
      legend.show(lag ? [formatMs(lag.p50), formatMs(lag.p99)] : [])
      chart.show(
        history.data(
          at,
          (sample) => sample.lag?.p50 ?? null,
          (sample) => sample.lag?.p99 ?? null,
        ),
      )
    },
  }
}

function layersChart() {
  const layers = Object.keys(LAYERS)
  const legend = createLegend(byId('legend-layers'), Object.values(LAYERS))
  const chart = createChart({
    container: byId('chart-layers'),
    seconds: SECONDS,
    series: legend.items.map((color) => ({ color })),
    range: () => [0, 1],
    formatValue: formatShare,
  })
  return {
    chart: () => chart,
    show(history, { at, answered }) {
      legend.show(layers.map((layer) => answered && formatShare(answered[layer])))
      chart.show(history.data(at, ...layers.map((layer) => (sample) => sample.answered?.[layer] ?? null)))
    },
  }
}

/** Draws the first models that appear in the samples. */
function decodingChart() {
  let models = []
  let legend
  let chart
  const draw = () => {
    legend = createLegend(byId('legend-decoding'), models)
    byId('chart-decoding').replaceChildren()
    chart = createChart({
      container: byId('chart-decoding'),
      seconds: SECONDS,
      series: legend.items.map((color) => ({ color })),
      range: upTo(2),
      formatValue: formatAxisMs,
    })
  }
  draw()
  return {
    chart: () => chart,
    show(history, { at, decoding }) {
      const spent = Object.entries(decoding).toSorted(([, a], [, b]) => b - a)
      const unknown = spent.map(([model]) => model).filter((model) => !models.includes(model))
      if (unknown.length > 0 && models.length < MODELS) {
        models = [...models, ...unknown].slice(0, MODELS)
        draw()
      }
      legend.show(models.map((model) => formatMs(decoding[model] ?? 0)))
      chart.show(history.data(at, ...models.map((model) => (sample) => sample.decoding[model] ?? 0)))
    },
  }
}
