import { Decimal } from '@prisma/client/runtime/client'
import { orderDigestOf } from './matcher.js'

const at = new Date('2026-01-01T00:00:00.000Z')

describe('the digest of places', () => {
  it.each([
    ['numbers', 1, 2],
    ['large numbers', 2 ** 40, 2 ** 41],
    ['fractions', 0.1, 0.2],
    ['strings', 'ab', 'ba'],
    ['booleans', true, false],
    ['bigints', 1n, 2n],
    ['dates', at, new Date(at.getTime() + 1)],
    ['decimals', new Decimal('1.5'), new Decimal('1.51')],
    ['bytes', new Uint8Array([1, 2]), new Uint8Array([2, 1])],
    ['null', null, ''],
  ])('differs with %s', (_, one, other) => {
    expect(orderDigestOf(['a'], [{ a: one }])).not.toBe(orderDigestOf(['a'], [{ a: other }]))
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
    [[1], 1_175_953_684_381_095],
    [[2 ** 40], 3_549_806_084_122_632],
    [[0.5], 5_343_641_044_089_801],
    [['ab', ''], 4_859_634_678_312_307],
    [[true, false], 5_672_600_692_713_783],
    [[5n], 596_626_056_750_126],
    [[at], 4_786_464_926_080_142],
    [[new Decimal('1.50')], 7_078_799_516_987_798],
    [[new Uint8Array([1, 2])], 5_672_600_692_713_783],
    [[null, undefined], 8_367_845_242_220_110],
  ] as [unknown[], number][])(
    'of %p is the same in processes of all versions, which share entries',
    (values, digest) => {
      const fields = values.map((_, i) => `field ${i}`)
      const row = Object.fromEntries(fields.map((field, i) => [field, values[i]]))
      expect(orderDigestOf(fields, [row, row])).toBe(digest)
    },
  )
})
