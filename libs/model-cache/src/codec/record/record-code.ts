import { FunctionWriter } from '../function-writer.js'
import * as digits from './digits.js'

/** The code of a record's writer, which knows where the digits of the head go. */
export class RecordCode extends FunctionWriter {
  /** Whether no text of the body can have other characters. */
  isAscii = true
  readonly #isShort: boolean
  /** The next digit of a short head. */
  #at = 0

  /** @param isShort whether each digit is a variable, `d0` and so on; otherwise they go to `bytes`, where `end` advances */
  constructor(isShort: boolean) {
    super()
    this.#isShort = isShort
  }

  /** Writes the digits of a constant, or of the value of a name. */
  digits(value: string | number, count: number): void {
    const places = digits
      .digitsOf(value, count)
      .map((code) => `${this.#isShort ? `d${this.#at++}` : 'bytes[end++]'} = ${code}`)
    if (count > 0) this.line(places.join('; '))
  }

  /** Writes alternatives, each of which writes the same digits, or returns. */
  choose(cases: readonly (readonly [condition: string, write: () => void])[], otherwise: () => void): void {
    if (cases.length === 0) return otherwise()
    const start = this.#at
    const branches = [
      ...cases.map(([condition, write]) => [`if (${condition})`, write] as const),
      ['', otherwise] as const,
    ]
    const ends = branches.map(([condition, write], i) => {
      this.#at = start
      this.block(`${i > 0 ? 'else ' : ''}${condition}`.trimEnd(), write)
      return this.#at
    })
    this.#at = Math.max(...ends)
  }
}
