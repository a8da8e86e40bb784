import { Decimal, skip } from '@prisma/client/runtime/client'
import { argumentText } from './argument-text.js'

it('is equal for the same arguments only', () => {
  const different: readonly unknown[] = [
    {},
    { where: {} },
    { where: null },
    { where: [] },
    { where: [[]] },
    { where: { a: 1, b: 2 } },
    { where: { b: 2, a: 1 } },
    { where: { a: '1', b: 2 } },
    { where: { a: [1], b: 2 } },
    { where: { 'a:1,"b"': 2 } },
    { where: { a: 1n, b: 2 } },
    { where: { a: new Decimal(1), b: 2 } },
    { where: { a: new Date(1), b: 2 } },
    { where: { a: new Date(1).toISOString(), b: 2 } },
    { where: { a: new Uint8Array([1]), b: 2 } },
    { where: { a: -0 } },
    { where: { a: 0 } },
    { where: { a: Number.NaN } },
    { where: { a: 'NaN' } },
    { where: { a: true } },
    { where: { a: 'true' } },
    { where: { a: ['x,y'] } },
    { where: { a: ['x', 'y'] } },
    { where: { a: [undefined] } },
    { omit: {} },
    { omit: { a: undefined } },
    { omit: { a: false } },
    { include: { b: { omit: {} } } },
    { include: { b: { omit: { a: undefined } } } },
  ]
  const texts = different.map(argumentText)
  expect(new Set(texts).size).toBe(different.length)
  expect(texts).not.toContain(undefined)
  expect(argumentText({ where: { a: 1, b: undefined } })).toBe(argumentText({ where: { a: 1 } }))
})

it.each([[{ a: skip }], [{ a: new Date(Number.NaN) }], [['\uD800']], [{ a: () => {} }], [{ a: new Map() }]])(
  'is unknown for what only Prisma can read: %p',
  (args) => {
    expect(argumentText(args)).toBeUndefined()
  },
)
