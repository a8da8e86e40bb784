import { fileOf, less, type Profile, sumAfter } from './profile.ts'

const node = (id: number, functionName: string, url: string, ...children: Profile['head'][]) => ({
  callFrame: { functionName, scriptId: '1', url, lineNumber: 1, columnNumber: 1 },
  selfSize: 0,
  id,
  children,
})
const library = 'file:///x/libs/model-cache/dist/esm'

describe('the sum of a profile', () => {
  const head = node(
    1,
    '(root)',
    '',
    node(2, 'read', `${library}/cache/read.js`, node(3, 'all', '')),
    node(4, 'mark', 'file:///x/apps/bench/src/a.ts'),
    node(5, 'insert', 'node:internal/timers'),
  )
  const sampled = (...samples: readonly (readonly [nodeId: number, size: number])[]) =>
    sumAfter('mark', {
      head,
      samples: samples.map(([nodeId, size], ordinal) => ({ nodeId, size, ordinal })).toReversed(),
    })

  it('counts allocations of V8 for the file that calls it', () => {
    expect(sampled([4, 8], [2, 8], [3, 24], [5, 16], [2, 8])).toEqual({
      bytes: 56,
      objects: 4,
      byFile: { 'cache/read': 40, node: 16 },
    })
  })

  it('leaves out what comes before the last mark', () => {
    expect(sampled([2, 8], [4, 8], [3, 24], [4, 8], [5, 16])).toEqual({
      bytes: 16,
      objects: 1,
      byFile: { node: 16 },
    })
  })
})

describe('a file', () => {
  it.each([
    [`${library}/codec/record/digits.js`, 'codec/record/digits'],
    ['file:///x/.cache/model-cache/library/a1/node_modules/model-cache/dist/esm/cache/read.js', 'cache/read'],
    ['file:///x/libs/event-loop/dist/esm/slicer.js', 'event-loop/slicer'],
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
