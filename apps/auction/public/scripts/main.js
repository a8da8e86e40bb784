import { CHART_SECONDS, createHistory } from '../inspector-page/charts/history.js'
import { createMetricCharts } from '../inspector-page/charts/metric-charts.js'
import { connectThemeButton } from '../inspector-page/kit/theme-button.js'
import { openFloor } from './floor.js'
import { showFollow } from './follow-card.js'
import { createLayerTable } from './layer-table.js'
import { createProbeChart } from './probe-chart.js'
import { connectBursts } from './bursts.js'

/** The time of a sample of the history. */
const SAMPLE_MS = 2000

const byId = (id) => document.getElementById(id)

const bursts = connectBursts()
const probes = createProbeChart(bursts)
const metrics = createMetricCharts(bursts)
byId('charts').prepend(...metrics.figures)
const layers = createLayerTable()
const history = createHistory(CHART_SECONDS)
connectThemeButton(byId('theme'), () => {
  probes.redraw()
  metrics.redraw()
})

const live = new EventSource('/live')
const on = (type, listener) => live.addEventListener(type, ({ data }) => listener(JSON.parse(data)))
on('history', ({ samples, probes: answers, bursts: periods }) => {
  bursts.fill(periods)
  probes.fill(answers)
  history.fillGaps(samples, SAMPLE_MS)
})
on('burst', bursts.show)
on('probes', (answers) => {
  bursts.tick(answers.at(-1).dueAt)
  probes.add(answers)
})
on('sample', (sample) => {
  bursts.tick(sample.at)
  history.add(sample)
  metrics.show(history)
  layers.show(sample)
  showFollow(sample)
})
// EventSource reconnects by itself.
live.addEventListener('error', () => {
  byId('pulse').dataset.state = 'unhealthy'
  byId('pulse').firstElementChild.textContent = 'no connection'
})

try {
  await openFloor()
} catch {
  byId('floor-hint').textContent = 'Loading the lots failed. Reload the page.'
}
