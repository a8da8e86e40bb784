import { formatBytes, formatMs, formatRate, formatShare } from '../kit/format.js'

/** The columns of figures: how a cell reads, and the number by which rows are sorted. */
export const FIGURE_COLUMNS = [
  {
    key: 'hitRatio',
    title: 'Hit ratio',
    valueOf: ({ hitRatio }) => hitRatio,
    format: formatShare,
  },
  { key: 'reads', title: 'Reads/s', valueOf: ({ reads, seconds }) => reads / seconds, format: formatRate },
  { key: 'loads', title: 'Loads/s', valueOf: ({ loads, seconds }) => loads / seconds, format: formatRate },
  ...quantiles('hitMs', 'Hit', formatMs),
  ...quantiles('missMs', 'Miss', formatMs),
  ...quantiles('payloadBytes', 'Payload', formatBytes),
]

function quantiles(key, title, format) {
  return ['p50', 'p99'].map((quantile) => ({
    key: `${key}-${quantile}`,
    title: `${title} ${quantile}`,
    valueOf: ({ [key]: values }) => values?.[quantile] ?? null,
    format,
  }))
}

/** @param figures null without any */
export function figureCells(figures) {
  return FIGURE_COLUMNS.map(({ valueOf, format }) => {
    const value = figures && valueOf(figures)
    return value === null || Number.isNaN(value) ? '–' : format(value)
  })
}
