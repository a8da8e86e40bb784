import { Decimal } from '@prisma/client/runtime/client'
import { type } from 'arktype'
import { bytes, compileCodec, decimalOf } from 'model-cache/codec'

const valuesPerRow = 100

type Random = (below: number) => number

const { imul, floor } = Math

/** Numbers below a bound, from a fixed seed, so that a failure can be met again. */
function createRandom(): Random {
  let state = 20_261_121
  return (below) => {
    state = (imul(state, 1_664_525) + 1_013_904_223) | 0
    return floor(((state >>> 0) / 2 ** 32) * below)
  }
}

interface Case<T> {
  readonly codec: { encode(row: { values: T[] }): string; decode(text: string): unknown }
  make(random: Random): T
  isSame(returned: T, value: T): boolean
}

/** Sends values through a codec, and describes the first that came back different. */
function firstChanged<T>(count: number, { codec, make, isSame }: Case<T>): string | undefined {
  const random = createRandom()
  for (let row = 0; row < count / valuesPerRow; row++) {
    const values: T[] = []
    for (let i = 0; i < valuesPerRow; i++) values.push(make(random))
    const text = codec.encode({ values })
    if (!text.startsWith('#')) return `${String(values)} did not fit into a record`
    const returned = (codec.decode(text) as { values: T[] }).values
    for (let i = 0; i < valuesPerRow; i++) {
      if (!isSame(returned[i]!, values[i]!)) return `${String(values[i])} came back as ${String(returned[i])}`
    }
  }
  return undefined
}

const areEqual = (a: ArrayLike<number>, b: ArrayLike<number>): boolean => {
  if (a.length !== b.length) return false
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false
  return true
}

/** The tests of a scalar's values in records, so many of each. */
export function describeValues(count: number): void {
  describe(`of ${count.toLocaleString('en')} values, each comes back equal:`, () => {
    it('decimals, with the parts that their constructor makes', () => {
      const make = (random: Random) => {
        const digits = random(10 ** (1 + random(9))) + (random(4) === 0 ? String(random(10 ** 9)) : '')
        return new Decimal(`${random(2) ? '-' : ''}${digits}e${random(34) - 22}`)
      }
      const isSame = (a: Decimal, b: Decimal) =>
        a instanceof Decimal &&
        a.constructor === b.constructor &&
        a.s === b.s &&
        a.e === b.e &&
        areEqual(a.d, b.d)
      const codec = compileCodec(type({ values: decimalOf(Decimal).array() }))
      expect(firstChanged(count, { codec, make, isSame })).toBeUndefined()
    })

    it('dates', () => {
      // All that a record holds: dates after the year 4199 would make each of these rows JSON.
      const ranges = [2 ** 31, 2 ** 42, 2 ** 46]
      const make = (random: Random) => new Date(random(ranges[random(3)]!) * (random(2) ? 1 : -1))
      const isSame = (a: Date, b: Date) => a instanceof Date && a.getTime() === b.getTime()
      const codec = compileCodec(type({ values: 'Date[]' }))
      expect(firstChanged(count, { codec, make, isSame })).toBeUndefined()
    })

    it('bigints', () => {
      const make = (random: Random) => {
        let value = BigInt(random(2 ** 31) - 2 ** 30)
        for (let words = random(4); words > 0; words--) value = value * 2n ** 31n + BigInt(random(2 ** 31))
        return value
      }
      const codec = compileCodec(type({ values: 'bigint[]' }))
      expect(firstChanged(count, { codec, make, isSame: (a, b) => a === b })).toBeUndefined()
    })

    it('byte arrays', () => {
      const make = (random: Random) => {
        const value = new Uint8Array(random(12))
        for (let i = 0; i < value.length; i++) value[i] = random(256)
        return value
      }
      const codec = compileCodec(type({ values: bytes.array() }))
      expect(firstChanged<Uint8Array<ArrayBuffer>>(count, { codec, make, isSame: areEqual })).toBeUndefined()
    })

    it('numbers', () => {
      const bits = new DataView(new ArrayBuffer(8))
      const make = (random: Random) => {
        if (random(2)) return random(2 ** 32) - 2 ** 31
        bits.setInt32(0, random(2 ** 32))
        bits.setInt32(4, random(2 ** 32))
        const value = bits.getFloat64(0)
        return value - value === 0 ? value : 0
      }
      const codec = compileCodec(type({ values: 'number[]' }))
      expect(firstChanged(count, { codec, make, isSame: (a, b) => Object.is(a, b) })).toBeUndefined()
    })
  })
}
