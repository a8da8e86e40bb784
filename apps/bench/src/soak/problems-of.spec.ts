import { problemsOf } from './problems-of.ts'

const healthy = {
  server: 'Valkey',
  minutes: 10,
  illnesses: {},
  samples: [],
  storms: 1,
  reads: 1,
  loads: 1,
  invalidations: 1,
  errors: 0,
  heapKbPerMinute: 100,
  heapKbPerMinuteError: 40,
  handlesAtStart: { TCPSocketWrap: 2, PipeWrap: 3 },
  handlesAtEnd: { TCPSocketWrap: 2, PipeWrap: 2 },
}

describe('problemsOf', () => {
  it('finds none where the heap grows no more than its error allows', () => {
    expect(problemsOf(healthy)).toEqual([])
  })

  it('finds no growth in the first minutes, in which a process warms up', () => {
    const growing = { ...healthy, heapKbPerMinute: 1_000 }
    expect(problemsOf({ ...growing, minutes: 4 })).toEqual([])
    expect(problemsOf({ ...growing, minutes: 5 })).toHaveLength(1)
  })

  it('names errors, growth and handles', () => {
    expect(
      problemsOf({
        ...healthy,
        errors: 2,
        firstError: 'asked for a, got b',
        heapKbPerMinute: 131,
        handlesAtEnd: { TCPSocketWrap: 3, Timeout: 1 },
      }),
    ).toEqual([
      '2 reads failed, the first: asked for a, got b',
      'the heap grows by 131 ± 40 kB per minute',
      '3 open handles of TCPSocketWrap, 2 at the start',
      '1 open handles of Timeout, 0 at the start',
    ])
  })
})
