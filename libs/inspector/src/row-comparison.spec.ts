import type { Comparison } from './compare-row.js'
import { comparisonOf } from './row-comparison.js'

type Row = Readonly<Record<string, unknown>>

const compared = ({ stored, source }: { stored: Row | null | undefined; source: Row | null }) =>
  comparisonOf(
    async (): Promise<Comparison<unknown>> => ({ outcome: 'different', stored, source, loaded: undefined }),
    (field) => field !== 'secret',
  )

const text = (type: string, shown: string) => ({ kind: 'text', type, text: shown, isCut: false })
const absent = { kind: 'absent' }

describe('the comparison of a row', () => {
  it('has the fields of the source, then those that only the store has', async () => {
    const stored = { id: 1, name: 'a', old: true }
    const source = { id: 1, name: 'b', added: null }
    expect(await compared({ stored, source })).toEqual({
      outcome: 'different',
      exists: true,
      error: null,
      fields: [
        { name: 'id', isDifferent: false, stored: text('number', '1'), source: text('number', '1') },
        { name: 'name', isDifferent: true, stored: text('string', 'a'), source: text('string', 'b') },
        { name: 'added', isDifferent: true, stored: absent, source: text('null', 'null') },
        { name: 'old', isDifferent: true, stored: text('boolean', 'true'), source: absent },
      ],
    })
  })

  it('has no values of fields that must not be shown', async () => {
    const { fields } = await compared({ stored: { secret: 'a' }, source: { secret: 'b' } })
    const masked = { kind: 'masked', type: 'string' }
    expect(fields).toEqual([{ name: 'secret', isDifferent: true, stored: masked, source: masked }])
  })

  it.each([
    ['that the store does not have', undefined],
    ['whose absence is stored', null],
  ])('has no differences of a row %s', async (_, stored) => {
    expect(await compared({ stored, source: { id: 1 } })).toMatchObject({
      exists: true,
      fields: [{ name: 'id', isDifferent: false, stored: absent, source: text('number', '1') }],
    })
  })

  it('has what is stored of a row that the source does not have', async () => {
    expect(await compared({ stored: { id: 1 }, source: null })).toMatchObject({
      exists: false,
      fields: [{ name: 'id', isDifferent: false, stored: text('number', '1'), source: absent }],
    })
    expect(await compared({ stored: null, source: null })).toMatchObject({ exists: false, fields: [] })
  })

  it('has at most 200 fields', async () => {
    const source = Object.fromEntries(Array.from({ length: 201 }, (_, i) => [`f${i}`, i]))
    expect((await compared({ stored: source, source })).fields).toHaveLength(200)
  })

  it.each([
    [1n, 1n, false],
    [1n, 2n, true],
    [1n, '1', true],
    [Number.NaN, Number.NaN, false],
    [Number.NaN, Infinity, true],
    [Number.NaN, null, true],
    [1, 2, true],
    [Buffer.from('ab'), new Uint8Array([97, 98]), false],
    [new Uint8Array([1]), new Uint8Array([2]), true],
    [new Uint8Array([1]), { 0: 1 }, true],
    [new Date(0), new Date(0), false],
    [new Date(0), new Date(1), true],
    [{ a: [1n, { b: 2n }] }, { a: [1n, { b: 2n }] }, false],
    [{ a: [1n, { b: 2n }] }, { a: [1n, { b: 3n }] }, true],
  ])('tells %p from %p: %p', async (before, now, isDifferent) => {
    const { fields } = await compared({ stored: { value: before }, source: { value: now } })
    expect(fields).toMatchObject([{ name: 'value', isDifferent }])
  })
})
