import { checkResults } from './check-results.js'

const lot = { model: 'Lot', answered: 0, omitted: [], bypassed: [] }
const shape = {
  model: 'Lot',
  action: 'count',
  models: ['Lot'],
  length: 1,
  loadedAgoMs: 1,
  left: 0,
  refused: 0,
}
const queries = (counts: object, writes: number, kept = ['Lot']): object => ({
  composed: [],
  takesAnyRow: false,
  kept,
  models: [
    { ...lot, results: [{ ...shape, ...counts }], written: { count: writes, agoMs: 1 } },
    { ...lot, model: 'Tag', written: { count: 60, agoMs: 1 } },
  ],
})

it('finds that a file has no queries', () => {
  expect(checkResults({})).toEqual([expect.objectContaining({ id: 'results.queries', severity: 'error' })])
})

it('is content with results that are read', () => {
  expect(checkResults(queries({ count: 600, loads: 2 }, 1))).toEqual([
    { id: 'results.kept', severity: 'ok', found: 'Results of Lot are read more often than they end.' },
  ])
  expect(checkResults(queries({ count: 0, loads: 0 }, 1, []))).toEqual([])
})

it.each([
  [600, 470, 1, 'ok results.kept'],
  [600, 481, 1, 'note results.seldom'],
  [600, 600, 49, 'note results.seldom'],
  [1_000, 1_000, 499, 'note results.seldom'],
])(
  'says of %d reads of results, of which %d loaded one, with %d writes: %s',
  (count, loads, writes, expected) => {
    const findings = checkResults(queries({ count, loads }, writes))
    expect(findings.map(({ id, severity }) => `${severity} ${id}`)).toEqual([expected])
  },
)

it('says of results that are seldom found that writes are not the reason', () => {
  const [finding] = checkResults(queries({ count: 1_000, loads: 999 }, 3))
  expect(finding).toMatchObject({
    found: '999 of 1,000 results that read Lot were loaded, and writes to it are not the reason.',
    remedy: 'Give Lot a longer `ttl`, or take it out of `reads.results`.',
  })
})

it('does not know whether results pay that were seldom read', () => {
  const few = { id: 'results.few', severity: 'note' }
  expect(checkResults(queries({ count: 499, loads: 499 }, 499))).toEqual([
    expect.objectContaining({ ...few, found: 'Results of Lot were read fewer than 500 times.' }),
  ])
  expect(checkResults(queries({ count: 600, loads: 2 }, 1, ['Lot', 'User']))).toEqual([
    expect.objectContaining({ id: 'results.kept', severity: 'ok' }),
    expect.objectContaining({ ...few, found: 'Results of User were read fewer than 500 times.' }),
  ])
})

it('names what does not pay, and what to do', () => {
  const json = queries({ count: 1_000, loads: 950, refused: 500 }, 800, ['Lot', 'Tag'])
  expect(checkResults({ roots: [json] })).toEqual([
    expect.objectContaining({
      id: 'results.written',
      severity: 'warning',
      found: '950 of 1,000 results that read Lot were loaded: it was written 800 times.',
    }),
    expect.objectContaining({
      id: 'results.refused',
      found: '500 of 950 results of Lot.count(…) were not stored.',
    }),
    expect.objectContaining({ id: 'results.unread', severity: 'note' }),
  ])
})
