import { ApiError, findQueries } from '../api.js'
import { element } from '../kit/element.js'
import { formatBytes, formatCount, formatDuration, formatShare } from '../kit/format.js'
import { resultsOf, shareWithoutSql } from '../results.js'
import { noticeList } from './notices.js'
import { button, firstOf, heading, NONE, section, table } from './parts.js'

/** Queries that are shown. */
const MOST = 50

/** Results of queries, by model and by query. It asks when it opens, and when the reader wants it again: processes plan queries for that. */
export function createResultsView() {
  const head = heading(
    'Results',
    'Results of whole queries, which count until one of the models that they read is written. Counted since the processes started.',
  )
  const content = element(
    'div',
    { class: 'stack' },
    element('p', { class: 'hint' }, 'Asking the processes …'),
  )
  let isOpen = true

  const load = async () => {
    content.setAttribute('aria-busy', 'true')
    let shown
    try {
      const { roots } = await findQueries()
      shown = contentOf(resultsOf(roots))
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      shown = [element('p', { class: 'hint' }, error.message)]
    }
    if (!isOpen) return
    content.removeAttribute('aria-busy')
    content.replaceChildren(...shown)
  }
  void load()
  return {
    title: 'Results',
    elements: [head, element('div', { class: 'controls' }, button('Read again', load)), content],
    close: () => (isOpen = false),
  }
}

function contentOf(roots) {
  if (roots.length === 0)
    return [element('p', { class: 'hint' }, 'No client keeps results: reads.results lists no models.')]
  return roots.flatMap(({ faults, models, queries, root }) => {
    const of = root === null ? '' : ` of ${root}`
    return [
      ...(faults.length > 0
        ? [
            section(
              `Needs attention${of}`,
              noticeList(faults.map((text) => ({ kind: 'advice', parts: [text] }))),
            ),
          ]
        : []),
      section(`Models${of}`, modelsTable(models, of)),
      section(`Queries${of}`, queriesTable(queries, of)),
    ]
  })
}

function modelsTable(models, of) {
  return table({
    caption: `Results by the models that they read${of}`,
    columns: [
      'Model',
      { title: 'Reads', isHalf: true },
      { title: 'Without SQL', isHalf: true },
      { title: 'Writes', isHalf: true },
      { title: 'Last write', isHalf: true },
      { title: 'Kept by', isMinor: true },
    ],
    rows: models.map(({ isListed, model, written, ...counts }) => [
      model,
      formatCount(counts.count),
      shareOf(counts),
      formatCount(written?.count ?? 0),
      written ? agoOf(written.agoMs) : NONE,
      isListed ? 'reads.results' : 'cached',
    ]),
  })
}

function queriesTable(queries, of) {
  return table({
    caption: `Queries without values${of}, the most frequent first${firstOf(MOST, queries.length)}`,
    columns: [
      { title: 'Query' },
      { title: 'Reads', isHalf: true },
      { title: 'Without SQL', isHalf: true },
      { title: 'Loads', isHalf: true },
      { title: 'Not looked for', isMinor: true },
      { title: 'Last result', isHalf: true },
      { title: 'Size', isHalf: true },
      { title: 'Ended by', isHalf: true },
    ],
    rows: queries
      .slice(0, MOST)
      .map(({ endedBy, left, length, loadedAgoMs, model, query, refused, ...counts }) => [
        element('code', {}, `${model}.${query}`),
        formatCount(counts.count),
        shareOf(counts),
        refused === 0
          ? formatCount(counts.loads)
          : `${formatCount(counts.loads)}, ${formatCount(refused)} not stored`,
        formatCount(left),
        loadedAgoMs === null ? NONE : agoOf(loadedAgoMs),
        length === null ? NONE : formatBytes(length),
        endedBy ? `${endedBy.model}, ${agoOf(endedBy.agoMs)}` : 'no write yet',
      ]),
    empty: 'No query has been answered by a result yet.',
  })
}

function shareOf(counts) {
  const share = shareWithoutSql(counts)
  return share === null ? NONE : formatShare(share)
}

const agoOf = (ms) => `${formatDuration(ms)} ago`
