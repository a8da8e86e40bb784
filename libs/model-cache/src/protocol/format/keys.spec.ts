import { Decimal } from '@prisma/client/runtime/client'
import slotOf from 'cluster-key-slot'
import { InvalidIdError } from '../../errors.js'
import { hashOf } from './hash.js'
import {
  bucketOf,
  createKeySpace,
  databasesKey,
  type IdField,
  isIdKind,
  rowKeyIn,
  warmKey,
  bucketTags,
} from './key-space.js'
import { isLong } from './row-id.js'
import {
  entryIdOf,
  exactKeyOf,
  exactPartsOf,
  expectedOf,
  isKeyKind,
  type KeyField,
  type KeyKind,
  keyTextOf,
  lookupKeyOf,
  singleKeyOf,
} from './lookup-key.js'

const field = (kind: KeyKind, name = 'a', folds = false): KeyField => ({ name, kind, folds })

describe('the text of a key', () => {
  const uuid = '0190d8a2-0000-7000-8000-0000000000ab'
  it.each<[kind: KeyKind, value: unknown, text: string | undefined]>([
    ['string', 'a:b', 'a:b'],
    ['string', 'a\0', undefined],
    ['string', '\ud800', undefined],
    ['string', 7, undefined],
    ['uuid', uuid, uuid],
    ['uuid', uuid.toUpperCase(), uuid],
    ['uuid', 'a', undefined],
    ['uuid', 7, undefined],
    ['uuid', [uuid], undefined],
    ['number', 7, '7'],
    ['number', -0, '0'],
    ['number', 1.5, '1.5'],
    ['number', 2 ** 53, undefined],
    ['number', Infinity, undefined],
    ['number', '7', undefined],
    ['bigint', 7n, '7'],
    ['bigint', 7, undefined],
    ['boolean', false, 'false'],
    ['boolean', 0, undefined],
    ['date', new Date(7), '7'],
    ['date', new Date(NaN), undefined],
    ['date', 7, undefined],
    ['day', new Date(86_400_000), '86400000'],
    ['day', new Date(1), undefined],
    ['day', 86_400_000, undefined],
    ['decimal', new Decimal('1.50'), '1.5'],
    ['decimal', new Decimal('-0'), '0'],
    ['decimal', new Decimal('-0.5'), '-0.5'],
    ['decimal', new Decimal('-10'), '-10'],
    ['decimal', new Decimal(Infinity), undefined],
    ['decimal', 1.5, undefined],
    ['decimal', undefined, undefined],
    ['decimal', { isFinite: () => true }, undefined],
    ['decimal', { toFixed: () => '1' }, undefined],
    ['bytes', Uint8Array.of(0, 255), '00ff'],
    ['bytes', [0, 255], undefined],
  ])('of kind %s and value %p is %j', (kind, value, text) => {
    expect(keyTextOf(field(kind), value)).toBe(text)
  })

  it.each<[kind: KeyKind, value: string, text: string | undefined]>([
    ['string', 'Ab c', 'ab c'],
    ['string', '', ''],
    ['casedString', 'Ab', 'Ab'],
    ['string', 'a ', undefined],
    ['string', 'ä', undefined],
    ['casedString', 'ä', undefined],
    ['string', 'a\nb', undefined],
    ['string', 'a\0', undefined],
  ])('that the database folds, of kind %s and value %j, is %j', (kind, value, text) => {
    expect(keyTextOf(field(kind, 'a', true), value)).toBe(text)
  })

  it('is that of all fields of a row, null if one is null, and unknown if one has no text', () => {
    const fields = [field('string'), field('number', 'b')]
    expect(lookupKeyOf(fields, { a: 'x:y%', b: 7 })).toBe('x%3Ay%25:7')
    expect(lookupKeyOf(fields, { a: 'x', b: null })).toBeNull()
    expect(lookupKeyOf(fields, { a: 7, b: null })).toBeNull()
    expect(lookupKeyOf(fields, { a: 'x' })).toBeUndefined()
    expect(lookupKeyOf(fields, { a: 7, b: 7 })).toBeUndefined()
    expect([singleKeyOf(field('string'), 'x:y'), singleKeyOf(field('string'), '%')]).toEqual(['x%3Ay', '%25'])
    expect([singleKeyOf(field('string'), null), singleKeyOf(field('string'), 7)]).toEqual([
      undefined,
      undefined,
    ])
  })

  it('has a kind that the version knows', () => {
    expect([isKeyKind('uuid'), isKeyKind('toString'), isKeyKind(7), isKeyKind(['uuid'])]).toEqual([
      true,
      false,
      false,
      false,
    ])
    for (const kind of ['string', 'casedString', 'uuid', 'number', 'bigint', 'boolean'] as const)
      expect(singleKeyOf(field(kind), null)).toBeUndefined()
    for (const kind of ['date', 'day', 'decimal', 'bytes'] as const)
      expect(singleKeyOf(field(kind), null)).toBeUndefined()
    expect(expectedOf(field('bytes'))).toBe('a Uint8Array')
    expect([isIdKind('bigint'), isIdKind('uuid'), isIdKind(['bigint'])]).toEqual([true, false, false])
  })
})

