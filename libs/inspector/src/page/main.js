import { createConfirmation } from './kit/confirmation.js'
import { element } from './kit/element.js'
import { formatTime } from './kit/format.js'
import { morph } from './kit/morph.js'
import { connectThemeButton } from './kit/theme-button.js'
import { noticesOf } from './notices.js'
import { startPolling } from './polling.js'
import { processNames } from './processes.js'
import { routeOf } from './routes.js'
import { createSamples } from './samples.js'
import { createCacheView } from './views/cache.js'
import { createEntryView } from './views/entry.js'
import { createEventLoopView } from './views/event-loop.js'
import { createOverview } from './views/overview.js'
import { createProcessesView } from './views/processes.js'
import { createResultsView } from './views/results.js'
import { createRowView } from './views/row.js'
import { createUnknownView } from './views/unknown.js'

const VIEWS = {
  caches: createOverview,
  cache: createCacheView,
  row: createRowView,
  entry: createEntryView,
  'event-loop': createEventLoopView,
  processes: createProcessesView,
  results: createResultsView,
  unknown: createUnknownView,
}

const [main, pulse, problem, result, where, alarm] = [
  'view',
  'pulse',
  'problem',
  'result',
  'where',
  'alarm',
].map((id) => document.getElementById(id))
/** What all views share. `settings` are the reader's choices, which outlast a view. */
const context = {
  report: undefined,
  samples: createSamples(),
  settings: { window: 'last5Minutes', process: '', sort: undefined, find: {} },
  confirm: createConfirmation(),
  announce: (text) => (result.textContent = text),
  pollNow: () => {},
}
let current

function showView({ isFirst = false } = {}) {
  current?.close?.()
  const route = routeOf(location.hash)
  current = VIEWS[route.view](context, route)
  main.replaceChildren(...current.elements)
  result.textContent = ''
  document.title = `${current.title} · model-cache inspector`
  for (const link of document.querySelectorAll('nav a')) {
    const isCurrent = routeOf(link.hash).view === route.view
    if (isCurrent) link.setAttribute('aria-current', 'page')
    else link.removeAttribute('aria-current')
  }
  if (context.report) current.update?.()
  if (isFirst) return
  const heading = main.querySelector('h1')
  heading.tabIndex = -1
  heading.focus()
  scrollTo(0, 0)
}

function showReport(report) {
  const before = context.report
  const wasReplaced =
    before && before.self !== report.self && !report.processes.some(({ id }) => id === before.self)
  context.report = report
  context.samples.add(report)
  if (wasReplaced)
    context.announce(`Another process answers now: ${processNames(report.processes).get(report.self)}.`)
  if (problem.textContent) problem.textContent = ''
  pulse.dataset.state = 'healthy'
  const { length } = report.processes
  pulse.firstElementChild.textContent = length === 1 ? '1 process' : `${length} processes`
  showWhere(report)
  showAlarm(noticesOf(report).filter(({ kind }) => kind === 'problem'))
  current.update?.()
}

/** Whose caches these are, so that nobody mends another environment. */
function showWhere({ processes, self }) {
  const { environment, stores } = processes.find(({ id }) => id === self)
  const parts = [
    ['Environment', environment ?? 'not named (NODE_ENV)'],
    ...stores.flatMap(({ address, database, kind, namespace, root }) => {
      const of = root === null ? '' : ` of ${root}`
      return [
        [`Namespace${of}`, namespace],
        [kind === 'valkey' ? `Valkey${of}` : `Store${of}`, address ?? kind],
        ...(database === null ? [] : [[`Database${of}`, database.replace(/^database /, '')]]),
      ]
    }),
  ]
  morph(
    where,
    parts.map(([name, value]) => element('li', {}, element('span', {}, `${name} `), element('b', {}, value))),
  )
}

/** The first problem in the header of every view. */
function showAlarm(problems) {
  const [first] = problems
  const more = problems.length > 1 ? `, and ${problems.length - 1} more` : ''
  const text = first ? `${first.short ?? 'Something needs attention'}${more}` : ''
  // It is read aloud whenever its text changes.
  if (alarm.textContent !== text) alarm.textContent = text
  alarm.hidden = !first
  document.querySelector('.bar').toggleAttribute('data-alarm', first !== undefined)
}

function showHistory(history) {
  context.samples.addPast(history)
  if (context.report) current.drawCharts?.()
}

function showProblem({ message }) {
  pulse.dataset.state = 'unhealthy'
  pulse.firstElementChild.textContent = 'no connection'
  const from = context.report ? ` The figures are those of ${formatTime(context.report.at)}.` : ''
  const text = `${message}${from} This page tries again every few seconds.`
  // An alert is read aloud whenever its text changes.
  if (problem.textContent !== text) problem.textContent = text
}

/** To the form of this view, or else to that of the overview. */
function goToFind() {
  const focus = () => main.querySelector('.find :is(select, input):not([hidden] *)')?.focus()
  if (main.querySelector('.find')) return focus()
  addEventListener('hashchange', focus, { once: true })
  location.hash = '#/'
}

document.getElementById('skip').addEventListener('click', (event) => {
  // The hash is the address of the view.
  event.preventDefault()
  main.focus()
})
connectThemeButton(document.getElementById('theme'), () => current?.redraw?.())
addEventListener('hashchange', () => showView())
showView({ isFirst: true })
addEventListener('keydown', (event) => {
  if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey)
    return
  event.preventDefault()
  goToFind()
})
context.pollNow = startPolling({
  onReport: showReport,
  onHistory: showHistory,
  onProblem: showProblem,
})
