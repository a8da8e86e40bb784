import { openFloor } from './floor.js'
import { createMetricCharts } from './metric-charts.js'
import { createProbeChart } from './probe-chart.js'
import { connectStorms } from './storms.js'
import { connectThemeButton } from './theme-button.js'

const byId = (id) => document.getElementById(id)

const storms = connectStorms()
const probes = createProbeChart(storms)
const metrics = createMetricCharts(storms)
connectThemeButton(byId('theme'), () => {
  probes.redraw()
  metrics.redraw()
})

const live = new EventSource('/live')
const on = (type, listener) => live.addEventListener(type, ({ data }) => listener(JSON.parse(data)))
on('storm', storms.show)
on('probes', (answers) => {
  storms.tick(answers.at(-1).dueAt)
  probes.add(answers)
})
on('sample', (sample) => {
  storms.tick(sample.at)
  metrics.add(sample)
})
// It tries again by itself.
live.addEventListener('error', () => {
  byId('pulse').dataset.state = 'ill'
  byId('pulse').firstElementChild.textContent = 'no connection'
})

try {
  await openFloor()
} catch {
  byId('floor-hint').textContent = 'The lots could not be loaded. Load the page again.'
}
