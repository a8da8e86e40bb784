import { InvalidationClock } from '../invalidation-clock.js'
import { silentObserver } from '../telemetry/observer.js'
import { EntryL1 } from './entry-l1.js'

function open() {
  const clock = new InvalidationClock()
  const options = { maxEntries: 10, maxBytes: 10_000, ttlMs: 60_000, hotPerSecond: undefined }
  const l1 = new EntryL1<{ id: number }>(options, 60_000, clock, silentObserver.forModel('Lot', 'of'))
  const keep = (rowId: string, ids: readonly number[] | null): boolean => {
    const entry = ids && {
      key: rowId,
      ids,
      orderDigest: 7,
      rows: ids.map((id) => ({ id })),
      isStorable: true,
    }
    return l1.keep({ rowId, since: clock.now() }, performance.now(), entry, 10)
  }
  return { keep, l1 }
}

it('keeps an entry without the rows that it was loaded with', () => {
  const { keep, l1 } = open()
  expect(keep('ada', [1, 2])).toBe(true)
  expect(l1.get('ada')).toStrictEqual({ key: 'ada', ids: [1, 2], orderDigest: 7 })
})

it('keeps that there is no entry', () => {
  const { keep, l1 } = open()
  expect(keep('ada', null)).toBe(true)
  expect(l1.get('ada')).toBeNull()
})

it('forgets all entries when a row has been created', () => {
  const { keep, l1 } = open()
  keep('ada', [1])
  keep('bob', null)
  l1.forgetAll()
  expect([l1.get('ada'), l1.get('bob')]).toEqual([undefined, undefined])
})