it('a key of exact texts has these again, and no other key is one', () => {
  const parts = ['a:', '%3A', 'ä ']
  expect(exactPartsOf(exactKeyOf(parts))).toEqual(parts)
  expect(exactPartsOf(lookupKeyOf([field('string')], { a: '%=["a"]' })!)).toBeUndefined()
})

it.each<[rowId: string | number | bigint, isTooLong: boolean]>([
  ['x'.repeat(1_024), false],
  ['x'.repeat(1_025), true],
  [2n ** 64n - 1n, false],
  [2n ** 64n, true],
  [1n - 2n ** 64n, false],
  [-(2n ** 64n), true],
  [2 ** 70, false],
])('the id %p is too long to be stored: %p', (rowId, isTooLong) => {
  expect(isLong(rowId)).toBe(isTooLong)
})

it('the keys of a namespace have a hash tag each', () => {
  expect([databasesKey('mc'), warmKey('mc')]).toEqual(['mc:{databases}', 'mc:{warm}'])
})

describe('the keys of a model', () => {
  const open = (id: IdField[], buckets = 1, lookups?: { name: string; fingerprint: string }[]) =>
    createKeySpace<object, unknown>({ namespace: 'mc', name: 'Lot', buckets, id, fingerprint: 'p', lookups })

  it.each([
    ['string', ['a', ''], ['a\0', '\ud800', 7, null, undefined]],
    ['number', [7, 1.5], [2 ** 53, Infinity, NaN, '7']],
    ['bigint', [7n], [7, '7']],
  ] as const)('take ids of kind %s', (kind, good, bad) => {
    const keys = open([{ name: 'id', kind }])
    for (const id of good)
      expect([keys.toRowId(id), keys.rowIdOf({ id }), keys.snapshot(id)]).toEqual([id, id, id])
    for (const id of bad) expect(() => keys.toRowId(id)).toThrow(InvalidIdError)
    expect([keys.isRow({ id: good[0] }, good[0]), keys.isRow({ id: 'x' }, good[0])]).toEqual([true, false])
  })

  it('take dates, by their time, and copy them', () => {
    const at = new Date('2026-11-26T02:00:00.001Z')
    const moments = open([{ name: 'at', kind: 'date' }])
    expect([moments.toRowId(at), moments.rowIdOf({ at })]).toEqual(['1795658400001', '1795658400001'])
    expect([moments.isRow({ at }, '1795658400001'), moments.isRow({ at: null }, 'null')]).toEqual([
      true,
      false,
    ])
    for (const bad of [new Date(NaN), at.getTime(), at.toISOString(), { at }, null])
      expect(() => moments.toRowId(bad)).toThrow('expected a valid Date')
    const days = open([{ name: 'day', kind: 'day' }])
    expect(days.toRowId(new Date('2026-11-26'))).toBe('1795651200000')
    expect(() => days.toRowId(at)).toThrow('expected a Date at midnight UTC')
    const slots = open([
      { name: 'room', kind: 'string' },
      { name: 'at', kind: 'date' },
    ])
    const slot = { room: 'a', at }
    const copies = [moments.snapshot(at), (slots.snapshot(slot) as typeof slot).at] as Date[]
    expect([copies, slots.toRowId(slot)]).toEqual([[at, at], 'a:1795658400001'])
    for (const copy of copies) expect(copy).not.toBe(at)
  })

  it('take composite ids, whose fields stay apart', () => {
    const keys = open([
      { name: 'sale', kind: 'string' },
      { name: 'lot', kind: 'number' },
    ])
    const id = { sale: 'a:b', lot: 7, more: 1 }
    expect([keys.toRowId(id), keys.rowIdOf(id)]).toEqual(['a%3Ab:7', 'a%3Ab:7'])
    expect(keys.snapshot(id)).toEqual({ sale: 'a:b', lot: 7 })
    expect([keys.isRow(id, 'a%3Ab:7'), keys.isRow(id, 'a:b:7'), keys.isRow({ sale: 'a' }, 'a')]).toEqual([
      true,
      false,
      false,
    ])
    for (const bad of [null, undefined, 'a:7', { sale: 'a' }, { sale: 'a', lot: '7' }])
      expect(() => keys.toRowId(bad)).toThrow(
        'an object { sale: a well-formed string without NUL, lot: a finite',
      )
  })

  it('are those of rows and of entries, with the guards', () => {
    const keys = open([{ name: 'id', kind: 'string' }], 1, [{ name: 'ofSale', fingerprint: 'q' }])
    expect(keys.keyOf('a')).toBe('mc:{Lot:0}:a:p')
    expect(keys.guardedKeyOf('a', 'other')).toEqual({
      key: 'mc:{Lot:0}:a:other',
      guard: 'mc:{Lot:0}:a:other:l',
    })
    const { key } = keys.guardedKeyOf(entryIdOf('ofSale', 's'), 'other')
    expect(key).toBe('mc:{Lot:0}:ofSale=s:q')
    expect([keys.registerKey, keys.channel]).toEqual(['mc:{Lot}:register', 'mc:{Lot}:written'])
    expect(bucketOf(key)).toBe('mc:{Lot:0')
  })

  it.each([1, 4, 64])('have %d buckets in equal ranges of cluster slots', (count) => {
    const tags = bucketTags('Lot', count)
    expect(tags.map((tag) => Math.floor(slotOf(tag) / (16_384 / count)))).toEqual(
      Array.from({ length: count }, (_, i) => i),
    )
    // All processes choose the first number of each range.
    const numbers = tags.map((tag) => Number(tag.split(':')[1]))
    expect(Math.min(...numbers)).toBe(0)
    for (let n = 0; n < Math.max(...numbers); n++) {
      const range = Math.floor(slotOf(`Lot:${n}`) / (16_384 / count))
      expect(numbers[range]).toBeLessThanOrEqual(n)
    }
  })

  it.each(['7', '', 'a:b', 'a}:{b', 'x=y'])('are taken apart again, with the id %j', (rowId) => {
    const keys = createKeySpace<object, string>({
      namespace: 'mc:x',
      name: 'Lot:x',
      buckets: 4,
      id: [{ name: 'id', kind: 'string' }],
      fingerprint: 'f',
    })
    const found = { name: 'Lot:x', rowId, fingerprint: 'f' }
    expect(rowKeyIn('mc:x', keys.keyOf(rowId))).toEqual(found)
    expect(rowKeyIn('mc', `mc:{L:0}:${rowId}:f`)).toEqual({ ...found, name: 'L' })
  })

  it('have hashes in place of ids and keys of entries, and buckets that say nothing of them', () => {
    const hashId = (text: string): string => `#${text.length}#`
    const keysBy = (hash: typeof hashId | undefined) =>
      createKeySpace<object, string>({
        namespace: 'mc',
        name: 'Lot',
        buckets: 64,
        id: [{ name: 'id', kind: 'string' }],
        fingerprint: 'f',
        hashId: hash,
        lookups: [{ name: 'slug', fingerprint: 'e' }],
      })
    const [hashed, clear] = [keysBy(hashId), keysBy(undefined)]
    expect(clear.keyOf('ada')).toMatch(/:ada:f$/)
    const key = hashed.keyOf('ada')
    expect(key).toMatch(/^mc:\{Lot:\d+\}:#3#:f$/)
    expect([hashed.keyOf('ada', hashOf('ada')), hashed.keyOf('eva')]).toEqual([key, key])
    expect(hashed.guardedKeyOf('ada', 'f')).toEqual({ key, guard: `${key}:l` })
    expect(hashed.guardedKeyOf(entryIdOf('slug', 'the-lot'), '').key).toMatch(/^mc:\{Lot:\d+\}:slug=#7#:e$/)
    expect(hashed.registerKey).toBe(clear.registerKey)
    expect(hashed.toRowId('ada')).toBe('ada')
  })

  it.each([
    'mc:{Lot}:register',
    'mc:{Lot}:7:f',
    'mc:{:1}:7:f',
    'mc:{Lot:1',
    'mc:{Lot:1}:7',
    'mc:eu:{Lot:1}:7:f',
    'mc:{catalogue}:epoch',
  ])('are distinguished from others, such as %s', (key) => expect(rowKeyIn('mc', key)).toBeUndefined())

  // Other processes must find the same bucket.
  it.each([
    ['', 0x811c9dc5],
    ['a', 0xe40c292c],
    ['foobar', 0xbf9cf968],
  ])('hash %j as FNV-1a does, folded', (text, hash) => {
    expect(hashOf(text) >>> 0).toBe(((hash | 0) ^ (hash >>> 16)) >>> 0)
    expect(hashOf(`x0123456789abcdef`)).toBe(hashOf(`y0123456789abcdef`))
    expect(hashOf(`x123456789abcdef`)).not.toBe(hashOf(`y123456789abcdef`))
  })
})
