import type { HeapProfiler } from 'node:inspector'
import { fileOf, less, sumOf } from './profile.ts'

const node = (url: string, selfSize: number, ...children: HeapProfiler.SamplingHeapProfileNode[]) => ({
  callFrame: { functionName: 'f', scriptId: '1', url, lineNumber: 1, columnNumber: 1 },
  selfSize,
  id: 1,
  children,
})
const library = 'file:///x/libs/model-cache/dist'

describe('the sum of a profile', () => {
  it('counts allocations of V8 for the file that calls it', () => {
    const all = node(
      '',
      0,
      node(`${library}/cache/read.js`, 8, node('', 24)),
      node('node:internal/timers', 16),
    )
    const samples = [8, 24, 16].map((size) => ({ size }))
    expect(sumOf({ head: all, samples })).toEqual({
      bytes: 48,
      objects: 3,
      byFile: { 'cache/read': 32, node: 16 },
    })
  })
})

describe('a file', () => {
  it.each([
    [`${library}/codec/record/digits.js`, 'codec/record/digits'],
    ['file:///x/node_modules/.model-cache-a1/model-cache/src/cache/read.js', 'cache/read'],
    ['file:///x/node_modules/prom-client/lib/counter.js', 'prom-client'],
    ['file:///x/node_modules/a/node_modules/@nestjs/core/index.js', '@nestjs/core'],
    ['node:internal/timers', 'node'],
    ['file:///x/apps/bench/src/suites/allocations/counted-lots.ts', 'bench'],
  ])('at %s is %s', (url, file) => expect(fileOf(url)).toBe(file))
})

describe('the difference of two counts', () => {
  it('leaves out files with nothing left', () => {
    const all = { bytes: 40, objects: 4, byFile: { bench: 30, node: 10 } }
    const nothing = { bytes: 30, objects: 3, byFile: { bench: 30 } }
    expect(less(all, nothing)).toEqual({ bytes: 10, objects: 1, byFile: { node: 10 } })
  })
})
