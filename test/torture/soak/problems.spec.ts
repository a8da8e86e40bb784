import { type Left, problemsOf } from './problems.ts'

const course = {
  name: 'pod 1',
  heap: { perUnit: 100, error: 40 },
  fromMinute: 0,
  toMinute: 10,
  warmUpMinutes: 5,
  heapKb: 40_000,
  handlesAtStart: { TCPSocketWrap: 2, PipeWrap: 3 },
  handlesAtEnd: { TCPSocketWrap: 5, PipeWrap: 2 },
}
const bursts = { ...course, name: 'bursts', handlesAtEnd: { TCPSocketWrap: 2 } }
const keys = { perUnit: 2, error: 1, most: 900, bound: 1_000, mostLasting: 4 }
const healthy: Left = {
  minutes: 10,
  processes: [course, bursts],
  keys: { ...keys, left: { keys: 4, lasting: 4, names: [] } },
}

describe('the problems of a soak', () => {
  it('are none where heaps and keys grow no more than their errors allow, and a pod follows the database', () => {
    expect(problemsOf(healthy)).toEqual([])
  })

  it('do not include growth of the first minutes, in which processes warm up', () => {
    const heap = { perUnit: 1_000, error: 40 }
    const growing = (minutes: number): Left => ({
      ...healthy,
      minutes,
      processes: [
        { ...course, heap, warmUpMinutes: 3 * minutes },
        { ...bursts, heap, warmUpMinutes: minutes },
      ],
      keys: { ...keys, perUnit: 5 },
    })
    expect(problemsOf(growing(4))).toEqual([])
    expect(problemsOf(growing(5))).toHaveLength(3)
  })

  it('are growth, handles and keys', () => {
    const failed: Left = {
      minutes: 10,
      processes: [
        { ...course, handlesAtEnd: { TCPSocketWrap: 6, Timeout: 4 } },
        { ...bursts, heap: { perUnit: 131, error: 40 }, handlesAtEnd: { TCPSocketWrap: 3 } },
      ],
      keys: {
        perUnit: 5,
        error: 1,
        most: 1_001,
        bound: 1_000,
        mostLasting: 9,
        left: { keys: 10, lasting: 4, names: ['mc:a'] },
      },
    }
    expect(problemsOf(failed)).toEqual([
      'pod 1: 6 open handles of TCPSocketWrap, 2 at first.',
      'pod 1: 4 open handles of Timeout, 0 at first.',
      'bursts: the heap grows by 131 ± 40 kB per minute.',
      'bursts: 3 open handles of TCPSocketWrap, 2 at first.',
      'The store gets 5.0 ± 1.0 more keys per minute.',
      'The store had 1001 keys, where 1000 can be reached.',
      '9 keys do not expire, of 8 that need not.',
      '10 keys are left when all should have expired: mc:a',
    ])
  })
})
