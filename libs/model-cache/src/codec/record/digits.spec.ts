import * as digits from './digits.js'

const { zero } = digits
function run(code: string, at: number, of: unknown): unknown {
  // eslint-disable-next-line no-new-func -- what is tested is code
  return new Function('at', 'of', `return ${code}`)(at, of)
}

/** What generated code writes. */
function written(value: number, count: number, isConstant: boolean): Uint8Array {
  const codes = digits.digitsOf(isConstant ? value : 'of', count)
  return Uint8Array.from(codes, (code) => Number(run(String(code), 0, value)))
}
/** What generated code reads. */
function read(bytes: Uint8Array, at: number, offset: number, count: number): number {
  return run(`((bytes) => ${digits.readDigits('at', offset, count)})(of)`, at, bytes) as number
}

describe('the digits of a record', () => {
  it('are those of the records that stores hold', () => {
    const {
      bitsPerDigit,
      mark,
      charOf: _,
      readCode: __,
      readDigits: ___,
      digitsOf: ____,
      ...numbers
    } = digits
    expect([zero, bitsPerDigit, String.fromCharCode(mark)]).toEqual([48, 6, '#'])
    expect(numbers).toEqual({
      zero: 48,
      bodyDigits: 4,
      maxBody: 64 ** 4 - 1,
      lengthDigits: 3,
      maxLength: 64 ** 3 - 3,
      missingLength: 64 ** 3 - 2,
      nullLength: 64 ** 3 - 1,
      numberDigits: 5,
      integerOffset: 2 ** 29,
      textNumber: 64 ** 5 - 128,
      missingNumber: 64 ** 5 - 2,
      nullNumber: 64 ** 5 - 1,
      halfDateDigits: 4,
      dateOffset: 2 ** 47,
      missingHalfDate: 64 ** 4 - 2,
      nullHalfDate: 64 ** 4 - 1,
      decimalWordDigits: 4,
      decimalExponentOffset: 20,
      nullTag: 62,
      missingTag: 63,
      maxTags: 62,
    })
  })

  it.each([1, 2, 3, 4, 5])('of %i digits are read as they were written', (count) => {
    for (const value of [0, 1, 63, 64 ** count - 2, 64 ** count - 1, (64 ** count - 1) / 3]) {
      const whole = Math.trunc(value)
      for (const isConstant of [true, false]) {
        const bytes = written(whole, count, isConstant)
        expect(bytes).toHaveLength(count)
        expect(bytes.every((byte) => byte >= zero && byte < zero + 64 && byte !== digits.mark)).toBe(true)
        expect(read(Uint8Array.from([9, 9, 9, ...bytes, 9]), 2, 1, count)).toBe(whole)
      }
    }
  })

  it('have the character that generated code compares', () => {
    const [byte] = written(digits.missingTag, 1, true)
    expect(digits.charOf(digits.missingTag)).toBe(byte)
    expect(run(`((bytes) => ${digits.readCode('at')})(of)`, 1, [7, byte])).toBe(byte)
  })
})
