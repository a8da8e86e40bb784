import { isDate } from 'node:util/types'
import { type } from 'arktype'
import type { ConfigurationError } from '../errors.js'
import { undecodable, type Codec } from './codec.js'
import { compileCodec, createCodec, type CodecOptions } from './compile-codec.js'
import { compilePlan } from './compile-plan.js'
import { decimalOf } from './row-types.js'
import type { Stringifier } from './stringifier.js'

/** Loses its cents as text. */
class Rounded {
  readonly s = 1
  readonly cents: number
  constructor(text: string) {
    this.cents = Math.round(Number(text) * 100)
  }
  static isDecimal(value: unknown): boolean {
    return value instanceof Rounded
  }
  isZero(): boolean {
    return this.cents === 0
  }
  toString(): string {
    return String(Math.round(this.cents / 100))
  }
}

const schema = type({ id: 'string', at: 'Date', tags: 'string[]' })
const lossy = schema.and({ price: decimalOf(Rounded) })
type Row = typeof schema.infer
type Lossy = typeof lossy.infer

const row = (): Row => ({ id: 'a', at: new Date(5), tags: ['x'] })
const functions = ['encode', 'decode', 'decodeUtf8', 'clone', 'cloneMany', 'freeze', 'normalize'] as const

function create<R>(of: object, options: CodecOptions<R> = {}): Codec<R> {
  return createCodec<R>(compilePlan(of as never, 'Lot'), { name: 'Lot', ...options })
}

describe.each(['record', 'json'] as const)('a codec of format %s', (format) => {
  it('creates each function when it is first called', () => {
    const codec = create<Row>(schema, { format })
    const given = { ...codec }
    codec.clone(row())
    expect(functions.filter((name) => codec[name] !== given[name])).toEqual(['clone'])
    codec.decode(codec.encode(row()))
    expect(functions.filter((name) => codec[name] !== given[name])).toEqual(['encode', 'decode', 'clone'])
    const { clone } = codec
    codec.clone(row())
    expect(codec.clone).toBe(clone)
  })

  it('works by functions that were taken from it before they were created', () => {
    const { encode, decode, decodeUtf8, clone, cloneMany, freeze, normalize } = create<Row>(schema, {
      format,
    })
    for (const _ of ['first', 'second']) {
      const text = encode(row())
      const rows = [decode(text), decodeUtf8(Buffer.from(text)), clone(row()), ...cloneMany(row(), 2)]
      for (const read of [...rows, normalize(row())]) expect(read).toStrictEqual(row())
      expect(Object.isFrozen(freeze(row()))).toBe(true)
    }
  })
})

describe('the proof of a codec', () => {
  it('passes once for all', () => {
    const failures: ConfigurationError[] = []
    const codec = create<Row>(schema, { onUnproven: (error) => failures.push(error) })
    codec.prove()
    codec.prove()
    expect(codec.decode(codec.encode(row()))).toStrictEqual(row())
    expect(failures).toEqual([])
  })

  it('fails for values that change, naming model and path, at every call, and is reported once', () => {
    const failures: ConfigurationError[] = []
    const codec = create<Lossy>(lossy, { onUnproven: (error) => failures.push(error) })
    for (const _ of ['first', 'second']) {
      expect(() => codec.prove()).toThrow(expect.objectContaining({ code: 'E_CODEC_PROOF' }))
      expect(() => codec.prove()).toThrow(/"Lot".* at "price"/)
    }
    expect(failures).toEqual([expect.objectContaining({ code: 'E_CODEC_PROOF' })])
  })

  it.each(functions)('is run by the first call of %s', (name) => {
    const failures: ConfigurationError[] = []
    const codec = create<Lossy>(lossy, { onUnproven: (error) => failures.push(error) })
    const given = { ...row(), price: new Rounded('1.23') }
    const call = () => (codec[name] as (value: unknown, more?: number) => unknown)(given, 0)
    if (name === 'encode') expect(call).toThrow(expect.objectContaining({ code: 'E_CODEC_PROOF' }))
    else call()
    expect(failures).toHaveLength(1)
  })

  it('lets a codec that failed it read and write nothing, and copy rows as they are', () => {
    const codec = create<Lossy>(lossy)
    const given = Object.assign(row(), {
      price: new Rounded('1.23'),
      bytes: Buffer.from('b'),
      more: [{ n: 1 }],
    })
    expect(() => codec.encode(given)).toThrow(expect.objectContaining({ code: 'E_CODEC_PROOF' }))
    expect(codec.decode('{}')).toBe(undecodable)
    expect(codec.decodeUtf8(Buffer.from('{}'))).toBe(undecodable)
    expect(codec.normalize(given)).toBe(given)
    expect(codec.cloneMany(given, 2)).toHaveLength(2)
    for (const copy of [codec.clone(given), ...codec.cloneMany(given, 2)] as (typeof given)[]) {
      expect(copy).toEqual({ ...given, bytes: new Uint8Array(given.bytes) })
      expect(copy.price).toBe(given.price)
      for (const part of ['at', 'tags', 'bytes', 'more'] as const) expect(copy[part]).not.toBe(given[part])
      expect(copy.more[0]).not.toBe(given.more[0])
    }
    const frozen = codec.freeze(codec.clone(given)) as typeof given
    expect([frozen, frozen.tags, frozen.more[0]].every(Object.isFrozen)).toBe(true)
    expect(() => frozen.at.setTime(0)).toThrow(/frozen row/)
    expect(isDate(frozen.at)).toBe(true)
    expect(codec.freeze(frozen)).toBe(frozen)
    for (const plain of [null, undefined, 'x'] as never[]) {
      expect([codec.freeze(plain), codec.clone(plain)]).toEqual([plain, plain])
    }
  })

  it('is not put off for a reviver by hand', () => {
    const failures: ConfigurationError[] = []
    const reviver = { at: 'date', price: 'decimal' } as never
    const options = { reviver, onUnproven: (error: ConfigurationError) => failures.push(error) }
    expect(() => create<Lossy>(lossy, options)).toThrow(expect.objectContaining({ code: 'E_CODEC_PROOF' }))
    expect(failures).toEqual([])
  })

  it('is not put off for a stringifier by hand, nor by compileCodec', () => {
    const failures: ConfigurationError[] = []
    const stringifier: Stringifier<Row> = {
      stringify: () => '{"id":"b","at":"2024-01-01T00:00:00.000Z","tags":[]}',
    }
    const options = { stringifier, onUnproven: (error: ConfigurationError) => failures.push(error) }
    expect(() => create<Row>(schema, options)).toThrow(expect.objectContaining({ code: 'E_CODEC_PROOF' }))
    expect(failures).toEqual([])
    expect(() => compileCodec(lossy, { name: 'Lot' })).toThrow(
      expect.objectContaining({ code: 'E_CODEC_PROOF' }),
    )
  })
})
