import type { RegisterScope, RowId } from '../protocol/index.js'
import { InvalidationClock } from './invalidation-clock.js'
import { Memory } from './memory.js'
import { History } from './telemetry/history.js'

function open() {
  const clock = new InvalidationClock()
  const history = new History()
  const memory = new Memory(clock, history)
  const forgotten: (readonly RowId[] | RegisterScope)[] = []
  memory.add(undefined)
  memory.add({
    forget: (rowIds) => forgotten.push(rowIds),
    forgetAll: (scope) => forgotten.push(scope),
  })
  return { clock, history, memory, forgotten }
}

describe('what a process holds', () => {
  it('forgets rows that are written, refuses running loads of them, and knows the writer', () => {
    const { clock, forgotten, history, memory } = open()
    const since = clock.now()
    memory.forget(['a', 'b'], 'another process')
    expect(forgotten).toEqual([['a', 'b']])
    expect(['a', 'b', 'c'].map((id) => clock.isCurrent(id, since))).toEqual([false, false, true])
    expect(history.of('a').write).toMatchObject({ by: 'another process', rowIds: ['a', 'b'] })
    expect(history.of('c').write).toBeUndefined()
  })

  it.each(['all', 'existence'] as const)(
    'forgets unknown rows, and refuses all running loads (%s)',
    (scope) => {
      const { clock, forgotten, history, memory } = open()
      const since = clock.now()
      memory.forgetAll(scope)
      expect(forgotten).toEqual([scope])
      expect(clock.isCurrent('c', since)).toBe(false)
      expect(history.of('a').unknownWrite?.scope).toBe(scope === 'all' ? 'all' : undefined)
    },
  )

  it('forgets what others may have written, while the store refuses running loads of it', () => {
    const { clock, forgotten, history, memory } = open()
    const since = clock.now()
    memory.forgetHeld('all')
    expect(forgotten).toEqual(['all'])
    expect(clock.isCurrent('c', since)).toBe(true)
    expect(history.of('a').unknownWrite).toBeUndefined()
  })
})
