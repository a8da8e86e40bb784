import type { ClientQueries, ResultCounts } from 'model-cache/internal'
import { findResultFaults } from './find-result-faults.js'

const shape = (models: readonly string[], counts: Partial<ResultCounts>): ResultCounts => ({
  model: models[0]!,
  action: 'findMany',
  models,
  count: 1_000,
  loads: 10,
  left: 0,
  refused: 0,
  length: 9,
  loadedAgoMs: 9,
  ...counts,
})

function queries(
  results: readonly ResultCounts[],
  writes: Readonly<Record<string, number>> = {},
  kept: readonly string[] = [],
): ClientQueries {
  const others = Object.entries(writes).map(([model, count]) => ({ model, written: { count, agoMs: 1 } }))
  const models = [{ model: 'Any', results }, ...others].map((each) => ({
    answered: 0,
    omitted: [],
    bypassed: [],
    ...each,
  }))
  return { composed: [], takesAnyRow: false, kept, models }
}

it('finds none where results are read, nor without results', () => {
  expect(findResultFaults(queries([shape(['Lot'], {})], { Lot: 90 }, ['Lot']))).toEqual([])
  expect(findResultFaults({ composed: [], takesAnyRow: false, models: [] })).toEqual([])
})

it('finds the model whose writes end results, and not another one', () => {
  const often = shape(['Lot', 'Category'], { loads: 900 })
  expect(findResultFaults(queries([often], { Lot: 700, Category: 60 }))).toEqual([
    { kind: 'written_often', model: 'Lot', reads: 1_000, loads: 900, writes: 700 },
  ])
  expect(findResultFaults(queries([{ ...often, count: 499, loads: 450 }], { Lot: 700 }))).toEqual([])
  expect(findResultFaults(queries([{ ...often, loads: 790 }], { Lot: 700 }))).toEqual([])
})

it('finds queries whose results are not stored', () => {
  const large = shape(['Lot'], { loads: 100, refused: 50 })
  const expected = { kind: 'refused', model: 'Lot', loads: 100, refused: 50 }
  expect(findResultFaults(queries([large]))).toEqual([{ ...expected, query: 'findMany(…)' }])
  expect(findResultFaults(queries([{ ...large, args: { take: 5 } }]))).toEqual([
    { ...expected, query: 'findMany({ take: 5 })' },
  ])
  expect(findResultFaults(queries([{ ...large, loads: 101 }]))).toEqual([])
})

it('finds listed models that are written, and that no result reads', () => {
  const results = [shape(['Lot'], {})]
  expect(findResultFaults(queries(results, { Tag: 50, User: 49 }, ['Tag', 'User', 'Lot']))).toEqual([
    { kind: 'unread', model: 'Tag', writes: 50 },
  ])
  expect(findResultFaults(queries([], { Tag: 50 }, ['Tag']))).toEqual([])
})
