import { element } from '../kit/element.js'
import { formatBytes, formatDuration, formatMs } from '../kit/format.js'
import { morph } from '../kit/morph.js'
import { processNames } from '../processes.js'
import { describeChange, FOLLOW_STATES, silentNotices } from './notices.js'
import { heading, section, table } from './parts.js'

/** Every process that answers, and those that no longer do. */
export function createProcessesView(context) {
  const asking = () => element('p', { class: 'hint' }, 'Asking the processes …')
  const [all, silent, changes] = [asking, asking, asking].map((hint) => element('div', {}, hint()))
  return {
    title: 'Processes',
    elements: [
      heading('Processes', 'All processes with caches in the same namespace.'),
      section('Answering', all),
      section('Silent', silent),
      section('Changes of the store', changes),
    ],
    update() {
      const { report } = context
      const names = processNames(report.processes)
      morph(all, processesTable(report, names))
      morph(silent, silentList(report))
      morph(changes, changesTable(report, names))
    },
  }
}

function processesTable({ at, processes, self }, names) {
  return table({
    caption: 'Processes that answer',
    columns: ['Process', 'Running for', 'model-cache', 'Memory', 'Stores', 'Writes past Prisma', 'Warnings'],
    rows: processes.map((process) => [
      process.id === self ? `${names.get(process.id)}, which serves this page` : names.get(process.id),
      formatDuration(Date.parse(at) - Date.parse(process.startedAt)),
      process.version,
      formatBytes(process.rssBytes),
      process.stores.map(describeStore).join('; '),
      process.follow.map(describeFollow).join('; ') || 'not followed',
      process.warnings.join(' ') || 'none',
    ]),
    empty: 'No process has answered.',
  })
}

function describeStore({ kind, openCircuits: { reads, writes }, root }) {
  const state =
    reads > 0
      ? 'does not answer reads'
      : writes > 0
        ? 'does not take writes'
        : kind === 'memory'
          ? 'in memory'
          : 'available'
  return `${root === null ? '' : `${root}: `}${kind}, ${state}`
}

function describeFollow({ lagMs, root, state }) {
  const lag = lagMs === null ? '' : `, ${formatMs(lagMs)} behind`
  return `${root === null ? '' : `${root}: `}${FOLLOW_STATES[state] ?? state}${lag}`
}

function silentList(report) {
  const notices = silentNotices(report)
  if (notices.length === 0) return element('p', { class: 'hint' }, 'All processes of the last minute answer.')
  return element(
    'ul',
    { class: 'notices' },
    notices.map((notice) => element('li', {}, notice)),
  )
}

function changesTable({ at, processes }, names) {
  const changes = processes
    .flatMap(({ id, storeChanges }) => storeChanges.map((change) => ({ id, ...change })))
    .toSorted((one, other) => Date.parse(other.at) - Date.parse(one.at))
  return table({
    caption: 'When the store became unavailable or available, the latest first',
    columns: ['Process', 'What happened'],
    rows: changes.map(({ id, ...change }) => [names.get(id), describeChange(change, at)]),
    empty: 'The store has been available since the processes started.',
  })
}
