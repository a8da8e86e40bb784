import { element } from '../kit/element.js'
import { formatCount, formatRelative } from '../kit/format.js'
import { rowHref } from '../routes.js'
import { describeWriter, MISS_REASONS } from '../words.js'
import { button, link, NONE, section, table } from './parts.js'

/** Rows that are shown at first. */
const FIRST = 20

const STALE = 'It is stale: no process heard of a write, such as SQL outside Prisma that is not followed.'

/** Says whether the stored entry is that of the database. */
export function outcomeOf({ comparison }) {
  return element('p', { class: 'outcome', 'data-outcome': comparison.outcome }, sentenceOf(comparison))
}

function sentenceOf({ error, outcome, rows, sourceRows, storedRows }) {
  const [joined, left] = [
    rows.filter((row) => row.storedPlace === null).length,
    rows.filter((row) => row.sourcePlace === null).length,
  ]
  switch (outcome) {
    case 'same':
      return storedRows === 0
        ? 'The database has no row for the key, and the store says so.'
        : 'The stored entry is that of the database.'
    case 'notStored':
      return 'There is no stored entry to compare with that of the database.'
    case 'changed':
      return 'The entry was written or stored again while it was compared, so that a difference says nothing. Read it again.'
    case 'failed':
      return `The comparison failed: ${error}.`
    case 'outdated':
      return 'No read is answered with the stored entry: each checks the rows that it names, and loads it again.'
    default: {
      // Those that differ come first, so that others of them may be left out.
      const isAll = joined + left < rows.length || rows.length >= Math.max(sourceRows, storedRows)
      const least = isAll ? '' : 'at least '
      const parts = [
        ...(joined > 0 ? [`lacks ${least}${countOf(joined)} of the database`] : []),
        ...(left > 0 ? [`names ${least}${countOf(left)} that the database does not have for the key`] : []),
      ]
      return `The entry ${parts.join(', and ') || 'has its rows in another order than the database'}. ${STALE}`
    }
  }
}

/** The rows of the entry, as the store and the database have them; nothing without any. */
export function rowsOf(report, names) {
  const { cache, comparison, ids } = report
  const { outcome, rows, storedRows } = comparison
  // Without the database, the rows are those of the store.
  if (outcome === 'failed') return [section('Rows of the entry', idList(cache, ids ?? []))]
  if (rows.length === 0) return []
  const content = element('div', { class: 'stack' })
  const show = (shown) => {
    const more = button(`Show ${rows.length - shown.length} more`, () => {
      show(rows)
      // The button is gone.
      content.querySelector('.frame').focus()
    })
    content.replaceChildren(
      rowsTable(report, shown, names),
      ...(shown.length < rows.length ? [element('p', {}, more)] : []),
    )
  }
  show(rows.slice(0, FIRST))
  return [section(storedRows === null ? 'Rows in the database' : 'Rows of the entry', content)]
}

function rowsTable({ at, cache, comparison: { sourceRows, storedRows } }, rows, names) {
  const total = Math.max(sourceRows ?? 0, storedRows ?? 0)
  const isStored = storedRows !== null
  return table({
    caption:
      rows.length < total
        ? `${rows.length} of ${formatCount(total)} rows, those that differ first`
        : isStored
          ? 'The rows, as the entry and the database have them'
          : 'The rows of the key, as the database has them',
    columns: [
      'Row',
      ...(isStored ? [{ title: 'Place in the entry' }] : []),
      { title: 'In the database', isPlace: true },
      { title: 'Row in the store', isWide: true },
      { title: 'Last write', isWide: true },
    ],
    rows: rows.map(({ belongs, id, lastWrite, sourcePlace, stored, storedPlace }) => {
      const isDifferent = isStored && (storedPlace === null || sourcePlace === null || !belongs)
      const isBrief = !isDifferent && !lastWrite && stored.isHit
      return {
        cells: [
          link(rowHref(cache, id), id),
          ...(isStored ? [placeOf(storedPlace, 'not in it')] : []),
          placeOf(sourcePlace, 'not there'),
          [
            ...storedText(stored, at),
            ...(isStored && storedPlace !== null && !belongs
              ? [element('strong', { class: 'line' }, 'does not belong to the entry any more')]
              : []),
          ],
          lastWrite
            ? `${formatRelative(lastWrite.at, at)}, by ${describeWriter(lastWrite.by, names.get(lastWrite.process) ?? lastWrite.process)}`
            : NONE,
        ],
        attributes: { class: isDifferent ? 'different' : isBrief ? 'brief' : '' },
      }
    }),
  })
}

const countOf = (rows) => (rows === 1 ? '1 row' : `${formatCount(rows)} rows`)

const placeOf = (place, none) => (place === null ? element('strong', {}, none) : String(place))

function storedText({ isHit, expiresAt, reason, storedAt }, at) {
  if (!isHit) return [element('code', {}, reason), ` ${MISS_REASONS[reason] ?? ''}`]
  return [`stored ${formatRelative(storedAt, at)}, expires ${formatRelative(expiresAt, at)}`]
}

function idList(cache, ids) {
  if (ids.length === 0)
    return element('p', { class: 'hint' }, 'The store has no entry that a read would use.')
  return element(
    'ol',
    { class: 'ids' },
    ids.map((id) => element('li', {}, link(rowHref(cache, id), id))),
  )
}
