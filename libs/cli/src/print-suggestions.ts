import type { SuggestedAddition, SuggestionsReport } from '@model-cache/inspector/internal'

/** Queries that are shown of those that no definition answers. */
const maxRest = 10

/** What people read of suggestions, line by line. */
export function printSuggestions({
  answered,
  answeredThen,
  anyRow,
  definitions,
  rest,
  results,
  total,
}: SuggestionsReport): readonly string[] {
  const share = (queries: number): string => `${((100 * queries) / Math.max(1, total)).toFixed(1)} %`
  const gain = definitions.some(({ lines }) => lines.length > 0)
    ? `, and ${share(answeredThen)} with these definitions`
    : '. No further definition answers others'
  return [
    `${total.toLocaleString('en')} queries: caches answer ${share(answered)}${gain}.`,
    ...(anyRow > 0
      ? [
          '',
          `${share(anyRow)} more are findFirst without an order: with \`reads: { findFirst: 'any' }\`, they are answered as well.`,
        ]
      : []),
    ...definitions.flatMap(({ additions, cache, lines, model }) => [
      '',
      cache === null ? `${model}: a new definition` : `${model}: in the definition of ${cache}`,
      ...additions.flatMap((addition) => additionLines(addition, share)),
      '',
      ...lines.map((line) => `  ${line}`),
    ]),
    ...resultLines(results, share),
    ...(rest.length > 0 ? ['', 'What still goes to the database, the most frequent first:'] : []),
    ...rest
      .slice(0, maxRest)
      .map(
        ({ model, queries, query, reason }) =>
          `  ${share(queries).padStart(6)}  ${reason}: ${model}.${query}`,
      ),
    ...(rest.length > maxRest ? [`  … and ${rest.length - maxRest} more; --json has them all.`] : []),
  ]
}

/** What results of whole queries would add, and what they would answer for less. */
function resultLines(
  { joined, lines, models, queries, writtenOften }: SuggestionsReport['results'],
  share: (queries: number) => string,
): readonly string[] {
  const modelLine = ({ model, queries: own, writes }: (typeof models)[number]): string =>
    `  ${share(own).padStart(6)}  ${model}, written ${writes.toLocaleString('en')} times`
  const gains = [
    ...(joined > 0
      ? [
          `${share(joined)} put rows of several lookups together, and would be answered for less by results of the same queries.`,
        ]
      : []),
    ...(queries > 0
      ? [
          `${share(queries)} more would be answered by results of the same queries, until a model that they read is written.`,
        ]
      : []),
  ]
  return [
    ...(lines.length > 0
      ? [
          '',
          ...gains.slice(0, -1),
          `${gains.at(-1)} In \`reads\`:`,
          ...models.map(modelLine),
          '',
          ...lines.map((line) => `  ${line}`),
        ]
      : []),
    ...(writtenOften.length > 0
      ? [
          '',
          'Written too often for results, unless they end by the values of a field (`by`):',
          ...writtenOften.map(modelLine),
        ]
      : []),
  ]
}

function additionLines(
  { cautions, index, name, option, perhaps, queries, query, value, writes }: SuggestedAddition,
  share: (queries: number) => string,
): readonly string[] {
  const what = {
    unique: `key ${name}`,
    lists: `list ${name}`,
    omit: `field ${name}, which the cache omits`,
    definition: 'the cache',
  }
  return [
    `  ${share(queries).padStart(6)}  ${what[option]}`,
    `          such as ${query}`,
    ...(option === 'omit'
      ? ['          omit it in such queries, or take it out of `omit` if it is no secret']
      : []),
    ...(perhaps > 0
      ? [
          `          and ${share(perhaps)} more where lists are short: these take some of the rows without an order`,
        ]
      : []),
    ...(writes === null ? [] : [`          fenced by ${writes}`]),
    ...(Object(value).fold
      ? [
          '          with `caseSensitive: true` instead of `fold` if the collation of the column distinguishes case',
        ]
      : []),
    ...(index === null ? [] : [`          needs ${index} in the Prisma schema`]),
    ...cautions.map((caution) => `          mind: ${caution}`),
  ]
}
