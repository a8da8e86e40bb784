import type { CachedLookup } from './cached-lookup.js'
import { Lookups } from './lookups.js'

interface Lot {
  readonly id: number
}

function open(...isEmpty: readonly boolean[]) {
  const stopped: string[] = []
  const all = isEmpty.map((isEmpty, i) => {
    const name = `lookup${i}`
    const kind = i === 0 ? 'unique' : 'list'
    const bound = { name, kind }
    return { bound, isEmpty, stop: () => stopped.push(name) } as unknown as CachedLookup<Lot, number>
  })
  return { lookups: new Lookups('Lot', all), stopped, all }
}

it('are found by their names, and kinds', () => {
  const { all, lookups } = open(true, true, true)
  expect(lookups.all).toBe(all)
  expect(lookups.get('lookup0')).toBe(all[0])
  expect(lookups.get('lookup0', 'unique')).toBe(all[0])
  expect(lookups.get('lookup2', 'list')).toBe(all[2])
})

it('name those that there are in place of an unknown one', () => {
  const { lookups } = open(true, true, true)
  const known = 'its definition has'
  expect(() => lookups.get('x')).toThrow(`has no lookup "x"; ${known} lookup0, lookup1, lookup2.`)
  expect(() => lookups.get('lookup0', 'list')).toThrow(`has no list "lookup0"; ${known} lookup1, lookup2.`)
  expect(() => lookups.get('lookup1', 'unique')).toThrow(`has no unique key "lookup1"; ${known} lookup0.`)
  expect(() => open().lookups.get('x')).toThrow(expect.objectContaining({ code: 'E_UNKNOWN_LOOKUP' }))
})

it.each([
  [[], true],
  [[true, true], true],
  [[true, false], false],
  [[false, true], false],
])('are empty if none of them has a read that waits: %j', (isEmpty, areEmpty) => {
  expect(open(...isEmpty).lookups.isEmpty).toBe(areEmpty)
})

it('end together', () => {
  const { lookups, stopped } = open(true, true)
  lookups.stop()
  expect(stopped).toEqual(['lookup0', 'lookup1'])
})
