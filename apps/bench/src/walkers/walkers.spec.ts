import { compileWalk, DATES, trieOf, walkTrie, type Walk } from './walkers.ts'

const places = {
  at: 'date',
  'nested.amount': 'decimal',
  'list.__ARRAY__.at': 'date',
  'matrix.__ARRAY__.__ARRAY__': 'bigint',
}
const row = () => ({
  at: '2026-05-20T10:00:00.000Z',
  nested: { amount: '12.50', other: '2026-05-20T10:00:00.000Z' },
  list: [{ at: '2026-05-21T10:00:00.000Z' }, { at: null }],
  matrix: [['1', '2'], []],
})

describe.each(Object.entries(DATES))('walkers with %s', (_, revivers) => {
  const trie = trieOf(places, revivers)
  const walkers: [string, Walk][] = [
    ['trie', (value) => walkTrie(trie, value)],
    ['compiled', compileWalk(trie)],
  ]

  it.each(walkers)('the %s one brings back the declared places, and nothing else', (_name, walk) => {
    const walked = walk(row()) as ReturnType<typeof row>
    expect(walked.at).toEqual(new Date('2026-05-20T10:00:00.000Z'))
    expect(walked.nested.amount.toString()).toBe('12.5')
    expect(walked.nested.other).toBe('2026-05-20T10:00:00.000Z')
    expect(walked.list).toEqual([{ at: new Date('2026-05-21T10:00:00.000Z') }, { at: null }])
    expect(walked.matrix).toEqual([[1n, 2n], []])
  })

  it.each(walkers)('the %s one leaves what is not there', (_name, walk) => {
    expect(walk({ nested: null, list: [] })).toMatchObject({ nested: null, list: [] })
  })

  it('walks a row that is an array', () => {
    const rows = trieOf({ '__ARRAY__.at': 'date' }, revivers)
    for (const walk of [compileWalk(rows), (value: unknown) => walkTrie(rows, value)]) {
      expect(walk([{ at: '2026-05-20T10:00:00.000Z' }])).toEqual([
        { at: new Date('2026-05-20T10:00:00.000Z') },
      ])
    }
  })
})
