import { isDeepStrictEqual } from 'node:util'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext, runInThisContext } from 'node:vm'
import { jest } from '@jest/globals'
import { Decimal } from '@prisma/client/runtime/client'
import { type } from 'arktype'
import { compileCodec, createCodec } from '../compile-codec.js'
import { compilePlan } from '../compile-plan.js'
import { undecodable } from '../codec.js'
import { FunctionWriter } from '../function-writer.js'
import { decimalOf, json } from '../row-types.js'
import type { WirePlan } from '../wire-plan.js'
import { compileRecordWriter } from './record-writer.js'

setFlagsFromString('--allow-natives-syntax')
const hasFastProperties = runInThisContext('(row) => %HasFastProperties(row)') as (row: unknown) => boolean
const haveSameMap = runInThisContext('(a, b) => %HaveSameMap(a, b)') as (a: unknown, b: unknown) => boolean

const createPrices = () => compileCodec(type({ price: decimalOf(Decimal) }))
let prices: ReturnType<typeof createPrices>
beforeEach(() => {
  prices = createPrices()
})
const read = (price: Decimal) => (prices.decode(prices.encode({ price })) as { price: Decimal }).price

describe('decimals of a record', () => {
  it.each(['NaN', 'Infinity', '-Infinity'])('%s round-trips', (text) => {
    expect(read(new Decimal(text)).toString()).toBe(text)
  })

  it('are refused with properties that no decimal has, with which decimal.js would never return', () => {
    const payload = prices.encode({ price: new Decimal('5.25') })
    expect(prices.decode(`${payload.slice(0, -5)}0000#`)).toBe(undecodable)
    let refused = 0
    for (let at = 1; at < payload.length; at++) {
      for (let bit = 0; bit < 6; bit++) {
        const damaged =
          payload.slice(0, at) +
          String.fromCharCode(payload.charCodeAt(at) ^ (1 << bit)) +
          payload.slice(at + 1)
        const row = prices.decode(damaged)
        if (row === undecodable) refused++
        else expect(isDeepStrictEqual(new Decimal(row!.price.toString()), row!.price)).toBe(true)
      }
    }
    expect(refused).toBeGreaterThan(0)
  })
})

