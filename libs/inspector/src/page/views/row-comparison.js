import { element } from '../kit/element.js'
import { NONE, section, table } from './parts.js'

const OUTCOMES = {
  same: 'The stored row is that of the database.',
  notStored: 'There is no stored row to compare with that of the database.',
  changed:
    'The row was written or stored again while it was compared, so that a difference says nothing. Read it again.',
}

/** Says whether the stored row is that of the database. */
export function outcomeOf({ comparison }) {
  const { error, exists, fields, outcome } = comparison
  return element(
    'p',
    { class: 'outcome', 'data-outcome': outcome },
    sentenceOf(outcome, exists, error, fields),
  )
}

/** The stored row beside that of the database, field by field, those that differ first; nothing without either. */
export function comparisonOf({ comparison: { fields, outcome } }) {
  if (fields.length === 0) return []
  const isMasked = fields.some(({ source, stored }) => [source, stored].some(({ kind }) => kind === 'masked'))
  const hint = 'Hidden values are compared as well. The option show of the inspector shows them.'
  return [
    section(
      outcome === 'notStored' ? 'In the database' : 'Stored and database',
      isMasked ? element('p', { class: 'hint' }, hint) : [],
      fieldsTable(fields),
    ),
  ]
}

function sentenceOf(outcome, exists, error, fields) {
  const differing = fields.filter(({ isDifferent }) => isDifferent).map(({ name }) => name)
  if (outcome === 'failed') return `The comparison failed: ${error}.`
  if (exists === false && outcome !== 'different') {
    return outcome === 'same'
      ? 'The database has no such row, and the store says so.'
      : 'The database has no such row.'
  }
  if (outcome !== 'different') return OUTCOMES[outcome] ?? outcome
  const stale =
    'The stored row is stale: no process heard of a write, such as SQL outside Prisma that is not followed.'
  if (exists === false) return `The database has no such row any more. ${stale}`
  if (differing.length === 0) return `The database has a row that the store says does not exist. ${stale}`
  return `${differing.length} of ${fields.length} fields differ: ${differing.join(', ')}. ${stale}`
}

/** A value that both have is shown once. */
function fieldsTable(fields) {
  const inOrder = fields.toSorted((one, other) => Number(other.isDifferent) - Number(one.isDifferent))
  const isOneSided = fields.every(
    ({ source, stored }) => source.kind === 'absent' || stored.kind === 'absent',
  )
  return table({
    caption: 'The row, field by field',
    columns: ['Field', { title: 'Stored', isWide: true }, { title: 'Database', isWide: true }],
    rows: inOrder.map(({ isDifferent, name, source, stored }) => ({
      cells: [
        name,
        shown(stored),
        isDifferent || isOneSided ? shown(source) : element('span', { class: 'same' }, 'same'),
      ],
      attributes: { class: isDifferent ? 'different' : isOneSided ? 'one-sided' : 'equal' },
    })),
  })
}

function shown({ isCut, kind, text, type }) {
  if (kind === 'absent') return NONE
  if (kind === 'masked') return element('span', { class: 'masked' }, `hidden (${type})`)
  const value = element('span', { class: 'value' }, text === '' ? '(empty)' : text)
  return isCut ? [value, element('span', { class: 'masked' }, ' … (cut)')] : value
}
