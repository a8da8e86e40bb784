import { createMetricCharts } from '../charts/metric-charts.js'
import { element } from '../kit/element.js'
import { formatBytes, formatCount } from '../kit/format.js'
import { morph } from '../kit/morph.js'
import { cacheName, isSameCache, processNames } from '../processes.js'
import { cacheHref } from '../routes.js'
import { stateOf } from '../states.js'
import { createProcessChoice, createWindowChoice } from './choices.js'
import { FIGURE_COLUMNS, figureCells } from './figures.js'
import { createRowForm } from './forms.js'
import { noticesOf } from './notices.js'
import { heading, link, section, table, tableRow } from './parts.js'

/** All caches, what needs attention, and the charts. */
export function createOverview(context) {
  const update = () => {
    const { report, settings } = context
    processes.show(report)
    form.show(report.caches)
    morph(notices, noticesOf(report))
    morph(caches, cachesTable(report, settings), foreignOf(report))
    const history = context.samples.of(settings.process)
    if (history) charts.show(history)
  }
  const charts = createMetricCharts()
  const processes = createProcessChoice(context, update)
  const notices = element('div', {}, element('p', { class: 'hint' }, 'Asking the processes …'))
  const caches = element('div', { class: 'stack' })
  const form = createRowForm()
  caches.addEventListener('click', ({ target }) => {
    const key = target.closest('button')?.dataset.sort
    if (!key) return
    const { sort } = context.settings
    context.settings.sort = { key, isDescending: sort?.key === key ? !sort.isDescending : key !== 'name' }
    update()
  })
  return {
    title: 'Caches',
    elements: [
      heading('Caches', 'What is cached, how well, and whether the processes agree.'),
      section('Needs attention', notices),
      element('div', { class: 'controls' }, createWindowChoice(context, update), processes.element),
      section('Figures by cache', caches),
      section('Find a row', form.element),
      element('section', { class: 'charts', 'aria-label': 'Charts of the last minute' }, charts.figures),
    ],
    update,
    redraw: () => charts.redraw(),
  }
}

function cachesTable(report, { window, process, sort }) {
  const names = processNames(report.processes)
  const chosen = report.processes.find(({ id }) => id === process)
  const lines = report.caches.flatMap((cache) => {
    const own = chosen ? [chosen] : report.processes
    const inProcesses = own.flatMap(({ caches }) => caches.filter((other) => isSameCache(other, cache)))
    if (chosen && inProcesses.length === 0) return []
    const figures = (chosen ? inProcesses[0] : cache).figures[window]
    return [{ cache, figures, l1: memoryOf(inProcesses) }]
  })
  const columnOf = ({ key, title }) => {
    const isSorted = sort?.key === key
    const order = sort?.isDescending ? 'descending' : 'ascending'
    return element(
      'th',
      { scope: 'col', ...(isSorted && { 'aria-sort': order }) },
      element('button', { type: 'button', class: 'sort', 'data-sort': key }, title),
    )
  }
  return table({
    caption: chosen ? `Caches of ${names.get(process)}` : 'Caches of all processes',
    columns: [
      columnOf({ key: 'name', title: 'Cache' }),
      'State',
      ...FIGURE_COLUMNS.map(columnOf),
      'Memory (L1)',
    ],
    rows: sorted(lines, sort).map(({ cache, figures, l1 }) =>
      tableRow(
        [
          link(cacheHref(cache), cacheName(cache)),
          stateCell(cache, report, names),
          ...figureCells(figures),
          l1 ? `${formatCount(l1.rows)} rows, ${formatBytes(l1.bytes)}` : '–',
        ],
        { 'data-key': cacheHref(cache) },
      ),
    ),
    empty: 'There is no cache in this process. Register one with ModelCacheModule.forFeature.',
  })
}

export function stateCell(cache, report, names) {
  const { words, isGood, differing } = stateOf(cache, report)
  return [
    element('span', { class: isGood ? 'state good' : 'state' }, words.join(', ')),
    ...differing.map(({ id, words: others }) =>
      element(
        'span',
        { class: 'state differs' },
        element('strong', {}, `differs: ${names.get(id)}`),
        ` (${others.join(', ')})`,
      ),
    ),
  ]
}

function memoryOf(inProcesses) {
  const all = inProcesses.map(({ l1 }) => l1).filter((l1) => l1 !== null)
  if (all.length === 0) return null
  const sumOf = (key) => all.reduce((sum, l1) => sum + l1[key], 0)
  return { rows: sumOf('rows'), bytes: sumOf('bytes') }
}

/** Caches without a value come last in both directions. */
function sorted(lines, sort) {
  if (!sort) return lines
  const sign = sort.isDescending ? -1 : 1
  if (sort.key === 'name') {
    return lines.toSorted((one, other) => sign * cacheName(one.cache).localeCompare(cacheName(other.cache)))
  }
  const { valueOf } = FIGURE_COLUMNS.find(({ key }) => key === sort.key)
  const valueIn = ({ figures }) => figures && valueOf(figures)
  return lines.toSorted((one, other) => {
    const [a, b] = [valueIn(one), valueIn(other)]
    if (a === null || b === null) return (a === null) - (b === null)
    return sign * (a - b)
  })
}

function foreignOf({ foreign }) {
  if (foreign.length === 0) return []
  const names = foreign.map((cache) => cacheName(cache)).join(', ')
  return [
    element(
      'p',
      { class: 'hint' },
      `Only other applications in the same namespace have these caches: ${names}.`,
    ),
  ]
}
