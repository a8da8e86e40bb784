import { openFloor } from './floor.js'
import { showFollow } from './follow-card.js'
import { createMetricCharts } from './metric-charts.js'
import { createProbeChart } from './probe-chart.js'
import { connectBursts } from './bursts.js'
import { connectThemeButton } from './theme-button.js'

const byId = (id) => document.getElementById(id)

const bursts = connectBursts()
const probes = createProbeChart(bursts)
const metrics = createMetricCharts(bursts)
connectThemeButton(byId('theme'), () => {
  probes.redraw()
  metrics.redraw()
})

const live = new EventSource('/live')
const on = (type, listener) => live.addEventListener(type, ({ data }) => listener(JSON.parse(data)))
on('burst', bursts.show)
on('probes', (answers) => {
  bursts.tick(answers.at(-1).dueAt)
  probes.add(answers)
})
on('sample', (sample) => {
  bursts.tick(sample.at)
  metrics.add(sample)
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
