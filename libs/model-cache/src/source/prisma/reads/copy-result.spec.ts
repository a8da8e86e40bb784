import { Decimal } from '@prisma/client/runtime/client'
import { copyResult } from './copy-result.js'

describe('copyResult', () => {
  it('copies what a caller can change, and shares decimals', () => {
    const price = new Decimal('1.50')
    const given = { rows: [{ at: new Date(0), bytes: new Uint8Array([97]), price, tags: ['x'] }], next: null }
    const copy = copyResult(given) as typeof given
    const [row] = given.rows
    row!.at.setTime(1)
    row!.bytes[0] = 0
    row!.tags.push('y')
    given.rows.length = 0
    expect(copy).toStrictEqual({
      rows: [{ at: new Date(0), bytes: new Uint8Array([97]), price, tags: ['x'] }],
      next: null,
    })
    expect(copy.rows[0]!.price).toBe(price)
  })

  it('keeps a field named __proto__ a field', () => {
    const copy = copyResult(JSON.parse('{ "data": { "__proto__": { "admin": true } } }')) as { data: object }
    expect(Object.keys(copy.data)).toEqual(['__proto__'])
  })
})
