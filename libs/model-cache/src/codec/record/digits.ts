/**
 * Numbers in the head of a record are digits of base 64, the characters from `0` (48) to `o` (111): one byte each in
 * UTF-8, so that their place in the text is known without reading what stands before them.
 */
export const zero = 48
export const bitsPerDigit = 6

/** The character that begins a record, stands between its lengths and its head, and ends it; no digit. */
export const mark = '#'.charCodeAt(0)

/** Digits of the length of a body, and the longest body. */
export const bodyDigits = 4
export const maxBody = 2 ** (bitsPerDigit * bodyDigits) - 1

/** Digits of a length, and its largest values, which say that there is nothing. */
export const lengthDigits = 3
export const nullLength = 2 ** (bitsPerDigit * lengthDigits) - 1
export const missingLength = nullLength - 1
export const maxLength = missingLength - 1

/** Digits of a number. Small integers stand for themselves, from `-integerOffset`; others are text in the body. */
export const numberDigits = 5
export const nullNumber = 2 ** (bitsPerDigit * numberDigits) - 1
export const missingNumber = nullNumber - 1
export const textNumber = nullNumber - 127
export const integerOffset = 2 ** (bitsPerDigit * numberDigits - 1)

/** A date is two halves of its milliseconds, from `-2 ** 47`; no date comes near the largest upper half. */
export const halfDateDigits = 4
export const dateOffset = 2 ** 47
export const nullHalfDate = 2 ** (bitsPerDigit * halfDateDigits) - 1
export const missingHalfDate = nullHalfDate - 1

/** A decimal: tag, exponent, and two words of decimal.js' base 1e7. */
export const decimalWordDigits = 4
export const decimalExponentOffset = 20
export const nullTag = 62
export const missingTag = 63

/** Characters of single digits, as the reader compares them. */
export const charOf = (digit: number): number => digit + zero

/** The largest number of constants, or of branches, that one digit can tell apart, beside null and missing. */
export const maxTags = nullTag

/** An expression that reads the code of a digit in `bytes`; `at` is an expression. */
export const readCode = (at: string): string => `bytes[${at}]`

/** An expression that reads digits in `bytes`; `at` is an expression, `offset` a constant. */
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

/** Statements that write digits to `bytes` and move `end` behind them; `value` is a name or a constant. */
export function writeDigits(value: string, digits: number): string {
  return Array.from({ length: digits }, (_, i) => {
    const shift = bitsPerDigit * (digits - 1 - i)
    const digit = shift > 0 ? `(${value} >> ${shift} & 63)` : `(${value} & 63)`
    return `bytes[end++] = ${digit} + ${zero}`
  }).join('; ')
}
