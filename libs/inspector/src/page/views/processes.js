import { element } from '../kit/element.js'
import { formatBytes, formatDuration } from '../kit/format.js'
import { morph } from '../kit/morph.js'
import { processNames } from '../processes.js'
import { describeChange, describeFollow, silentNotices } from '../notices.js'
import { noticeList } from './notices.js'
import { createOptionalSection, heading, section, table } from './parts.js'

/** Every process that answers, and those that no longer do. */
export function createProcessesView(context) {
  const head = heading('Processes', 'Asking the processes …')
  const lead = head.querySelector('.lead')
  const all = element('div', {})
  const silent = createOptionalSection('Silent')
  const changes = createOptionalSection('Changes of the store')
  return {
    title: 'Processes',
    elements: [head, silent.element, section('Answering', all), changes.element],
    update() {
      const { report } = context
      const names = processNames(report.processes)
      morph(lead, summaryOf(report))
      morph(all, processesTable(report, names))
      silent.show(silentList(report))
      changes.show(changesTable(report, names))
    },
  }
}

/** What the sections that have nothing to say would say. */
function summaryOf({ processes, silent }) {
  const parts = [
    'All processes with caches in the same namespace.',
    ...(silent.length === 0 ? ['All of the last minute answer.'] : []),
    ...(processes.every(({ storeChanges }) => storeChanges.length === 0)
      ? ['Their store has been available since they started.']
      : []),
  ]
  return parts.join(' ')
}

function processesTable({ at, processes, self }, names) {
  return table({
    caption: 'Processes that answer',
    columns: [
      'Process',
      'Running for',
      'model-cache',
      'Memory',
      { title: 'Stores', isWide: true },
      { title: 'Writes outside Prisma', isWide: true },
      { title: 'Warnings', isWide: true },
    ],
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

function silentList(report) {
  const notices = silentNotices(report).map((parts) => ({ kind: 'problem', parts }))
  return notices.length === 0 ? [] : noticeList(notices)
}

function changesTable({ at, processes }, names) {
  const changes = processes
    .flatMap(({ id, storeChanges }) => storeChanges.map((change) => ({ id, ...change })))
    .toSorted((one, other) => Date.parse(other.at) - Date.parse(one.at))
  if (changes.length === 0) return []
  return table({
    caption: 'When the store became unavailable or available, the latest first',
    columns: ['Process', { title: 'What happened', isWide: true, isPlain: true }],
    rows: changes.map(({ id, ...change }) => [names.get(id), describeChange(change, at)]),
  })
}
