import { element } from '../kit/element.js'
import { formatBytesWithin, formatMsWithin, formatRate, formatShare } from '../kit/format.js'
import { bypassesOf } from '../queries.js'
import { NONE } from './parts.js'

/**
 * The columns of figures: the number by which rows are sorted, null without one, and how a cell reads.
 *
 * @typedef {{ key: string, title: string, valueOf(figures): number | null, cellOf(figures): Node | string, isMinor?: boolean }} Column
 */
export const FIGURE_COLUMNS = [
  column('hitRatio', 'Hit ratio', ({ hitRatio }) => hitRatio, formatShare),
  column('reads', 'Reads/s', ({ reads, seconds }) => perSecond(reads, seconds), formatRate),
  column('loads', 'Loads/s', ({ loads, seconds }) => perSecond(loads, seconds), formatRate),
  quantiles('hitMs', 'Hit p50, p99', formatMsWithin),
  quantiles('missMs', 'Miss p50, p99', formatMsWithin),
  { ...quantiles('payloadBytes', 'Payload p50, p99', formatBytesWithin), isMinor: true },
]

/** Which part of the queries of Prisma the database answered, and the most frequent reason. */
export const BYPASS_COLUMN = {
  key: 'bypassed',
  title: 'Queries bypassed',
  isHalf: true,
  valueOf: ({ queries }) => bypassesOf(queries)?.share ?? null,
  cellOf({ queries }) {
    const { reasons, share } = bypassesOf(queries)
    if (reasons.length === 0) return formatShare(share)
    return [`${formatShare(share)} `, element('span', { class: 'because' }, reasons[0].reason)]
  },
}

function column(key, title, valueOf, format) {
  return { key, title, valueOf, cellOf: (figures) => format(valueOf(figures)) }
}

/** Sorted by the 99th percentile. */
function quantiles(key, title, format) {
  return {
    key,
    title,
    isHalf: true,
    valueOf: ({ [key]: values }) => values?.p99 ?? null,
    cellOf({ [key]: { p50, p50Within, p99, p99Within } }) {
      const [median, high] = [format(p50, p50Within), format(p99, p99Within)]
      return median === high && median.startsWith('<') ? median : `${median}, ${high}`
    },
  }
}

/** Without reads there is no rate to speak of. */
const perSecond = (count, seconds) => (seconds > 0 ? count / seconds : null)

/** @param figures null without any */
export function figureCells(columns, figures) {
  return columns.map(({ cellOf, valueOf }) => (figures && valueOf(figures) !== null ? cellOf(figures) : NONE))
}
