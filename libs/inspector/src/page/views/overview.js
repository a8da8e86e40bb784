import { createMetricCharts } from '../charts/metric-charts.js'
import { element } from '../kit/element.js'
import { formatBytes, formatCount, formatRate, formatShare } from '../kit/format.js'
import { morph } from '../kit/morph.js'
import { coverageIn, noticesOf } from '../notices.js'
import { cacheName, isSameCache, processNames } from '../processes.js'
import { bypassesOf } from '../queries.js'
import { cacheHref, resultsHref } from '../routes.js'
import { stateOf } from '../states.js'
import { createOrderChoice, createProcessChoice, createWindowChoice } from './choices.js'
import { BYPASS_COLUMN, FIGURE_COLUMNS, figureCells } from './figures.js'
import { createFind } from './find.js'
import { noticeList } from './notices.js'
import { heading, link, NONE, section, table } from './parts.js'

/** What needs attention, all caches, and the charts. */
export function createOverview(context) {
  const update = () => {
    const { report, settings } = context
    const columns = columnsFor(report)
    morph(lead, summaryOf(report))
    processes.show(report)
    order.show([NAME_COLUMN, ...columns])
    find.show(report.caches)
    morph(notices, attention(report))
    morph(caches, cachesTable(report, settings, columns), foreignOf(report))
    drawCharts()
  }
  const drawCharts = () => {
    const history = context.samples.of(context.settings.process)
    if (history) charts.show(history)
  }
  const charts = createMetricCharts()
  const processes = createProcessChoice(context, update)
  const order = createOrderChoice(context, update)
  const head = heading('Caches', 'Asking the processes …')
  const lead = head.querySelector('.lead')
  const notices = element('div', {}, element('p', { class: 'hint' }, 'Asking the processes …'))
  const caches = element('div', { class: 'stack' })
  const find = createFind(context)
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
      head,
      section('Needs attention', notices),
      section('Find a row or a list', find.element),
      element(
        'div',
        { class: 'controls' },
        createWindowChoice(context, update),
        processes.element,
        order.element,
      ),
      section(
        'Figures by cache',
        caches,
        element('p', {}, link(resultsHref, 'Results of queries'), ', by model and by query'),
      ),
      element('section', { class: 'charts', 'aria-label': 'Charts of the last minute' }, charts.figures),
    ],
    update,
    drawCharts,
    redraw: () => charts.redraw(),
  }
}

const NAME_COLUMN = { key: 'name', title: 'Cache' }

/** Bypassed queries are shown where a client answers queries from caches. */
function columnsFor({ caches, processes }) {
  const hasQueries = caches.some(
    (cache) => coverageIn(cache, processes) || bypassesOf(cache.figures.lastHour.queries),
  )
  return hasQueries ? [FIGURE_COLUMNS[0], BYPASS_COLUMN, ...FIGURE_COLUMNS.slice(1)] : FIGURE_COLUMNS
}

/** The most important figures in a sentence. */
function summaryOf({ caches, processes }) {
  const counted = `${caches.length} ${caches.length === 1 ? 'cache' : 'caches'} in ${processes.length} ${processes.length === 1 ? 'process' : 'processes'}`
  const recent = caches.flatMap(({ figures }) => figures.recent ?? [])
  const reads = recent.reduce((sum, of) => sum + of.reads, 0)
  if (reads === 0) return `${counted}. No reads in the last seconds.`
  const seconds = Math.max(...recent.map((of) => of.seconds))
  const loaded = recent.reduce((sum, of) => sum + of.answered.source, 0)
  return `${counted}: ${formatRate(reads / seconds)} reads/s now, ${formatShare((reads - loaded) / reads)} of them without the database.`
}

function attention(report) {
  const notices = noticesOf(report)
  if (notices.length > 0) return noticeList(notices)
  return element('p', { class: 'all-well' }, 'Nothing: all processes answer, agree and store rows.')
}

function cachesTable(report, { window, process, sort }, columns) {
  const names = processNames(report.processes)
  const chosen = report.processes.find(({ id }) => id === process)
  const lines = report.caches.flatMap((cache) => {
    const own = chosen ? [chosen] : report.processes
    const inProcesses = own.flatMap(({ caches }) => caches.filter((other) => isSameCache(other, cache)))
    if (chosen && inProcesses.length === 0) return []
    const figures = (chosen ? inProcesses[0] : cache).figures[window]
    return [{ cache, figures, l1: memoryOf(inProcesses) }]
  })
  const hasMemory = lines.some(({ l1 }) => l1)
  const sortable = (column) => {
    const { key, title } = column
    const isSorted = sort?.key === key
    const order = sort?.isDescending ? 'descending' : 'ascending'
    const header = element(
      'th',
      { scope: 'col', role: 'columnheader', ...(isSorted && { 'aria-sort': order }) },
      element('button', { type: 'button', class: 'sort', 'data-sort': key }, title),
    )
    return { ...column, header }
  }
  return table({
    caption: chosen ? `Caches of ${names.get(process)}` : 'Caches of all processes',
    columns: [
      sortable(NAME_COLUMN),
      { title: 'State', isPlain: true },
      ...columns.map(sortable),
      ...(hasMemory ? ['Memory (L1)'] : []),
    ],
    rows: sorted(lines, sort, columns).map(({ cache, figures, l1 }) => {
      const isIdle = !figures || (figures.reads === 0 && !bypassesOf(figures.queries))
      return {
        cells: [
          link(cacheHref(cache), cacheName(cache)),
          [
            ...stateCell(cache, report, names),
            ...(isIdle ? [element('span', { class: 'idle-note' }, ', no reads')] : []),
          ],
          ...figureCells(columns, figures),
          ...(hasMemory ? [l1 ? `${formatCount(l1.rows)} rows, ${formatBytes(l1.bytes)}` : NONE] : []),
        ],
        attributes: { 'data-key': cacheHref(cache), class: isIdle ? 'idle' : '' },
      }
    }),
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
function sorted(lines, sort, columns) {
  const column = columns.find(({ key }) => key === sort?.key)
  const sign = sort?.isDescending ? -1 : 1
  if (!column) {
    return sort
      ? lines.toSorted((one, other) => sign * cacheName(one.cache).localeCompare(cacheName(other.cache)))
      : lines
  }
  const valueIn = ({ figures }) => figures && column.valueOf(figures)
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
