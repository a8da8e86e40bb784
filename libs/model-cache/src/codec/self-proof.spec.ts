import {
  flags,
  string,
  number,
  constant,
  field,
  object,
  array,
  tuple,
  record,
  union,
} from '../../../../test/support/wire-plans.js'
import { type RowFunctions, undecodable } from './codec.js'
import { copyByValue } from './copy-by-value.js'
import { proveCodec } from './self-proof.js'
import type { WirePlan } from './wire-plan.js'

/** Of three branches, two of them in another union. */
const media = union(
  'k',
  object(field('k', constant(0)), field('v', number)),
  union(
    'n',
    object(field('k', constant(1)), field('n', constant(0)), field('v', number)),
    object(field('k', constant(1)), field('n', constant(1)), field('v', number)),
  ),
)

/** Keeps rows instead of encoding them. */
function keeping(changed: Partial<RowFunctions<unknown>> = {}): RowFunctions<unknown> {
  const kept: unknown[] = []
  const decode = (text: string) => copyByValue(kept[Number(text)])
  return {
    encode: (row) => String(kept.push(row) - 1),
    decode,
    decodeUtf8: (bytes) => decode(bytes.toString()),
    clone: copyByValue,
    cloneMany: (row, count) => Array.from({ length: count }, () => copyByValue(row)),
    freeze: (row) => row,
    normalize: (row) => row,
    ...changed,
  }
}

const rowsOf = (plan: WirePlan) => proveCodec(keeping(), plan, 'Lot')
/** What the rows of an object with this field have there. */
const valuesOf = (plan: WirePlan, optional = false) => {
  const rows = rowsOf(object({ name: 'v', optional, plan })) as { v?: unknown }[]
  return rows.map((row) => ('v' in row ? row.v : 'missing'))
}

describe('the rows of a proof', () => {
  it.each([
    ['an object', object(field('v', string)), 8],
    ['a union', media, 24],
    [
      'a field that is a union',
      object(field('id', string), field('media', media), field('other', media)),
      24,
    ],
    ['an array of them', array(object(field('media', media))), 24],
    ['a record of them', record(media), 24],
    ['a tuple with one of them', tuple(string, media, media), 24],
    ['a tuple of none', tuple(string), 8],
  ])('are eight for each branch of %s', (_, plan, count) => {
    const rows = rowsOf(plan)
    expect(rows).toHaveLength(count)
    for (const row of rows) expect(row).toEqual(expect.anything())
  })

  it.each([
    ['a union', media, (row: unknown) => row],
    ['a field', object(field('media', media)), (row: unknown) => (row as { media: unknown }).media],
    ['a tuple', tuple(string, media), (row: unknown) => (row as unknown[])[1]],
  ])('have each sample in each branch of %s', (_, plan, unionIn) => {
    const rows = rowsOf(plan).map(unionIn) as { k: number; n?: number; v: unknown }[]
    for (const [k, n] of [
      [0, undefined],
      [1, 0],
      [1, 1],
    ]) {
      const values = rows.filter((row) => row.k === k && row.n === n).map(({ v }) => v)
      expect(values).toHaveLength(8)
      expect(new Set(values.map((value) => JSON.stringify(value)))).toEqual(
        new Set(valuesOf(number).map((value) => JSON.stringify(value))),
      )
    }
  })

  it.each([
    ['numbers', number, [0, -0, 1.5, Number.MAX_SAFE_INTEGER]],
    ['booleans', { kind: 'boolean', ...flags }, [true, false]],
    ['constants', constant('a', 'b', 3, true, 'e'), ['a', 'b', 3, true, 'e']],
    [
      'constants that may be null or undefined',
      { ...constant('a', 'b', 3, true, 'e'), nullable: true, undefinable: true },
      ['a', 'b', null, undefined],
    ],
  ] as const)('have all %s', (_, plan, expected) => {
    const values = valuesOf(plan)
    for (const value of expected) expect(values.some((found) => Object.is(found, value))).toBe(true)
  })

  it('have null, undefined and values where the plan allows them, and only there', () => {
    const kindsOf = (values: unknown[]) =>
      new Set(values.map((value) => (value === null || value === 'missing' ? value : typeof value)))
    expect(kindsOf(valuesOf(number))).toEqual(new Set(['number']))
    expect(kindsOf(valuesOf({ ...number, nullable: true }))).toEqual(new Set(['number', null]))
    expect(kindsOf(valuesOf({ ...number, undefinable: true }))).toEqual(new Set(['number', 'undefined']))
    const both = { ...number, nullable: true, undefinable: true }
    expect(kindsOf(valuesOf(both, true))).toEqual(new Set(['number', null, 'undefined', 'missing']))
    for (const nothing of [null, undefined]) {
      const none = { ...constant(), nullable: nothing === null, undefinable: nothing === undefined }
      expect(new Set(valuesOf(none))).toEqual(new Set([nothing]))
    }
  })

  it('have arrays and records of none, one and several', () => {
    const arrays = valuesOf(array(string)) as string[][]
    expect(new Set(arrays.map(({ length }) => length))).toEqual(new Set([0, 1, 2]))
    const records = valuesOf(record(string)) as object[]
    expect(new Set(records.map((each) => Object.keys(each).length))).toEqual(new Set([0, 2]))
    for (const values of [...arrays, ...records.map(Object.values)] as unknown[][]) {
      expect(values.every((value) => typeof value === 'string')).toBe(true)
      expect(new Set(values).size).toBe(values.length)
    }
  })

  it('have JSON of every shape', () => {
    const found = new Set<string>()
    const visit = (value: unknown, within: string): void => {
      const entries = typeof value === 'object' && value !== null ? Object.entries(value) : undefined
      const kind = Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value
      found.add(`${entries?.length === 0 ? 'empty ' : ''}${kind} in ${within}`)
      const lists = (Array.isArray(value) ? value : []).map((item) =>
        Object.keys((item as object) ?? {}).join(),
      )
      if (new Set(lists).size < lists.length) found.add('equal keys')
      for (const [, entry] of entries ?? []) visit(entry, kind)
    }
    for (const value of valuesOf({ kind: 'json', ...flags })) visit(value, 'row')
    expect([...found].toSorted()).toEqual(
      [
        'object in row',
        'array in row',
        'empty object in row',
        'empty array in row',
        'array in object',
        'object in object',
        'number in array',
        'string in array',
        'null in array',
        'object in array',
        'boolean in object',
        'number in object',
        'empty array in array',
        'equal keys',
      ].toSorted(),
    )
  })
})

