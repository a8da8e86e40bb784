import { sizeOf } from './figures.ts'

describe('the name of a size', () => {
  it.each([
    [93, '0.1 kB'],
    [104, '0.1 kB'],
    [1_090, '1 kB'],
    [101_000, '100 kB'],
    [990_000, '1 MB'],
  ])('%d bytes are about %s', (bytes, name) => {
    expect(sizeOf(bytes)).toBe(name)
  })
})
