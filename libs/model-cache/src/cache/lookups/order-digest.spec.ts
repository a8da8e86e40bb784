import { Decimal } from '@prisma/client/runtime/client'
import { orderDigestOf } from './matcher.js'

const at = new Date('2026-01-01T00:00:00.000Z')
const bytes = (...values: number[]): Uint8Array => new Uint8Array(values)

describe('the digest of places', () => {
  it.each([
    ['numbers', 1, 2],
    ['large numbers', 2 ** 40, 2 ** 41],
    ['numbers that are not exact', 2 ** 120, 2 ** 121],
    ['fractions', 0.1, 0.2],
    ['strings', 'ab', 'ba'],
    ['booleans', true, false],
    ['bigints', 1n, 2n],
    ['dates', at, new Date(at.getTime() + 1)],
    ['decimals', new Decimal('1.5'), new Decimal('1.51')],
    ['bytes', bytes(1, 2), bytes(2, 1)],
    ['null', null, ''],
    ['null and bytes', null, bytes(3)],
  ])('differs with %s', (_, one, other) => {
    expect(orderDigestOf(['a'], [{ a: one }])).not.toBe(orderDigestOf(['a'], [{ a: other }]))
  })

  it.each<[string, unknown[], unknown[]]>([
    ['bytes', [bytes(1, 2), bytes(3)], [bytes(1), bytes(2, 3)]],
    ['bytes and null', [bytes(3, 7, 8), null], [null, bytes(7, 8, 3)]],
    ['strings and null', ['abc', 'x'.repeat(94)], [null, `bc^${'x'.repeat(94)}`]],
  ])('differs with where one value ends and the next begins: %s', (_, one, other) => {
    const rowsOf = (values: unknown[]) => values.map((a) => ({ a }))
    expect(orderDigestOf(['a'], rowsOf(one))).not.toBe(orderDigestOf(['a'], rowsOf(other)))
  })

  it.each([
    ['dates', at, new Date(at)],
    ['decimals', new Decimal('1.50'), new Decimal('1.5')],
    ['zeros', 0, -0],
  ])('is the same for equal %s', (_, one, other) => {
    expect(orderDigestOf(['a'], [{ a: one }])).toBe(orderDigestOf(['a'], [{ a: other }]))
  })

  it('differs with the order of rows and the values of each', () => {
    const rows = [
      { a: 1, b: 2 },
      { a: 2, b: 1 },
    ]
    const digests = [
      orderDigestOf(['a', 'b'], rows),
      orderDigestOf(['a', 'b'], rows.toReversed()),
      orderDigestOf(['b', 'a'], rows.slice(0, 1)),
      orderDigestOf(['a'], rows),
      orderDigestOf(['a', 'b'], []),
    ]
    expect(new Set(digests).size).toBe(digests.length)
  })

  it('is a number that JSON keeps', () => {
    for (let a = 0; a < 1_000; a++) {
      const digest = orderDigestOf(['a'], [{ a }])
      expect(Number.isSafeInteger(digest)).toBe(true)
    }
  })

  it('is 0 for a list that is ordered by its ids', () => {
    expect(orderDigestOf([], [{ id: 1 }])).toBe(0)
  })

  it.each([
    [[1], 481_484_820_597_029],
    [[2 ** 40], 1_189_850_403_706_075],
    [[0.5], 5_484_378_532_095_191],
    [['ab', ''], 4_877_226_863_819_357],
    [[true, false], 5_672_600_692_713_783],
    [[5n], 3_921_549_218_366_948],
    [[at], 4_022_976_475_017_271],
    [[new Decimal('1.50')], 7_219_537_006_500_948],
    [[bytes(1, 2)], 2_569_798_444_000_589],
    [[null, undefined], 5_966_768_865_939_100],
  ] as [unknown[], number][])(
    'of %p is the same in processes of all versions, which share entries',
    (values, digest) => {
      const fields = values.map((_, i) => `field ${i}`)
      const row = Object.fromEntries(fields.map((field, i) => [field, values[i]]))
      expect(orderDigestOf(fields, [row, row])).toBe(digest)
    },
  )
})
