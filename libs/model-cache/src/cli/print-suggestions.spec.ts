import type { SuggestedAddition } from '../source/prisma/suggestions/describe-suggestions.js'
import { printSuggestions } from './print-suggestions.js'

const nothing = { total: 0, answered: 0, answeredThen: 0, anyRow: 0, definitions: [], rest: [] }
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
  query: 'findUnique({ where: { code: ? } })',
  writes: null,
  index: null,
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

  it('says what definitions would answer', () => {
    const definitions = [
      { model: 'Lot', cache: 'Lots', additions: [addition], lines: ['unique: {', "  code: 'code',", '},'] },
      { model: 'Bid', cache: null, additions: [], lines: [] },
    ]
    expect(
      printSuggestions({ ...nothing, total: 1_000, answered: 500, answeredThen: 600, definitions }),
    ).toEqual([
      '1,000 queries: caches answer 50.0 %, and 60.0 % with these definitions.',
      '',
      'Lot: in the definition of Lots',
      '  10.0 %  key code',
      '          such as findUnique({ where: { code: ? } })',
      '',
      '  unique: {',
      "    code: 'code',",
      '  },',
      '',
      'Bid: a new definition',
      '',
    ])
  })

  it('names the option for findFirst without an order', () => {
    expect(printSuggestions({ ...nothing, total: 8, anyRow: 1 }).slice(1)).toEqual([
      '',
      "12.5 % are findFirst without an order: `reads: { findFirst: 'any' }` answers those for which lists have several rows.",
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
