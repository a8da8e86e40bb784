import { ApiError, findQueries } from '../api.js'
import { element } from '../kit/element.js'
import { formatCount, formatShare } from '../kit/format.js'
import { createOptionalSection, firstOf, table } from './parts.js'

/** Shapes that are shown. */
const MOST = 20

/** Which queries of a model went to the database, and what would answer them. Asked for once: the processes plan all of them for that. */
export function createQueryShapes({ root }) {
  const section = createOptionalSection('Queries that went to the database')
  let state = 'new'

  const load = async (model) => {
    if (state !== 'new') return
    state = 'loading'
    try {
      const { roots } = await findQueries()
      const found = roots.find((other) => other.root === root)
      if (state !== 'closed') section.show(found ? contentOf(found, model) : [])
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      if (state !== 'closed') section.show(element('p', { class: 'hint' }, error.message))
    }
  }
  return {
    element: section.element,
    load: (model) => void load(model),
    close: () => (state = 'closed'),
  }
}

function contentOf({ models, suggestions }, model) {
  const { answered, bypassed } = models.find((other) => other.model === model) ?? {
    answered: 0,
    bypassed: [],
  }
  if (bypassed.length === 0) return []
  const total = bypassed.reduce((sum, { count }) => sum + count, answered)
  const suggested = suggestions.definitions.find((other) => other.model === model)
  return [
    table({
      caption: `Queries without values, since the start, and why no cache answered them${firstOf(MOST, bypassed.length)}`,
      columns: [{ title: 'Query', isWide: true }, 'Why', 'Count', 'Share'],
      rows: bypassed
        .slice(0, MOST)
        .map(({ count, query, reason }) => [
          element('code', {}, query),
          element('code', {}, reason),
          formatCount(count),
          formatShare(count / total),
        ]),
    }),
    ...(suggested ? suggestedOf(suggested, suggestions.total) : []),
  ]
}

function suggestedOf({ additions, lines }, total) {
  return [
    table({
      caption: 'What would answer them, and the part of all queries that needs it',
      columns: ['Add', 'Needed by', { title: 'Fenced by', isWide: true }, { title: 'Index', isWide: true }],
      rows: additions.map(({ cautions, index, name, option, queries, writes }) => [
        [option === 'omit' ? `${name}, which the cache omits` : `${name} (${option})`, ...cautions].join(
          ': ',
        ),
        formatShare(queries / total),
        writes ?? 'no further writes',
        index ?? 'exists, or none is needed',
      ]),
    }),
    ...(lines.length > 0
      ? [
          element('p', {}, 'In the definition of the cache, if its lists are not too long:'),
          element('pre', { class: 'answer' }, lines.join('\n')),
        ]
      : []),
  ]
}
