import { undecodable } from '../../codec/codec.js'
import type { IdField } from '../../protocol/index.js'
import { createEntryCodec } from './lookup-entry.js'

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
  const entry = { key: 'of:ü', places: 0, ids }
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
