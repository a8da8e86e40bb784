import { epochSeed, randomId } from './token.js'

describe('epochs and their seeds', () => {
  it('are never the same', () => {
    expect(new Set(Array.from({ length: 100 }, randomId)).size).toBe(100)
    expect(new Set(Array.from({ length: 100 }, epochSeed)).size).toBe(100)
  })
})
