import { element } from '../kit/element.js'
import { processNames } from '../processes.js'
import { describeWriter, explainGuard, MISS_REASONS } from '../words.js'
import { silentNotices } from './notices.js'
import { section, table, timeOf } from './parts.js'

/** What rows and entries have in common: the time line, the guards, and what the processes know. */
export function layersOf(report, names) {
  return [
    section('Time line', timeLine(report, names), silentOf(report)),
    section('Layers', layersTable(report, names)),
  ]
}

/** Names of the processes of a row or an entry. */
export const namesIn = ({ processes, silent }) =>
  processNames([...processes.map(({ process, host, pid }) => ({ id: process, host, pid })), ...silent])

function timeLine({ at, ids, processes, stored }, names) {
  const unknownLoad =
    ids === undefined && processes.every(({ lastMiss }) => !lastMiss)
      ? ' No process remembers that a read missed it: it was loaded together with the entry of a lookup, or long ago.'
      : ''
  const events = [
    ...(stored.isHit
      ? [
          [stored.expiresAt, 'It expires in the store.'],
          [stored.storedAt, `It was stored.${unknownLoad}`],
        ]
      : []),
    ...processes.flatMap(({ lastMiss, lastWrite, process }) => [
      ...(lastWrite
        ? [[lastWrite.at, `It was invalidated by ${describeWriter(lastWrite.by, names.get(process))}.`]]
        : []),
      ...(lastMiss
        ? [
            [
              lastMiss.at,
              `${names.get(process)} read it from the database (`,
              element('code', {}, lastMiss.reason),
              `). ${MISS_REASONS[lastMiss.reason] ?? ''}`,
            ],
          ]
        : []),
    ]),
  ].toSorted(([one], [other]) => Date.parse(other) - Date.parse(one))
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

function silentOf(report) {
  if (report.silent.length === 0) return []
  const known = report.processes.map(({ process, host, pid }) => ({ id: process, host, pid }))
  return element(
    'ul',
    { class: 'notices' },
    silentNotices({ ...report, processes: known }).map((notice) => element('li', {}, notice)),
  )
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
        ? `has it, ${stored.bytes} bytes`
        : [element('code', {}, stored.reason), ` ${MISS_REASONS[stored.reason] ?? ''}`]
  return table({
    caption: 'What each layer has',
    columns: ['Layer', 'State'],
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
