import { runInNewContext } from 'node:vm'
import { copyPlain } from './copy-plain.js'

class Amount {
  constructor(readonly cents: number) {}
}

describe('copyPlain', () => {
  it('copies mutable values, and shares the rest', () => {
    const amount = new Amount(1)
    const args = {
      data: [{ at: new Date(0), bytes: Buffer.from('a'), amount, tags: ['x'] }],
      where: undefined,
    }
    const copy = copyPlain(args) as typeof args
    const [row] = args.data
    row!.at.setTime(1)
    row!.bytes[0] = 0
    row!.tags.push('y')
    args.data.length = 0
    expect(copy).toStrictEqual({
      data: [{ at: new Date(0), bytes: Buffer.from('a'), amount, tags: ['x'] }],
      where: undefined,
    })
    expect(copyPlain(new Uint8Array([97]))).toStrictEqual(new Uint8Array([97]))
    expect(copy.data[0]!.amount).toBe(amount)
  })

  it('copies objects of another realm, and shares those that inherit properties', () => {
    const foreign: unknown = runInNewContext('({ where: { id: 1 } })')
    const copy = copyPlain(foreign)
    expect(copy).toEqual({ where: { id: 1 } })
    expect(copy).not.toBe(foreign)
    const heir: unknown = Object.create(Object.assign(Object.create(null), { where: { id: 1 } }))
    expect(copyPlain(heir)).toBe(heir)
  })

  it('keeps a field named __proto__ a field', () => {
    const copy = copyPlain(JSON.parse('{ "data": { "__proto__": { "admin": true } } }')) as { data: object }
    expect(Object.keys(copy.data)).toEqual(['__proto__'])
  })
})
