import { answerOf } from '../answers.js'
import { findEntry } from '../api.js'
import { element } from '../kit/element.js'
import { cacheName } from '../processes.js'
import { cacheHref, rowHref } from '../routes.js'
import { layersOf, namesIn } from './layers.js'
import { heading, link, section } from './parts.js'
import { createReportView } from './report-view.js'

/** The entry of a lookup: what would answer a read of it and why, and the rows that it names. */
export function createEntryView(context, { cache, lookup, key }) {
  const name = cacheName(cache)
  const title = `${name}.${lookup} ${key}`.trim()
  return createReportView(context, {
    title,
    head: heading(title, 'An entry of a lookup of the cache ', link(cacheHref(cache), name), '.'),
    cache,
    target: { lookup, key },
    find: () => findEntry(cache, lookup, key),
    show(report) {
      const names = namesIn(report)
      return {
        answer: answerOf(report, names),
        content: [section('Rows of the entry', rowsOf(cache, report)), ...layersOf(report, names)],
      }
    },
  })
}

function rowsOf(cache, { ids }) {
  if (ids === null) return element('p', { class: 'hint' }, 'The store has no entry that a read would use.')
  if (ids.length === 0) return element('p', { class: 'hint' }, 'The entry names no rows: the list is empty.')
  return element(
    'ol',
    { class: 'ids' },
    ids.map((id) => element('li', {}, link(rowHref(cache, id), id))),
  )
}
