/**
 * Numbers in the head of a record are base-64 digits, the characters from `0` (48) to `o` (111). Each is one byte in UTF-8, so
 * the offset of a digit does not depend on the values before it.
 */
export const zero = 48
export const bitsPerDigit = 6

/** The character at the start of a record, between its lengths and its head, and at its end. It is not a digit. */
export const mark = '#'.charCodeAt(0)

/** Number of digits of a body length, and the maximum body length. */
export const bodyDigits = 4
export const maxBody = 2 ** (bitsPerDigit * bodyDigits) - 1

/** Number of digits of a length. Its largest values mean null and missing. */
export const lengthDigits = 3
export const nullLength = 2 ** (bitsPerDigit * lengthDigits) - 1
export const missingLength = nullLength - 1
export const maxLength = missingLength - 1

/** Number of digits of a number. Small integers from `-integerOffset` are in the head; others are strings in the body. */
export const numberDigits = 5
export const nullNumber = 2 ** (bitsPerDigit * numberDigits) - 1
export const missingNumber = nullNumber - 1
export const textNumber = nullNumber - 127
export const integerOffset = 2 ** (bitsPerDigit * numberDigits - 1)

/** A date is two halves of its milliseconds since `-2 ** 47`. No date reaches the largest upper half. */
export const halfDateDigits = 4
export const dateOffset = 2 ** 47
export const nullHalfDate = 2 ** (bitsPerDigit * halfDateDigits) - 1
export const missingHalfDate = nullHalfDate - 1

/** A decimal: tag, exponent and two base-1e7 words of decimal.js. */
export const decimalWordDigits = 4
export const decimalExponentOffset = 20
export const nullTag = 62
export const missingTag = 63

/** Character code of a single digit, for comparisons in the reader. */
export const charOf = (digit: number): number => digit + zero

/** Maximum number of constants or branches that one digit can encode, besides null and missing. */
export const maxTags = nullTag

/** Returns an expression for the character code of a digit in `bytes`; `at` is an expression. */
export const readCode = (at: string): string => `bytes[${at}]`

/** Returns an expression for the value of digits in `bytes`; `at` is an expression, `offset` a constant. */
export function readDigits(at: string, offset: number, digits: number): string {
  const terms: string[] = []
  let zeros = 0
  for (let i = 0; i < digits; i++) {
    const shift = bitsPerDigit * (digits - 1 - i)
    const char = readCode(`${at} + ${offset + i}`)
    terms.push(shift > 0 ? `(${char} << ${shift})` : char)
    zeros += zero * 2 ** shift
  }
  return `${terms.join(' + ')} - ${zeros}`
}

/** Returns an expression for the character code of each digit of a constant, or of the value of a name. */
export function digitsOf(value: string | number, digits: number): (string | number)[] {
  return Array.from({ length: digits }, (_, i) => {
    const shift = bitsPerDigit * (digits - 1 - i)
    if (typeof value === 'number') return ((value >> shift) & 63) + zero
    return `${shift > 0 ? `(${value} >> ${shift} & 63)` : `(${value} & 63)`} + ${zero}`
  })
}
