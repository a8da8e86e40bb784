import { answerOf } from '../answers.js'
import { findRow } from '../api.js'
import { cacheName } from '../processes.js'
import { cacheHref } from '../routes.js'
import { layersOf, namesIn, timeLineOf } from './layers.js'
import { heading, link } from './parts.js'
import { createReportView } from './report-view.js'
import { comparisonOf, outcomeOf } from './row-comparison.js'

/** One row: what would answer a read of it and why, and the stored row beside that of the database. */
export function createRowView(context, { cache, id }) {
  const name = cacheName(cache)
  return createReportView(context, {
    title: `${name} ${id}`,
    head: heading(`${name} ${id}`, 'A row of the cache ', link(cacheHref(cache), name), '.'),
    cache,
    target: { id },
    find: () => findRow(cache, id),
    show(report) {
      const names = namesIn(report)
      const history = [timeLineOf(report, names), layersOf(report, names)]
      const comparison = comparisonOf(report)
      // A difference is what one has come for.
      const isDifferent = report.comparison.outcome === 'different'
      return {
        answer: answerOf(report, names),
        content: [
          outcomeOf(report),
          ...(isDifferent ? [...comparison, ...history] : [...history, ...comparison]),
        ],
      }
    },
  })
}
