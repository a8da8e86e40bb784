import { crc32 } from 'node:zlib'
import { undecodable } from '../../codec/codec.js'
import type { IdField } from '../../protocol/index.js'
import { areMembers, createEntryCodec } from './lookup-entry.js'
import type { Matcher } from './matcher.js'

const fields = (...kinds: IdField['kind'][]): IdField[] =>
  kinds.map((kind, at) => ({ name: `id${at}`, kind }))

it.each([
  ['numbers', fields('number'), [1, 20, 3.5]],
  ['bigints', fields('bigint'), [1n, 2n ** 60n]],
  ['texts', fields('string'), ['ä', 'clx0q9z8000008l2h3k4m5n6', '']],
  ['dates', fields('date'), [new Date('2026-11-26T02:00:00.001Z'), new Date(0)]],
  [
    'several fields',
    fields('string', 'number', 'day'),
    [
      { id0: 'a', id1: 1, id2: new Date('2026-11-26') },
      { id0: 'b', id1: 2, id2: new Date('2026-11-27') },
    ],
  ],
  ['none', fields('number'), []],
])('an entry of %s is decoded as it was, and with any bit flipped not at all', (_, id, ids) => {
  const codec = createEntryCodec('print', id)
  const entry = { key: 'of:ü', orderDigest: 0, ids }
  const bytes = Buffer.from(codec.encode(entry)!)
  expect(codec.decodeUtf8(bytes)).toEqual(entry)
  expect(codec.decodeUtf8(Buffer.concat([Buffer.from('before'), bytes]), 6)).toEqual(entry)
  for (let bit = 0; bit < bytes.length * 8; bit++) {
    const damaged = Buffer.from(bytes)
    damaged[bit >> 3]! ^= 1 << (bit & 7)
    const decoded = codec.decodeUtf8(damaged)
    // A flipped bit of the check value itself may spell the same number.
    if (decoded !== undecodable) expect([bit < 64, decoded]).toEqual([true, entry])
  }
  expect(codec.decodeUtf8(bytes.subarray(0, -1))).toBe(undecodable)
})

it.each([
  ['no JSON', '["a",0'],
  ['no array', '{"key":"a"}'],
  ['a key that is no text', '[1,0,1]'],
  ['an order digest that is no number', '["a","0",1]'],
  ['no order digest', '["a"]'],
  ['an id of another type', '["a",0,"1"]'],
])('an entry with a valid check value and %s is not decoded', (_, text) => {
  const check = crc32(text).toString(16).padStart(8, '0')
  expect(createEntryCodec('print', fields('number')).decodeUtf8(Buffer.from(check + text))).toBe(undecodable)
})

it.each([
  ['string', 1],
  ['bigint', 1],
  ['date', 'a'],
  ['day', 'a'],
] as const)('an id that is a %s is not decoded from %j', (kind, json) => {
  const text = JSON.stringify(['a', 0, json])
  const check = crc32(text).toString(16).padStart(8, '0')
  expect(createEntryCodec('print', fields(kind)).decodeUtf8(Buffer.from(check + text))).toBe(undecodable)
})

it('entries of a list without an order are compared without the order of their rows', () => {
  const [ordered, unordered] = [true, false].map((isOrdered) =>
    createEntryCodec('print', fields('string', 'number'), isOrdered),
  )
  const ids = [1, 2, 10].map((n) => ({ id0: 'a', id1: n }))
  const [one, other, less, ofOther] = [
    { key: 'a', orderDigest: 0, ids },
    { key: 'a', orderDigest: 0, ids: ids.toReversed() },
    { key: 'a', orderDigest: 0, ids: ids.slice(1) },
    { key: 'b', orderDigest: 0, ids },
  ].map((entry) => unordered!.encode(entry)!)
  expect(ordered!.comparable).toBeUndefined()
  const { comparable } = unordered!
  expect(comparable!(other!)).toBe(comparable!(one!))
  for (const different of [less!, ofOther!, 'damaged'])
    expect(comparable!(different)).not.toBe(comparable!(one!))
})

it('an entry is shared by all who get it', () => {
  const { clone, cloneMany, freeze, normalize } = createEntryCodec('print', fields('number'))
  const entry = { key: 'a', ids: [1], orderDigest: 0 }
  for (const given of [clone(entry), ...cloneMany(entry, 2), freeze(entry), normalize(entry)])
    expect(given).toBe(entry)
  expect(cloneMany(entry, 2)).toHaveLength(2)
})

describe('rows are members of an entry', () => {
  type Row = Record<string, unknown> | null | undefined
  const matcher: Matcher = {
    rowsHoldKey: true,
    keyOf: ({ key }) => key as string,
    fulfils: ({ isOpen }) => isOpen === true,
    orderDigestOf: (rows) => rows.length,
  }
  const member = { key: 'a', isOpen: true }
  const are = (rows: readonly Row[], change: Partial<Matcher> = {}): boolean =>
    areMembers({ ...matcher, ...change }, { key: 'a', orderDigest: 2, ids: [] }, rows)

  it('if each belongs to it, at its place', () => {
    expect(are([member, member])).toBe(true)
    expect(are([member])).toBe(false)
  })

  it.each([
    ['was deleted', null],
    ['is unknown', undefined],
    ['has another key', { ...member, key: 'b' }],
    ['does not fulfil the conditions', { ...member, isOpen: false }],
  ])('unless one %s', (_, row) => {
    expect([are([row, member]), are([member, row])]).toEqual([false, false])
  })

  it('whatever their keys are, if that is one of another row', () => {
    const through = { rowsHoldKey: false, keyOf: () => undefined }
    expect(are([member, { ...member, key: 'b' }], through)).toBe(true)
  })
})
