import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { allocatedBy } from './allocated-by.ts'

setFlagsFromString('--expose-gc')
globalThis.gc = runInNewContext('gc') as typeof globalThis.gc

const MB = 1_000_000

describe('allocatedBy', () => {
  it('counts objects that are collected at once', () => {
    const { heapBytes } = allocatedBy(() => {
      let last: number[] = []
      for (let i = 0; i < 1_000; i++) last = Array.from({ length: 1_000 }, () => i)
      return last
    })
    // A thousand lists of a thousand places, of four or eight bytes each.
    expect(heapBytes).toBeGreaterThan(4 * MB)
  })

  it('counts a buffer, but not older garbage', () => {
    const make = () => new Uint8Array(10 * MB)
    allocatedBy(make)
    const { bufferBytes } = allocatedBy(make)
    expect(bufferBytes / MB).toBeGreaterThan(9)
    expect(bufferBytes / MB).toBeLessThan(11)
  })
})
