import { createLagChart } from '../charts/metric-charts.js'
import { element } from '../kit/element.js'
import { formatCount, formatMs, formatShare } from '../kit/format.js'
import { morph } from '../kit/morph.js'
import { processNames } from '../processes.js'
import { describeHolder } from '../words.js'
import { createProcessChoice, createWindowChoice } from './choices.js'
import { heading, section, table, timeOf } from './parts.js'

/** Who blocked the event loop, for how long and where, and which requests were refused. */
export function createEventLoopView(context) {
  const update = () => {
    const { report, settings } = context
    choice.show(report)
    const names = processNames(report.processes)
    const chosen = report.processes.filter(({ id }) => settings.process === '' || id === settings.process)
    morph(loops, loopsTable(chosen, names))
    morph(totals, totalsTable(chosen, names, settings.window))
    morph(blocks, blocksTable(chosen, names, report.at))
    morph(shed, shedTable(chosen, names))
    drawCharts()
  }
  const drawCharts = () => {
    const history = context.samples.of(context.settings.process)
    if (history) chart.show(history)
  }
  const chart = createLagChart()
  const choice = createProcessChoice(context, update)
  const [loops, totals, blocks, shed] = ['', '', '', ''].map(() =>
    element('div', {}, element('p', { class: 'hint' }, 'Asking the processes …')),
  )
  return {
    title: 'Event loop',
    elements: [
      heading('Event loop', 'Who blocked it, for how long, and which requests were refused.'),
      element('div', { class: 'controls' }, createWindowChoice(context, update), choice.element),
      element('section', { class: 'charts', 'aria-label': 'Chart of the last minute' }, chart.figure),
      section('Blocked by', totals),
      section('Latest blocks', blocks),
      section('Now', loops),
      section('Refused requests', shed),
    ],
    update,
    drawCharts,
    redraw: () => chart.redraw(),
  }
}

function loopsTable(processes, names) {
  return table({
    caption: 'Event loops by process',
    columns: ['Process', 'Lag p50', 'Lag p99', 'Utilization', 'Pressure'],
    rows: processes.map(({ id, eventLoop: { lagMs, pressure, utilization } }) => [
      names.get(id),
      lagMs ? formatMs(lagMs.p50) : '–',
      lagMs ? formatMs(lagMs.p99) : '–',
      formatShare(utilization),
      formatShare(pressure),
    ]),
    empty: 'No process has answered.',
  })
}

/** Which holders have blocked the event loops for how long. */
function totalsTable(processes, names, window) {
  const totals = processes.flatMap(({ eventLoop, id }) =>
    eventLoop.blockTotals[window].map((total) => ({ id, ...total })),
  )
  return table({
    caption: 'Blocks by holder, the longest total first',
    columns: ['Holder', 'Blocked for', 'Blocks', 'On average', 'Process'],
    rows: totals
      .toSorted((one, other) => other.ms - one.ms)
      .map(({ blocks, holder, id, ms }) => ({
        cells: [
          describeHolder(holder),
          formatMs(ms),
          formatCount(blocks),
          formatMs(ms / blocks),
          names.get(id),
        ],
        attributes: { 'data-key': `${id} ${holder}` },
      })),
    empty: `Nothing blocked the event loop in the ${window === 'lastHour' ? 'last hour' : 'last 5 min'}.`,
  })
}

function blocksTable(processes, names, now) {
  const blocks = processes
    .flatMap(({ id, eventLoop }) => eventLoop.blocks.map((block) => ({ id, ...block })))
    .toSorted((one, other) => Date.parse(other.at) - Date.parse(one.at))
  return table({
    caption: 'Blocks, the latest first',
    columns: [
      'Holder',
      { title: 'Blocked for', isHalf: true },
      { title: 'When', isHalf: true },
      { title: 'Process', isHalf: true },
      { title: 'Stack', isWide: true },
    ],
    rows: blocks.map(({ at, holder, id, ms, stack }) => ({
      cells: [describeHolder(holder), formatMs(ms), timeOf(at, now), names.get(id), stackOf(stack)],
      attributes: { 'data-key': `${id} ${at} ${holder}` },
    })),
    empty: 'No process remembers a block.',
  })
}

function stackOf(stack) {
  if (stack.length === 0) return 'unknown'
  return element('details', {}, element('summary', {}, stack[0]), element('pre', {}, stack.join('\n')))
}

function shedTable(processes, names) {
  return table({
    caption: 'Refused requests since the start, by handler',
    columns: ['Handler', 'Process', 'Refused'],
    rows: processes.flatMap(({ id, eventLoop }) =>
      Object.entries(eventLoop.shed)
        .filter(([, count]) => count > 0)
        .toSorted(([, one], [, other]) => other - one)
        .map(([handler, count]) => [handler, names.get(id), formatCount(count)]),
    ),
    empty:
      'No request was refused. The EventLoopPressureGuard refuses some when the event loop is overloaded.',
  })
}
