import { element } from '../kit/element.js'
import { formatAxisMs, formatMs, formatShare } from '../kit/format.js'
import { createChart } from './chart.js'
import { CHART_SECONDS } from './history.js'
import { LAYERS } from './layers.js'
import { createLegend } from './legend.js'

/** How many caches have a line, one per colour. */
const MODELS = 4

const upTo = (least) => (high) => [0, Math.max(least, high * 1.1)]

/**
 * Creates the charts of event-loop lag, of layers and of decoding. An entry of their history has the time `at` in milliseconds,
 * `lag: { p50, p99 }` in milliseconds, the share of reads that each layer `answered`, both null if unknown, and the milliseconds per
 * second of `decoding` by cache.
 *
 * @param marks returns periods to shade in the chart of the lag; see createChart
 * @returns the `figures` to insert, `show`, and `redraw` for a change of colours
 */
export function createMetricCharts({ marks } = {}) {
  const charts = [createLagChart({ marks }), createLayersChart(), createDecodingChart()]
  return {
    figures: charts.map(({ figure }) => figure),
    /** @param history with at least one entry */
    show: (history) => charts.forEach(({ show }) => show(history)),
    redraw: () => charts.forEach(({ redraw }) => redraw()),
  }
}

/** Creates the chart of the event-loop lag alone. */
export function createLagChart({ marks } = {}) {
  const { figure, container, list } = createFigure({
    name: 'lag',
    title: 'Event-loop lag',
    hint: 'How late the server starts due work.',
    label: 'Event-loop lag, last minute',
  })
  const legend = createLegend(list, ['p50', 'p99'])
  const chart = createChart({
    container,
    seconds: CHART_SECONDS,
    series: legend.items.map((color) => ({ color })),
    range: upTo(20),
    formatValue: formatAxisMs,
    marks,
  })
  return {
    figure,
    show(history) {
      const { at, lag } = history.entries.at(-1)
      legend.show(lag ? [formatMs(lag.p50), formatMs(lag.p99)] : [undefined, undefined])
      chart.show(
        history.data(
          at,
          (sample) => sample.lag?.p50 ?? null,
          (sample) => sample.lag?.p99 ?? null,
        ),
      )
    },
    redraw: () => chart.redraw(),
  }
}

function createLayersChart() {
  const { figure, container, list, note } = createFigure({
    name: 'layers',
    title: 'Reads by layer',
    hint: 'The layer that answers. Equal reads of rows in one tick are coalesced.',
    label: 'Share of reads answered by each layer, last minute',
  })
  const layers = Object.keys(LAYERS)
  const legend = createLegend(list, Object.values(LAYERS))
  const chart = createChart({
    container,
    seconds: CHART_SECONDS,
    series: legend.items.map((color) => ({ color })),
    range: () => [0, 1],
    formatValue: formatShare,
  })
  return {
    figure,
    show(history) {
      const { at, answered } = history.entries.at(-1)
      const hasReads = history.entries.some((entry) => entry.answered !== null)
      note.textContent = hasReads ? '' : 'No reads in the last minute.'
      legend.show(layers.map((layer) => answered && formatShare(answered[layer])))
      chart.show(history.data(at, ...layers.map((layer) => (sample) => sample.answered?.[layer] ?? null)))
    },
    redraw: () => chart.redraw(),
  }
}

/** Draws the models that decode most when they appear in the history. */
function createDecodingChart() {
  const { figure, container, list, note } = createFigure({
    name: 'decoding',
    title: 'Decoding time by model',
    hint: 'Milliseconds of decoding per second, by model-cache.',
    label: 'Decoding time by model, last minute',
  })
  let models = []
  let legend
  let chart
  const draw = () => {
    legend = createLegend(list, models)
    container.replaceChildren()
    chart = createChart({
      container,
      seconds: CHART_SECONDS,
      series: legend.items.map((color) => ({ color })),
      range: upTo(2),
      formatValue: formatAxisMs,
    })
  }
  draw()
  return {
    figure,
    show(history) {
      const { at, decoding } = history.entries.at(-1)
      const spent = {}
      for (const entry of history.entries) {
        for (const [model, ms] of Object.entries(entry.decoding)) spent[model] = (spent[model] ?? 0) + ms
      }
      const unknown = Object.keys(spent)
        .filter((model) => !models.includes(model))
        .toSorted((one, other) => spent[other] - spent[one])
      note.textContent = Object.keys(spent).length > 0 ? '' : 'Nothing was decoded in the last minute.'
      if (unknown.length > 0 && models.length < MODELS) {
        models = [...models, ...unknown].slice(0, MODELS)
        draw()
      }
      legend.show(models.map((model) => formatMs(decoding[model] ?? 0)))
      chart.show(history.data(at, ...models.map((model) => (sample) => sample.decoding[model] ?? 0)))
    },
    redraw: () => chart.redraw(),
  }
}

function createFigure({ name, title, hint, label }) {
  const list = element('ul', { class: 'legend', id: `legend-${name}` })
  const container = element('div', {
    class: 'chart',
    id: `chart-${name}`,
    role: 'img',
    'aria-label': label,
  })
  const caption = element('figcaption', {}, element('h3', {}, title), element('p', { class: 'hint' }, hint))
  // Over the chart, which is drawn without lines then.
  const note = element('p', { class: 'chart-note' })
  const plot = element('div', { class: 'plot' }, container, note)
  return { figure: element('figure', { class: 'card' }, caption, list, plot), container, list, note }
}