describe('rows of a record', () => {
  const schema = type({
    id: 'string',
    at: 'Date | null',
    tags: 'string[]',
    n: 'number',
    inner: { flag: 'boolean' },
  })
  const create = () => compileCodec(schema)
  let codec: ReturnType<typeof create>
  beforeEach(() => {
    codec = create()
  })

  it('have fast properties and one hidden class', () => {
    const rows = Array.from({ length: 100 }, (_, i) => ({
      id: `row ${i}`,
      at: i % 2 ? null : new Date(i),
      tags: ['x'],
      n: i % 3 ? i : i / 7,
      inner: { flag: true },
    })).map(
      (row) =>
        codec.decode(codec.encode(row)) as typeof codec extends { decode(text: string): infer R } ? R : never,
    )
    expect(rows.every(hasFastProperties)).toBe(true)
    expect(rows.every((row) => haveSameMap(row, rows[0]))).toBe(true)
  })

  it('do not depend on previously written rows', () => {
    const small = { id: 'a', at: null, tags: [], n: 0, inner: { flag: false } }
    const before = codec.encode(small)
    codec.encode({
      ...small,
      id: 'b',
      at: new Date(8e12),
      tags: Array.from({ length: 5_000 }, String),
      n: -5,
    })
    expect(codec.encode(small)).toBe(before)
  })

  it('are records of any size, also while the space for heads grows', async () => {
    // Modules of their own, whose space has not grown.
    const modules = ['writer', 'reader'].map(
      (name) => import(`./record-${name}.ts?${process.hrtime.bigint()}`),
    )
    const [{ compileRecordWriter }, { compileRecordReader }] = (await Promise.all(modules)) as [
      typeof import('./record-writer.js'),
      typeof import('./record-reader.js'),
    ]
    const plan = compilePlan(type('string[]'), 'Lot')
    const write = compileRecordWriter(plan)
    const { read, wide } = compileRecordReader(plan)
    for (const count of [1, 335, 336, 337, 400, 2_000, 50_000]) {
      const row = Array<string>(count).fill('é')
      const record = write(row)!
      wide.beginPlain()
      const headEnd = 16 + 3 * count
      expect(read(Buffer.from(record), 13, headEnd, record, headEnd)).toEqual(row)
    }
    expect(write(['x', 1])).toBeNull()
  })

  it.each([
    ['whole', '#', true],
    ['damaged', 'x', false],
  ])('keep no response alive, of which they may be a small part (%s)', async (_, mark, isRead) => {
    setFlagsFromString('--expose-gc')
    const collect = runInNewContext('gc') as () => void
    const codec = compileCodec(type({ text: 'string', data: json }))
    const readOne = (): WeakRef<Buffer> => {
      const payload = codec.encode({ text: `“${'x'.repeat(1_000)}”`, data: { a: 'b' } }).slice(0, -1) + mark
      const bytes = Buffer.from(new TextEncoder().encode(payload).buffer)
      const row = codec.decodeUtf8(bytes)
      expect(row).toEqual(isRead ? expect.objectContaining({ data: { a: 'b' } }) : undecodable)
      return new WeakRef(bytes)
    }
    const response = readOne()
    await new Promise(setImmediate)
    collect()
    expect(response.deref()).toBeUndefined()
  })

  it('are written to variables up to 128 digits, which is faster', () => {
    const planOf = (count: number): WirePlan => {
      const boolean = { kind: 'boolean', nullable: false, undefinable: false } as const
      return { ...boolean, kind: 'tuple', items: Array.from({ length: count }, () => boolean) }
    }
    const compiling = jest.spyOn(FunctionWriter.prototype, 'compile')
    const sourceOf = (count: number) => {
      compileRecordWriter(planOf(count))
      return (compiling.mock.contexts.at(-1) as FunctionWriter).source('row')
    }
    expect(sourceOf(128)).not.toContain('bytes')
    expect(sourceOf(129)).toContain('bytes')
    for (const count of [127, 128, 129, 500]) {
      const record = createCodec<boolean[]>(planOf(count))
      const row = Array.from({ length: count }, (_, i) => i % 3 === 0)
      const payload = record.encode(row)
      expect(payload).toHaveLength(11 + count)
      expect([record.decode(payload), record.decodeUtf8(Buffer.from(payload))]).toEqual([row, row])
    }
  })

  it.each([
    ['a string longer than a length can encode', { id: 'x'.repeat(300_000) }],
    ['a string that is not well-formed', { id: '\ud800' }],
    ['more elements than the scratch space holds', { tags: Array.from({ length: 20_000 }, String) }],
    ['halves of a character in two texts', { id: '\ud83c', tags: ['\udf81'] }],
  ])('come back with %s, over UTF-8', (_, change) => {
    const row = { id: 'a', at: null, tags: ['t'], n: 1, inner: { flag: true }, ...change }
    const payload = Buffer.from(codec.encode(row as never)).toString()
    expect(codec.decode(payload)).toStrictEqual(row)
  })

  it.each([
    ['the letter with an accent is as long as what was cut', { colour: 'rosé', name: 'No. ##' }],
    ['a curly quote hides a letter with an accent', { colour: 'rosé ’', name: `${'x'.repeat(800)}##` }],
    ['lengths and head are of digits that look like others', { colour: 'o'.repeat(64), name: '' }],
    ['all texts are of other scripts', { colour: '日本語', name: 'Ελλάδα 🎁' }],
  ])('are refused where one byte is missing, also where %s', (_, row) => {
    const wines = compileCodec(type({ colour: 'string', name: 'string', 'sold?': 'boolean' }))
    const bytes = Buffer.from(wines.encode(row))
    for (let at = 0; at < bytes.length; at++) {
      const cut = bytes.subarray(0, at)
      for (const damaged of [cut, Buffer.concat([cut, bytes.subarray(at + 1)])]) {
        expect([at, wines.decodeUtf8(damaged)]).toEqual([at, undecodable])
      }
    }
    const payload = wines.encode(row)
    for (let at = 0; at < payload.length; at++) {
      for (const damaged of [payload.slice(0, at), payload.slice(0, at) + payload.slice(at + 1)])
        expect([at, wines.decode(damaged)]).toEqual([at, undecodable])
    }
    expect(wines.decodeUtf8(bytes)).toEqual(row)
  })

  it.each(['0.x', '---'])('are not read with the number %j', (text) => {
    const numbers = compileCodec(type({ n: 'number' }))
    const payload = numbers.encode({ n: 0.5 })
    expect(numbers.decode(payload.replace('0.5', '1.5'))).toEqual({ n: 1.5 })
    expect(numbers.decode(payload.replace('0.5', text))).toBe(undecodable)
  })

  it('are not read from a head that is too short for their fields', () => {
    const tags = compileCodec(type('string[]'))
    const other = compileCodec(type({ n: 'number', 'tags?': 'string[]' }))
    expect(other.decode(tags.encode([]))).toBe(undecodable)
  })
})
