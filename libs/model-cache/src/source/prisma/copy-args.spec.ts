import { copyOfArgs } from './copy-args.js'

class Amount {
  constructor(readonly cents: number) {}
}

describe('copyOfArgs', () => {
  it('copies mutable values, and shares the rest', () => {
    const amount = new Amount(1)
    const args = {
      data: [{ at: new Date(0), bytes: Buffer.from('a'), amount, tags: ['x'] }],
      where: undefined,
    }
    const copy = copyOfArgs(args) as typeof args
    const [row] = args.data
    row!.at.setTime(1)
    row!.bytes[0] = 0
    row!.tags.push('y')
    args.data.length = 0
    expect(copy).toStrictEqual({
      data: [{ at: new Date(0), bytes: new Uint8Array([97]), amount, tags: ['x'] }],
      where: undefined,
    })
    expect(copy.data[0]!.amount).toBe(amount)
  })

  it('keeps a field named __proto__ a field', () => {
    const copy = copyOfArgs(JSON.parse('{ "data": { "__proto__": { "admin": true } } }')) as { data: object }
    expect(Object.keys(copy.data)).toEqual(['__proto__'])
  })
})
