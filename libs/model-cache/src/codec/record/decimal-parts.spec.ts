import { isDeepStrictEqual } from 'node:util'
import { Decimal } from '@prisma/client/runtime/client'
import type { DecimalConstructor } from '../wire-plan.js'
import { type DecimalParts, decimalReaderFor } from './decimal-parts.js'
import { decimalExponentOffset } from './digits.js'

interface Parts extends DecimalParts {
  readonly d: readonly number[]
}
const partsOf = (text: string) => new Decimal(text) as unknown as Parts
const textOf = ({ s, e, d }: Parts): string =>
  String(Object.assign(Object.create(Decimal.prototype) as object, { constructor: Decimal, s, e, d }))

/** A class with the properties of decimal.js, which counts the texts that it parses. A new one has a new reader. */
function classOf(change: (made: Record<string, unknown>, text: string) => void = () => {}) {
  const texts: string[] = []
  class Money {
    constructor(text: string) {
      texts.push(text)
      const { s, e, d } = partsOf(text)
      const made: object = Object.assign(this, { constructor: Money, s, e, d: [...d] })
      change(made as Record<string, unknown>, text)
    }
    static isDecimal(value: unknown): boolean {
      return value instanceof Money
    }
    toString(): string {
      return textOf(this as unknown as Parts)
    }
  }
  return { Money: Money as DecimalConstructor, texts }
}

/** Reads a decimal of the digits that a record has of it. */
function read(Class: DecimalConstructor, text: string): object {
  const { oneWord, twoWords } = decimalReaderFor(Class)
  const { s, e, d } = partsOf(text)
  const tag = d.length * 2 + (s < 0 ? 1 : 0)
  const exponent = e + decimalExponentOffset
  return d.length === 1 ? oneWord(tag, exponent, d[0]!) : twoWords(tag, exponent, d[0]!, d[1]!)
}

const texts =
  '0 -0 1 -1 9 10 -10.5 0.1 -0.01 9999999 1e7 1234567.0000089 -9999999.9999999 1e-7 1e-8 1e-20 1e21 1e43 10200.5'.split(
    ' ',
  )

describe('decimals of the digits of a record', () => {
  it.each(texts)('%s equals that of the constructor', (text) => {
    const Class = Decimal.clone() as unknown as DecimalConstructor
    const made = read(Class, text)
    expect(isDeepStrictEqual(made, new Class(text))).toBe(true)
    expect(String(made)).toBe(String(new Decimal(text)))
  })

  it('are made without their text if the properties of the class are those of decimal.js', () => {
    const { Money, texts: parsed } = classOf()
    decimalReaderFor(Money)
    const before = parsed.length
    const made = texts.map((text) => read(Money, text))
    expect(parsed).toHaveLength(before)
    expect(made.every((each, i) => isDeepStrictEqual(each, new Money(texts[i]!)))).toBe(true)
  })

  // Made in the test: the reader of a class is made once.
  it.each<[string, () => DecimalConstructor]>([
    [
      'a property of its own in some',
      () =>
        classOf((made) => {
          if ((made.s as number) < 0) made.isDebt = true
        }).Money,
    ],
    [
      'private state',
      () =>
        class Private {
          readonly #text: string
          readonly s: number
          readonly e: number
          readonly d: readonly number[]
          constructor(text: string) {
            this.#text = text
            const { s, e, d } = partsOf(text)
            Object.assign(this, { constructor: Private })
            this.s = s
            this.e = e
            this.d = d
          }
          static isDecimal = () => false
          toString(): string {
            return this.#text.replace(/^(-?)(\d+)\.?(\d*)e(.*)/, (all) => textOf(partsOf(all)))
          }
        },
    ],
    [
      'no such properties',
      () =>
        class Plain {
          readonly text: string
          constructor(text: string) {
            this.text = String(new Decimal(text))
          }
          static isDecimal = () => false
          toString(): string {
            return this.text
          }
        },
    ],
    [
      'state elsewhere',
      () => {
        const kept = new WeakMap<object, string>()
        const { Money } = classOf((made, text) => void kept.set(made, text))
        Object.assign(Money.prototype as object, {
          toString(this: Parts): string {
            return kept.has(this) ? textOf(this) : 'lost'
          },
        })
        return Money
      },
    ],
  ])('are made of their text if the class has %s', (_, create) => {
    const Class = create()
    for (const text of texts) {
      const made = read(Class, text)
      expect(isDeepStrictEqual(made, new Class(text))).toBe(true)
      expect(String(made)).toBe(String(new Decimal(text)))
      expect(made).toBeInstanceOf(Class)
    }
  })

  it('are one object for equal digits, and of one reader for a class', () => {
    const { Money } = classOf()
    expect(decimalReaderFor(Money)).toBe(decimalReaderFor(Money))
    const made = texts.map((text) => read(Money, text))
    expect(new Set(made).size).toBe(texts.length)
    for (const text of texts) expect(read(Money, text)).toBe(read(Money, text))
    expect(read(classOf().Money, '1')).not.toBe(read(Money, '1'))
  })

  it('stay known for as long as their places are not needed', () => {
    const { Money } = classOf()
    const prices = Array.from({ length: 200 }, (_, i) => `${i * 13}.${i % 10}`)
    const made = prices.map((text) => read(Money, text))
    const known = prices.filter((text, i) => read(Money, text) === made[i])
    expect(known.length).toBeGreaterThan(180)
  })

  it.each([
    ['first words', (i: number) => String(1_000_000 + i)],
    ['first words of two', (i: number) => `${1_000_000 + i}.5`],
    ['second words', (i: number) => `7.${String(i + 1).padStart(7, '0')}`],
    ['signs', (i: number) => `${i % 2 ? '-' : ''}${1_000_000 + (i >> 1)}`],
    ['exponents', (i: number) => `${1 + (i % 9)}e${(Math.trunc(i / 9) % 60) - 20}`],
  ])('are told apart by their %s, also where they share a place', (_, textAt) => {
    const { Money } = classOf()
    for (let i = 0; i < 8_000; i++) {
      const expected = partsOf(textAt(i))
      const { s, e, d } = read(Money, textAt(i)) as Parts
      if (s !== expected.s || e !== expected.e || d.join() !== expected.d.join())
        throw new Error(`${textAt(i)} was read as ${textOf({ s, e, d })}`)
    }
  })

  it.each([
    [2, 20, [10]],
    [2, 21, [0]],
    [2, 21, [9]],
    [2, 21, [100]],
    [2, 19, [999_999]],
    [2, 19, [10_000_000]],
    [3, 20, [10]],
    [4, 20, [0, 5]],
    [4, 20, [10, 5]],
    [4, 20, [5, 0]],
    [5, 20, [5, 10_000_000]],
  ] as const)(
    'are refused for the tag %i, the exponent %i and the words %j, which no decimal has',
    (tag, exponent, words) => {
      const { oneWord, twoWords } = decimalReaderFor(classOf().Money)
      const [first, second] = words
      const make = () =>
        second === undefined ? oneWord(tag, exponent, first) : twoWords(tag, exponent, first, second)
      for (const _ of ['first', 'second']) expect(make).toThrow('not the parts of a decimal')
    },
  )
})
