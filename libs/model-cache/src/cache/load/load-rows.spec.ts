import { createKeySpace } from '../../protocol/index.js'
import { LoadContractError } from '../../errors.js'
import type { Source } from '../../source/source.js'
import { loadRows } from './load-rows.js'

interface Lot {
  readonly id: string
}

const keys = createKeySpace<Lot, string>({
  namespace: 'mc',
  name: 'Lot',
  buckets: 1,
  id: [{ name: 'id', kind: 'string' }],
  fingerprint: 'print',
})
const lot = (id: string): Lot => ({ id })
const numbered = (count: number): string[] => Array.from({ length: count }, (_, i) => `lot-${i}`)

/** Loads ids with a function, and records its calls. */
async function load(
  ids: readonly string[],
  rowsOf: (ids: readonly string[]) => unknown,
  options: Partial<Source<Lot, string>> = {},
) {
  const calls: (readonly string[])[] = []
  const source: Source<Lot, string> = {
    load: async (asked) => {
      calls.push(asked)
      return rowsOf(asked) as Lot[]
    },
    mayBlameOneId: () => true,
    ...options,
  }
  const outcomes = await loadRows(
    { name: 'Lot', keys, source },
    ids.map((id) => ({ id, rowId: keys.toRowId(id) })),
  )
  const shown = outcomes.map((outcome) => ('error' in outcome ? outcome.error : (outcome.row?.id ?? null)))
  return { calls, outcomes: shown }
}

/** A source that fails if one of these ids is among those of a call. */
const damaged =
  (bad: readonly string[]) =>
  (ids: readonly string[]): Lot[] => {
    if (ids.some((id) => bad.includes(id))) throw new Error('damaged')
    return ids.map(lot)
  }
const failure = expect.objectContaining({ message: 'damaged' }) as unknown
const broken = expect.any(LoadContractError) as unknown

describe('a load that fails', () => {
  it('is repeated in halves, so that only damaged rows fail', async () => {
    const { outcomes } = await load(numbered(4), damaged(['lot-0', 'lot-3']))
    expect(outcomes).toEqual([failure, 'lot-1', 'lot-2', failure])
  })

  it('is repeated no more often than finds a dozen damaged rows', async () => {
    const ids = numbered(1_000)
    const { calls, outcomes } = await load(ids, damaged(ids.filter((_, i) => i % 2 === 1)))
    expect(calls).toHaveLength(1 + 12 * 10)
    expect(outcomes[0]).toBe('lot-0')
    expect(outcomes.at(-2)).toEqual(failure)
  })

  it('is not repeated in halves once three rows have failed alone, and none has been loaded', async () => {
    const ids = numbered(64)
    const { calls, outcomes } = await load(ids, damaged(ids))
    expect(calls.length).toBeLessThan(20)
    expect(outcomes).toEqual(ids.map(() => failure))
  })

  it('is repeated in halves although three rows have failed alone, once others have been loaded', async () => {
    const ids = numbered(16)
    const bad = ['lot-8', 'lot-9', 'lot-10', 'lot-12']
    const { outcomes } = await load(ids, damaged(bad))
    expect(outcomes).toEqual(ids.map((id) => (bad.includes(id) ? failure : id)))
  })

  it.each([
    ['says that no single id is the cause', () => false],
    [
      'cannot judge its error',
      () => {
        throw new Error('not judged')
      },
    ],
  ])('is not repeated if the source %s', async (_, mayBlameOneId) => {
    const { calls, outcomes } = await load(['a', 'b'], damaged(['a']), { mayBlameOneId })
    expect(calls).toHaveLength(1)
    expect(outcomes).toEqual([failure, failure])
  })
})

describe('a source that breaks its contract', () => {
  it.each([
    ['no array', { length: 0 }],
    ['null for a row that does not exist', [lot('a'), null]],
    ['undefined for a row that does not exist', [lot('a'), undefined]],
    ['ids in place of rows', ['a', 'b']],
    ['a function in place of a row', [() => lot('a')]],
  ])('fails its load: %s', async (_, rows) => {
    const { outcomes } = await load(['a', 'b'], () => rows)
    expect(outcomes).toEqual([broken, broken])
  })

  it('fails the id that it gives two rows for, requested or not', async () => {
    expect((await load(['a', 'b'], () => [lot('a'), lot('a'), lot('b')])).outcomes).toEqual([broken, 'b'])
    expect((await load(['a', 'b'], () => [lot('x'), lot('x'), lot('b')])).outcomes).toEqual([broken, 'b'])
  })

  it('fails the ids without a row if one of its rows resembles none of them', async () => {
    expect((await load(['a', 'b'], () => [lot('a'), lot('x')])).outcomes).toEqual(['a', broken])
  })
})

/** Rows as a database compares their ids that ignores case and trailing spaces. */
const ignoringCase =
  (...stored: readonly string[]) =>
  (ids: readonly string[]): Lot[] =>
    stored
      .filter((id) => ids.some((asked) => asked.trimEnd().toLowerCase() === id.toLowerCase()))
      .map((id) => lot(id))

describe('an id in another spelling than the stored one', () => {
  it('gets its row, even if the source takes all ids for canonical', async () => {
    const isCanonical = () => true
    const { calls, outcomes } = await load(['A', 'b'], ignoringCase('a', 'b'), { isCanonical })
    expect(outcomes).toEqual(['a', 'b'])
    expect(calls).toHaveLength(1)
  })

  it('gets its row by a call of its own if several ids have that spelling', async () => {
    const { calls, outcomes } = await load(['A', 'A ', 'b'], ignoringCase('a'))
    expect(outcomes).toEqual(['a', 'a', null])
    expect(calls.slice(1).toSorted()).toEqual([['A'], ['A ']])
  })

  it('gets its row by a call of its own if the row of another id of that spelling came, too', async () => {
    const rowsOf = (ids: readonly string[]) =>
      ids.length > 1 ? [lot('a'), lot('á')] : ids[0] === 'A' ? [lot('á')] : []
    const { calls, outcomes } = await load(['a', 'A'], rowsOf)
    expect(outcomes).toEqual(['a', 'á'])
    expect(calls).toEqual([['a', 'A'], ['A']])
  })

  it('is not asked for again if the source knows that it is canonical', async () => {
    const { calls, outcomes } = await load(['a', 'A'], () => [lot('a')], { isCanonical: () => true })
    expect(outcomes).toEqual(['a', null])
    expect(calls).toHaveLength(1)
  })

  it('fails, after a few calls, if several rows come for it', async () => {
    const { calls, outcomes } = await load(['A'], () => [lot('a'), lot('á')])
    expect(outcomes).toEqual([broken])
    expect(calls).toHaveLength(1 + 12)
  })
})
