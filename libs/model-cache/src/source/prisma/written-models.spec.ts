import { WrittenModels } from './written-models.js'

it('counts the statements that write a model, and says when the last one was', () => {
  const written = new WrittenModels()
  expect(written.all().size).toBe(0)
  written.note('Lot')
  written.note('Lot')
  written.note('Bid')
  expect([...written.all()]).toEqual([
    ['Lot', { count: 2, agoMs: expect.any(Number) }],
    ['Bid', { count: 1, agoMs: expect.any(Number) }],
  ])
})