describe('a proof', () => {
  const plan = object(
    field('id', number),
    field(
      'inner',
      object(field('at', array(tuple(number, string))), { name: 'gone', optional: true, plan: string }),
    ),
    field('maybe', { ...object(field('n', number)), nullable: true }),
  )
  interface Row {
    id: number
    inner: { at?: unknown[][]; gone?: string; more?: number } | null | undefined
    maybe: { n: number } | null
  }
  type Change = (row: Row) => unknown
  const changing = (change: Change) => (row: unknown) => change(copyByValue(row) as Row)
  const faultOf = (changed: Partial<RowFunctions<unknown>>) => () => proveCodec(keeping(changed), plan, 'Lot')

  it.each<[keyof RowFunctions<unknown>, (change: Change, codec: RowFunctions<unknown>) => unknown]>([
    ['decode', (change, codec) => (text: string) => changing(change)(codec.decode(text))],
    ['decodeUtf8', (change, codec) => (bytes: Buffer) => changing(change)(codec.decodeUtf8(bytes))],
    ['clone', changing],
    ['cloneMany', (change) => (row: unknown) => [row, changing(change)(row)]],
    ['freeze', changing],
    ['normalize', changing],
  ])('fails if %s changes a row, and names the path', (name, by) => {
    const codec = keeping()
    const changed = { ...codec, [name]: by((row) => ({ ...row, id: row.id + 1 }), codec) }
    const fails = () => proveCodec(changed, plan, 'Lot')
    expect(fails).toThrow(expect.objectContaining({ code: 'E_CODEC_PROOF' }))
    expect(fails).toThrow(
      'ModelCache "Lot": a generated row changed at "id" between encode and decode: 0 was decoded as 1',
    )
  })

  it.each<[string, string, Change]>([
    ['a nested value', 'inner.at.0.1', (row) => (row.inner?.at?.[0]?.fill(7, 1), row)],
    [
      'an array that is longer',
      'inner.at.2',
      (row) => (row.inner!.at?.length === 2 && row.inner!.at.push([]), row),
    ],
    ['a key that is lost', 'inner.at', (row) => (delete row.inner!.at, row)],
    [
      'a key that is undefined instead of missing',
      'inner.gone',
      (row) => ({ ...row, inner: { gone: undefined, ...row.inner } }),
    ],
    ['a key too many', 'inner.more', (row) => ({ ...row, inner: { ...row.inner, more: 1 } })],
    ['null for an object', 'inner', (row) => ({ ...row, inner: null })],
    ['undefined for an object', 'inner', (row) => ({ ...row, inner: undefined })],
    ['an object for null', 'maybe', (row) => ({ ...row, maybe: row.maybe ?? { n: 1 } })],
    [
      'an object of a class',
      'inner',
      (row) => ({
        ...row,
        inner: Object.assign(
          new (class Inner {
            at: unknown
          })(),
          row.inner,
        ),
      }),
    ],
    ['no row', '(root)', () => undecodable],
  ])('names the path of %s', (_, path, change) => {
    const fails = faultOf({ normalize: changing(change) })
    expect(fails).toThrow(expect.objectContaining({ code: 'E_CODEC_PROOF' }))
    expect(fails).toThrow(`a generated row changed at "${path}" between`)
  })

  it('fails if a function throws, with its error as the cause', () => {
    const error = new Error('no code')
    const fails = faultOf({
      decodeUtf8: () => {
        throw error
      },
    })
    expect(fails).toThrow(expect.objectContaining({ code: 'E_CODEC_PROOF', cause: error }))
  })

  it.each(['clone', 'cloneMany', 'freeze'] as const)('does not call %s for null or undefined', (name) => {
    const given: unknown[] = []
    const codec = keeping()
    const spied = {
      ...codec,
      [name]: (row: unknown, count: number) => {
        given.push(row)
        return codec[name](row, count)
      },
    }
    proveCodec(spied, { ...number, nullable: true, undefinable: true }, 'Lot')
    expect(new Set(given.map((row) => typeof row))).toEqual(new Set(['number']))
  })
})
