import type { SuggestedAddition } from '@model-cache/inspector/internal'
import { printSuggestions } from './print-suggestions.js'

const nothing = {
  total: 0,
  answered: 0,
  answeredThen: 0,
  anyRow: 0,
  definitions: [],
  results: { queries: 0, joined: 0, models: [], writtenOften: [], lines: [] },
  rest: [],
}
const rest = (count: number) =>
  Array.from({ length: count }, (_, i) => ({
    model: 'Lot',
    reason: 'condition',
    queries: count - i,
    query: `findMany(${i})`,
  }))

const addition: SuggestedAddition = {
  option: 'unique',
  name: 'code',
  value: 'code',
  queries: 100,
  perhaps: 0,
  query: 'findUnique({ where: { code: ? } })',
  writes: null,
  index: null,
  cautions: [],
}

describe('printSuggestions', () => {
  it('says that no definition answers more', () => {
    expect(printSuggestions({ ...nothing, total: 2_000, answered: 1_999 })).toEqual([
      '2,000 queries: caches answer 100.0 %. No further definition answers others.',
    ])
    expect(printSuggestions(nothing)).toEqual([
      '0 queries: caches answer 0.0 %. No further definition answers others.',
    ])
  })

  it('prints the option for results, and the models that are written too often', () => {
    const bid = { model: 'Bid', queries: 20, writes: 1_900, query: 'Bid.count()' }
    const models = [{ model: 'Lot', queries: 40, writes: 3, query: 'Lot.count()' }]
    const lines = ['results: {', "  Lot: '10m',", '},']
    const results = { queries: 40, joined: 0, models, writtenOften: [bid], lines }
    expect(printSuggestions({ ...nothing, total: 100, results }).slice(1)).toEqual([
      '',
      '40.0 % more would be answered by results of the same queries, until a model that they read is written. In `reads`:',
      '  40.0 %  Lot, written 3 times',
      '',
      '  results: {',
      "    Lot: '10m',",
      '  },',
      '',
      'Written too often for results, unless they end by the values of a field (`by`):',
      '  20.0 %  Bid, written 1,900 times',
    ])
    const cheaper = { ...results, queries: 0, joined: 30, writtenOften: [] }
    expect(printSuggestions({ ...nothing, total: 100, results: cheaper })[2]).toBe(
      '30.0 % put rows of several lookups together, and would be answered for less by results of the same queries. In `reads`:',
    )
  })

  it('says that no definition answers more where a cache omits what queries ask for', () => {
    const omitted: SuggestedAddition = { ...addition, option: 'omit', name: 'secret' }
    const definitions = [{ model: 'Lot', cache: 'Lot', additions: [omitted], lines: [] }]
    expect(
      printSuggestions({ ...nothing, total: 1_000, answered: 500, answeredThen: 500, definitions }),
    ).toEqual([
      '1,000 queries: caches answer 50.0 %. No further definition answers others.',
      '',
      'Lot: in the definition of Lot',
      '  10.0 %  field secret, which the cache omits',
      '          such as findUnique({ where: { code: ? } })',
      '          omit it in such queries, or take it out of `omit` if it is no secret',
      '',
    ])
  })

  it('says what to mind of a list, and for which queries it depends on its rows', () => {
    const list: SuggestedAddition = {
      ...addition,
      option: 'lists',
      name: 'ofTeam',
      perhaps: 50,
      cautions: ['long'],
    }
    const definitions = [{ model: 'Lot', cache: 'Lot', additions: [list], lines: [] }]
    expect(printSuggestions({ ...nothing, total: 1_000, definitions }).slice(3, -1)).toEqual([
      '  10.0 %  list ofTeam',
      '          such as findUnique({ where: { code: ? } })',
      '          and 5.0 % more where lists are short: these take some of the rows without an order',
      '          mind: long',
    ])
  })

  it('names the option for findFirst without an order', () => {
    expect(printSuggestions({ ...nothing, total: 8, anyRow: 1 }).slice(1)).toEqual([
      '',
      "12.5 % more are findFirst without an order: with `reads: { findFirst: 'any' }`, they are answered as well.",
    ])
  })

  it.each([
    [1, 1, []],
    [10, 10, []],
    [11, 10, ['  … and 1 more; --json has them all.']],
    [30, 10, ['  … and 20 more; --json has them all.']],
  ])('shows ten queries at most, of %i', (count, shown, more) => {
    const [, empty, title, ...lines] = printSuggestions({ ...nothing, total: 100, rest: rest(count) })
    expect([empty, title]).toEqual(['', 'What still goes to the database, the most frequent first:'])
    expect(lines).toEqual([
      ...rest(count)
        .slice(0, shown)
        .map(({ queries, query }) => `${`${queries}.0 %`.padStart(8)}  condition: Lot.${query}`),
      ...more,
    ])
  })
})
