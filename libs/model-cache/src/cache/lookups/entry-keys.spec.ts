import { createKeySpace, entryIdOf, type KeyField } from '../../protocol/index.js'
import type { BoundLookup } from '../policy/lookup-options.js'
import { createEntryKeys } from './entry-keys.js'

const field = (name: string, kind: KeyField['kind'], folds = false): KeyField => ({ name, kind, folds })

function keysBy(key: readonly KeyField[], isCompound = key.length > 1) {
  const rows = createKeySpace<{ id: number }, number>({
    namespace: 'mc',
    name: 'Lot',
    buckets: 1,
    id: [{ name: 'id', kind: 'number' }],
    fingerprint: 'rows',
    lookups: [{ name: 'of', fingerprint: 'entries' }],
  })
  const lookup = { name: 'of', isCompound, description: { key } } as unknown as BoundLookup
  return createEntryKeys('Lot', lookup, rows)
}

const owner = field('owner', 'string')
const folded = field('owner', 'string', true)
const place = field('place', 'number')

it('names an entry by its lookup and the text of its key', () => {
  expect(keysBy([owner]).toRowId('ada')).toBe(entryIdOf('of', 'ada'))
  expect(keysBy([folded]).toRowId('Ada')).toBe(entryIdOf('of', 'ada'))
  expect(keysBy([owner, place]).toRowId({ owner: 'a:b', place: 1 })).toBe(entryIdOf('of', 'a%3Ab:1'))
  expect(keysBy([owner], true).toRowId({ owner: 'ada' })).toBe(entryIdOf('of', 'ada'))
})

it('names the entry of a key of which only the database knows what it equals by that key', () => {
  const keys = keysBy([folded])
  expect([keys.isComparable('ada'), keys.isComparable('ä')]).toEqual([true, false])
  expect(keys.textOf('ä')).toBe('%=["ä"]')
  expect(keysBy([folded, place]).textOf({ owner: 'Ä', place: 1 })).toBe('%=["Ä","1"]')
})

it.each([
  [[owner], 5, 'key is 5; expected a well-formed string without NUL.'],
  [[owner], null, 'key is null; expected a well-formed string without NUL.'],
  [[folded], undefined, 'key is undefined; expected a well-formed string without NUL.'],
  [
    [owner, place],
    { owner: 'ada', place: '1' },
    'expected an object { owner: a well-formed string without NUL, place: a finite number, safe if it is whole }.',
  ],
  [[owner, place], { owner: null, place: 1 }, 'expected an object { owner: '],
  [[owner, place], null, 'key is null; expected an object { owner: '],
  [[owner, place], 'ada', 'key is "ada"; expected an object { owner: '],
])('refuses a wrong key of %j: %j', (key, value, message) => {
  for (const call of [keysBy(key).toRowId, keysBy(key).textOf]) {
    expect(() => call(value)).toThrow(expect.objectContaining({ code: 'E_INVALID_ID' }))
    expect(() => call(value)).toThrow(`ModelCache "Lot.of": key is `)
    expect(() => call(value)).toThrow(message)
  }
})

it('knows the entries of a key', () => {
  const { isRow, rowIdOf } = keysBy([owner])
  const entry = { key: 'ada', ids: [], orderDigest: 0 }
  expect(rowIdOf(entry)).toBe(entryIdOf('of', 'ada'))
  expect([isRow(entry, entryIdOf('of', 'ada')), isRow(entry, entryIdOf('of', 'bob'))]).toEqual([true, false])
})

it('stores an entry under a key of its lookup', () => {
  const keys = keysBy([owner])
  const rowId = keys.toRowId('ada')
  const key = keys.keyOf(rowId)
  expect(key).toMatch(/of=ada:entries$/)
  expect(keys.guardedKeyOf(rowId, 'ignored')).toEqual({ key, guard: `${key}:l` })
})

it('keeps a key as it was, whatever the caller does with it', () => {
  const date = new Date(5)
  const bytes = new Uint8Array([1])
  const { snapshot } = keysBy([field('at', 'date')])
  const kept = snapshot(date)
  const compound = keysBy([field('at', 'date'), field('photo', 'bytes')])
  const both = compound.snapshot({ at: date, photo: bytes, more: 1 })
  date.setTime(6)
  bytes[0] = 2
  expect(kept).toEqual(new Date(5))
  expect(both).toEqual({ at: new Date(5), photo: new Uint8Array([1]) })
  expect(keysBy([owner]).snapshot('ada')).toBe('ada')
})
