import { NotFoundBudget } from './not-found-budget.js'

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
