import {
  areSeldomFound,
  findResultFaults,
  leastReads,
  mergeQueries,
  queriesIn,
  type ResultFault,
} from '@model-cache/inspector/internal'
import type { ClientQueries } from 'model-cache/internal'
import { fault, type Finding, ok } from '../finding.js'

/**
 * Whether results of queries that clients keep pay.
 *
 * @param json an answer of the inspector about queries
 */
export function checkResults(json: unknown): readonly Finding[] {
  const all = queriesIn(json)
  if (all.length === 0)
    return [
      fault(
        'error',
        'results.queries',
        'The file of --queries has no queries.',
        'Whether results pay is unknown.',
        'Save the answer of GET <inspector>/api/v1/queries in it.',
      ),
    ]
  const queries = mergeQueries(all)
  const faults = findResultFaults(queries).map(findingOf)
  return faults.length > 0 ? faults : withoutFaults(queries)
}

/** That nothing is found of a model proves nothing before its results have been read often enough. */
function withoutFaults({ kept = [], models }: ClientQueries): readonly Finding[] {
  const shapes = models.flatMap(({ results = [] }) => results)
  const sumOf = (model: string, name: 'count' | 'loads'): number =>
    shapes.reduce((sum, shape) => sum + (shape.models.includes(model) ? shape[name] : 0), 0)
  const results = kept.map((model) => ({ model, reads: sumOf(model, 'count'), loads: sumOf(model, 'loads') }))
  const few = results.filter(({ reads }) => reads < leastReads)
  const seldom = results.filter(({ loads, reads }) => reads >= leastReads && areSeldomFound(reads, loads))
  const found = results.filter((each) => !few.includes(each) && !seldom.includes(each))
  return [
    ...(found.length > 0
      ? [ok('results.kept', `Results of ${namesOf(found)} are read more often than they end.`)]
      : []),
    ...seldom.map(({ loads, model, reads }) =>
      fault(
        'note',
        'results.seldom',
        `${countText(loads)} of ${countText(reads)} results that read ${model} were loaded, and writes to it are not the reason.`,
        'Few of its queries are sent again with the same values while their result lives, or writes to other models that they read end it.',
        `Give ${model} a longer \`ttl\`, or take it out of \`reads.results\`.`,
      ),
    ),
    ...(few.length > 0
      ? [
          fault(
            'note',
            'results.few',
            `Results of ${namesOf(few)} were read fewer than ${leastReads} times.`,
            'Whether they pay is unknown.',
            'Save the answer of GET <inspector>/api/v1/queries again once there were more queries.',
          ),
        ]
      : []),
  ]
}

const namesOf = (some: readonly { readonly model: string }[]): string =>
  some.map(({ model }) => model).join(', ')

const countText = (n: number): string => n.toLocaleString('en')

function findingOf(found: ResultFault): Finding {
  switch (found.kind) {
    case 'written_often':
      return fault(
        'warning',
        'results.written',
        `${countText(found.loads)} of ${countText(found.reads)} results that read ${found.model} were loaded: it was written ${countText(found.writes)} times.`,
        'Each write ends all results that read the model, so they are seldom read again, and each read and write costs more than without.',
        `Have them end by the values of a field (\`by\`), or take ${found.model} out of \`reads.results\`, and declare lists for its queries: npx model-cache suggest`,
      )
    case 'refused':
      return fault(
        'warning',
        'results.refused',
        `${countText(found.refused)} of ${countText(found.loads)} results of ${found.model}.${found.query} were not stored.`,
        'They are too large, or have a value that cannot be read again. Each of these queries goes to the database.',
        'Ask for fewer rows or fields: `take`, `select`.',
      )
    case 'unread':
      return fault(
        'note',
        'results.unread',
        `No result reads ${found.model}, which is listed in \`reads.results\` and was written ${countText(found.writes)} times.`,
        'Each write renews the register of its results, which is one round trip, for nothing.',
        `Take ${found.model} out of \`reads.results\`.`,
      )
  }
}
