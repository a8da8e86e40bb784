import { problemsOf } from './soak-suite.ts'

const healthy = {
  minutes: 10,
  errors: 0,
  heapKbPerMinute: 100,
  heapKbPerMinuteError: 40,
  handlesAtStart: { TCPSocketWrap: 2, PipeWrap: 3 },
  handlesAtEnd: { TCPSocketWrap: 2, PipeWrap: 2 },
}

describe('the problems of a soak', () => {
  it('are none where the heap grows no more than its error allows', () => {
    expect(problemsOf(healthy)).toEqual([])
  })

  it('do not include growth of the first minutes, in which a process warms up', () => {
    const growing = { ...healthy, heapKbPerMinute: 1_000 }
    expect(problemsOf({ ...growing, minutes: 4 })).toEqual([])
    expect(problemsOf({ ...growing, minutes: 5 })).toHaveLength(1)
  })

  it('are errors, growth and handles', () => {
    const left = { errors: 2, firstError: 'read a, got b', heapKbPerMinute: 131 }
    expect(problemsOf({ ...healthy, ...left, handlesAtEnd: { TCPSocketWrap: 3, Timeout: 1 } })).toEqual([
      '2 reads failed, the first: read a, got b',
      'The heap grows by 131 ± 40 kB per minute.',
      '3 open handles of TCPSocketWrap, 2 at the start.',
      '1 open handles of Timeout, 0 at the start.',
    ])
  })
})
