import { createNotFoundBudgets, NotFoundBudget } from './not-found-budget.js'

const key = 'k'.repeat(300)
const payload = 'p'.repeat(444)

it('allows so many bytes of keys, payloads and overhead in a window', () => {
  const budget = new NotFoundBudget(3_000, 100)
  const taken = [1, 2, 3, 4].map((ms) => budget.take(key, payload, ms))
  expect(taken).toEqual([true, true, true, false])
})

it('begins again with the next window, and not before', () => {
  const budget = new NotFoundBudget(1_000, 100)
  const taken = [0, 50, 99, 100, 199, 350].map((ms) => budget.take(key, payload, ms))
  expect(taken).toEqual([true, false, false, true, false, true])
})

it('counts bytes, not characters', () => {
  expect(new NotFoundBudget(1_000, 100).take('ü'.repeat(300), payload, 0)).toBe(false)
})

it.each([
  ['negative entries: their ttl', 'entries', 500, 500],
  ['negative entries that are off: half a minute', 'entries', 0, 30_000],
  ['empty lists: as long as they stay in the store', 'lists', 500, 1_300],
] as const)('has a window for %s', (_, kind, notFoundTtlMs, windowMs) => {
  const budget = createNotFoundBudgets(1_000, { notFoundTtlMs, ttlMs: 1_000, staleForMs: 300 })[kind]
  const taken = [0, windowMs - 1, windowMs].map((ms) => budget.take(key, payload, ms))
  expect(taken).toEqual([true, false, true])
})
