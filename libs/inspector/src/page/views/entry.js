import { answerOf } from '../answers.js'
import { findEntry } from '../api.js'
import { element } from '../kit/element.js'
import { describeLookup } from '../lookups.js'
import { cacheName, isSameCache } from '../processes.js'
import { cacheHref } from '../routes.js'
import { outcomeOf, rowsOf } from './entry-comparison.js'
import { layersOf, namesIn, timeLineOf } from './layers.js'
import { heading, link } from './parts.js'
import { createReportView } from './report-view.js'

/** The entry of a lookup: what would answer a read of it and why, the rows that it names, and what was written. */
export function createEntryView(context, { cache, lookup, key }) {
  const name = cacheName(cache)
  const title = `${name}.${lookup} ${shortKey(key)}`.trim()
  const definition = element('span', {})
  const lookupIn = ({ caches }) =>
    caches.find((other) => isSameCache(other, cache))?.lookups.find((other) => other.name === lookup)
  return createReportView(context, {
    title,
    head: heading(
      title,
      'An entry of a lookup of the cache ',
      link(cacheHref(cache), name),
      '. ',
      definition,
    ),
    cache,
    target: { lookup, key },
    find: () => findEntry(cache, lookup, key),
    update(all) {
      const known = lookupIn(all)
      definition.textContent = known ? describeLookup(known) : ''
    },
    show(report) {
      const names = namesIn(report)
      const history = [timeLineOf(report, names), layersOf(report, names)]
      const rows = rowsOf(report, names)
      const { maxRows } = (context.report && lookupIn(context.report)?.definition) ?? {}
      const isKept = report.comparison.outcome === 'same'
      return {
        answer: answerOf({ ...report, maxRows }, names),
        content: [outcomeOf(report), ...(isKept ? [...history, ...rows] : [...rows, ...history])],
      }
    },
  })
}

/** A key of several fields without the punctuation of JSON: `fundraiserId a1, lot D1`. */
function shortKey(key) {
  try {
    const fields = JSON.parse(key)
    if (typeof fields !== 'object' || fields === null) return key
    return Object.entries(fields)
      .map(([name, value]) => `${name} ${value}`)
      .join(', ')
  } catch {
    return key
  }
}
