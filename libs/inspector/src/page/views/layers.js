import { element } from '../kit/element.js'
import { formatCount } from '../kit/format.js'
import { silentNotices } from '../notices.js'
import { processNames } from '../processes.js'
import { rowHref } from '../routes.js'
import { describeWriter, explainGuard, MISS_REASONS, UNKNOWN_WRITES } from '../words.js'
import { noticeList } from './notices.js'
import { link, section, table, timeOf } from './parts.js'

/** What happened to a row or an entry, as far as the processes remember. */
export function timeLineOf(report, names) {
  return section('Time line', timeLine(report, names), silentOf(report))
}

/** What each layer has of a row or an entry, and what guards it. */
export function layersOf(report, names) {
  return section('Layers', layersTable(report, names))
}

/** Names of the processes of a row or an entry. */
export const namesIn = ({ processes, silent }) =>
  processNames([...processes.map(({ process, host, pid }) => ({ id: process, host, pid })), ...silent])

const STORED = 'It was stored.'

/** By how much clocks of servers may differ. */
const CLOCKS_MS = 50

function timeLine(report, names) {
  const { at, processes } = report
  // Newest first. The miss that has led to the stored value seems to be later where clocks differ a little.
  const timeOfEvent = ([time, what]) => Date.parse(time) + (what === STORED ? CLOCKS_MS : 0)
  const events = [
    ...storedEvents(report),
    ...processes.flatMap((process) => eventsIn(report, process, names)),
  ].toSorted((one, other) => timeOfEvent(other) - timeOfEvent(one))
  if (events.length === 0) {
    return element(
      'p',
      { class: 'hint' },
      'No process remembers a miss or a write: each remembers those of its last 1,000 rows, since its start.',
    )
  }
  return element(
    'ol',
    { class: 'time-line' },
    events.map(([time, ...what]) => element('li', {}, timeOf(time, at), element('p', {}, what))),
  )
}

function storedEvents({ lookup, processes, stored }) {
  if (!stored.isHit) return []
  const isUnknown = lookup === undefined && processes.every(({ lastMiss }) => !lastMiss)
  const unknownLoad = isUnknown
    ? ' No process remembers that a read missed it: it was loaded together with the entry of a lookup, or long ago.'
    : ''
  return [
    [stored.expiresAt, 'It expires in the store.'],
    [stored.storedAt, STORED, unknownLoad],
  ]
}

function eventsIn({ cache, id }, { lastMiss, lastUnknownWrite, lastWrite, process }, names) {
  const name = names.get(process)
  return [
    ...(lastWrite
      ? [
          [
            lastWrite.at,
            `It was invalidated by ${describeWriter(lastWrite.by, name)}.`,
            ...writtenRows(cache, id, lastWrite),
          ],
        ]
      : []),
    ...(lastUnknownWrite ? [[lastUnknownWrite.at, `${name} ${UNKNOWN_WRITES[lastUnknownWrite.what]}.`]] : []),
    ...(lastMiss
      ? [
          [
            lastMiss.at,
            `${name} read it from the database (`,
            element('code', {}, lastMiss.reason),
            `). ${MISS_REASONS[lastMiss.reason] ?? ''}`,
          ],
        ]
      : []),
  ]
}

/** The rows that the same write has changed, others than the row itself. */
function writtenRows(cache, id, { rowCount, rows }) {
  const others = rows.filter((row) => row !== id)
  if (others.length === 0) return []
  const total = rowCount - (rows.length - others.length)
  const more = total - others.length
  return [
    id === undefined ? ' The write changed ' : ' The same write changed ',
    ...others.flatMap((row, i) => [...(i > 0 ? [', '] : []), link(rowHref(cache, row), row)]),
    more > 0 ? ` and ${formatCount(more)} other rows.` : '.',
  ]
}

function silentOf(report) {
  if (report.silent.length === 0) return []
  const known = report.processes.map(({ process, host, pid }) => ({ id: process, host, pid }))
  const notices = silentNotices({ ...report, processes: known })
  return noticeList(notices.map((parts) => ({ kind: 'problem', parts })))
}

function layersTable({ guard, holders, key, epoch, processes, stored }, names) {
  const memory = processes
    .filter(({ l1 }) => l1)
    .map(({ l1, process }) => [
      `Memory of ${names.get(process)}`,
      `${l1.isHeld ? 'has it' : 'does not have it'}${l1.isTrusted ? '' : '; is not used, as it does not hear of writes'}`,
    ])
  const inStore =
    stored.isHit === null
      ? `does not answer: ${stored.error}`
      : stored.isHit
        ? `has it, ${formatCount(stored.bytes)} bytes`
        : [element('code', {}, stored.reason), ` ${MISS_REASONS[stored.reason] ?? ''}`]
  return table({
    caption: 'What each layer has',
    columns: ['Layer', { title: 'State', isWide: true, isPlain: true }],
    rows: [
      ...memory,
      ['Store', inStore],
      ['Key in the store', element('code', {}, key)],
      [
        'Guard',
        [explainGuard(guard), ...holders.map((holder) => element('code', { class: 'holder' }, holder))],
      ],
      ['Epoch', epoch === null ? 'none: no stored row counts now' : element('code', {}, epoch)],
    ],
  })
}
