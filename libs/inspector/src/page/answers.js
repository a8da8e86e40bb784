import { formatCount, formatDuration } from './kit/format.js'
import { describeWriter, MISS_REASONS, UNKNOWN_WRITES } from './words.js'

/**
 * Says in a sentence or two what would answer a read now, and why.
 *
 * @param report of a row or an entry; of a list that is bounded, with its `maxRows`
 * @param names of processes by their ids
 */
export function answerOf(report, names) {
  const { at, comparison, mayFill, processes, stored } = report
  const pending = processes.filter(({ isInvalidationPending }) => isInvalidationPending)
  if (pending.length > 0) {
    const who = pending.map(({ process }) => names.get(process)).join(', ')
    return `A read in ${who} goes to the database: an invalidation has not reached the store yet.`
  }
  const read = `${memoryOf(processes, names)} read`
  if (stored.isHit === null) {
    return `${read} goes to the database, because the store does not answer (${stored.error}).`
  }
  if (comparison?.outcome === 'outdated') {
    return `${read} finds the entry in the store, and loads it again: one of its rows no longer belongs to it, or has moved.`
  }
  if (stored.isHit) {
    const age = formatDuration(Date.parse(at) - Date.parse(stored.storedAt))
    const left = formatDuration(Date.parse(stored.expiresAt) - Date.parse(at))
    const what = thingOf(report)
    const answer = `${read} would be answered by the store: ${what} is ${age} old and expires in ${left}.`
    return answer + lastLoadOf(report, names)
  }
  if (report.guard === 'lease') return `${read} waits for the process that is loading it now.`
  const { sourceRows = null } = comparison ?? {}
  if (report.maxRows && sourceRows > report.maxRows) {
    return `${read} goes to the database. The list has ${formatCount(sourceRows)} rows, and is never stored with more than ${formatCount(report.maxRows)} (maxRows).`
  }
  const ending = mayFill ? '' : ' What is loaded is not stored, because this process may not store rows now.'
  return `${read} goes to the database. ${reasonOf(report, names)}${existenceOf(report)}${ending}`
}

/** What the database has instead. */
function existenceOf({ comparison, lookup }) {
  if (lookup === undefined) return comparison?.exists === false ? ' The database has no such row.' : ''
  const { sourceRows = null } = comparison ?? {}
  return sourceRows === null ? '' : ` The database has ${countOf(sourceRows)} for the key.`
}

const countOf = (rows) => (rows === 0 ? 'no rows' : rows === 1 ? '1 row' : `${formatCount(rows)} rows`)

/** Begins the sentence on a read. */
function memoryOf(processes, names) {
  const holding = processes.filter(({ l1 }) => l1?.isHeld && l1.isTrusted)
  if (holding.length === 0) return 'A'
  const who = holding.map(({ process }) => names.get(process)).join(', ')
  return `A read in ${who} would be answered by the memory of the process. In other processes, a`
}

function thingOf({ comparison, ids }) {
  if (ids) return `the entry, which names ${countOf(ids.length)},`
  const isNegative = comparison?.exists === false && comparison.outcome === 'same'
  return isNegative ? 'the entry that says that there is no such row' : 'the row'
}

/** Why it was last read from the database. */
function lastLoadOf({ at, processes }, names) {
  const [last] = newestFirst(processes, 'lastMiss')
  if (!last) return ''
  const { lastMiss, process } = last
  const ago = formatDuration(Date.parse(at) - Date.parse(lastMiss.at))
  return ` ${names.get(process)} last read it from the database ${ago} ago (${lastMiss.reason}).`
}

const newestFirst = (processes, key) =>
  processes
    .filter(({ [key]: event }) => event)
    .toSorted((one, other) => Date.parse(other[key].at) - Date.parse(one[key].at))

/** The last write explains a miss better than the empty place that it has left. */
function reasonOf({ at, guard, processes, stored: { reason } }, names) {
  if (guard === 'fences')
    return 'A write to it is under way, and nothing is stored until the write has ended.'
  const [unknown] = newestFirst(processes, 'lastUnknownWrite')
  if (reason === 'invalidated' && unknown) {
    const { lastUnknownWrite, process } = unknown
    const ago = formatDuration(Date.parse(at) - Date.parse(lastUnknownWrite.at))
    return `${ago} ago ${names.get(process)} ${UNKNOWN_WRITES[lastUnknownWrite.what]}.`
  }
  const [last] = newestFirst(processes, 'lastWrite')
  if (reason !== 'not_cached' || !last) return MISS_REASONS[reason] ?? `The reason is ${reason}.`
  const { lastWrite, process } = last
  const ago = formatDuration(Date.parse(at) - Date.parse(lastWrite.at))
  return `It was invalidated ${ago} ago by ${describeWriter(lastWrite.by, names.get(process))}, and has not been stored since.`
}
