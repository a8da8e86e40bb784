import { type FunctionWriter, property } from '../function-writer.js'
import { isInheritedName, isPlainObject } from '../plain-object.js'
import { scalarOf } from '../scalars.js'
import type { PlanOf, WirePlan } from '../wire-plan.js'
import { writeBranches } from '../write-branches.js'
import * as digits from './digits.js'
import { headLengthOf, holdsJson, nullishDigitsOf, withoutNullish } from './head-length.js'
import { JsonWriter, unwritable } from './json-writer.js'
import { RecordCode } from './record-code.js'
import { constantsInWireOrder, inWireOrder } from './wire-order.js'

/**
 * Writes a row as a record. Returns null for a row that does not fit into a record or does not match the plan; the json
 * format distinguishes the two.
 */
export type WriteRecord = (row: unknown) => string | null

/** Compiles the writer of a plan: straight-line code that checks and writes in one pass. */
export function compileRecordWriter(plan: WirePlan): WriteRecord {
  const write = writeWriter(plan).compile<WriteRecord>('row')
  return (row) => {
    const record = write(row)
    if (record !== null || !scratch.grew) return record
    scratch.grew = false
    return write(row)
  }
}

const { byteLength } = Buffer

/** Buffer in which heads are written. Writes past its end are ignored; then it grows and the row is written again. */
const scratch = { bytes: Buffer.alloc(1_024), grew: false }

function takeHead(end: number): string | null {
  if (end <= scratch.bytes.length) return scratch.bytes.toString('latin1', 0, end)
  scratch.bytes = Buffer.alloc(end * 2)
  scratch.grew = true
  return null
}

/** Up to this number of digits, a string of the characters of a head is made faster than one of a buffer. */
const maxShortHead = 128

function writeWriter(root: WirePlan): FunctionWriter {
  const plan = withoutNullish(root)
  const length = headLengthOf(plan)
  return length !== undefined && length <= maxShortHead ? writeShort(plan, length) : writeLong(plan, length)
}

/** Writes each digit of the head to a variable, and makes a string of all of them. */
function writeShort(plan: WirePlan, length: number): FunctionWriter {
  const code = new RecordCode(true)
  const names = Array.from({ length }, (_, i) => `d${i}`)
  if (length > 0) code.line(`let ${names.map((name) => `${name} = 0`).join(', ')}`)
  code.line(`let body = ''`)
  writePresent(code, plan, 'row')
  const textOf = (lengths: readonly (string | number)[], end: readonly number[] = []): string => {
    const characters = [digits.mark, ...lengths, digits.mark, ...names, ...end]
    return `${code.constant(String.fromCharCode)}(${characters.join(', ')})`
  }
  // In one piece: V8 would have to join the end with the rest when the record is sent.
  code.line(`if (body === '') return ${textOf(digits.digitsOf(0, 2 * digits.bodyDigits), [digits.mark])}`)
  writeBodyLengths(code)
  const lengths = ['length', 'units'].flatMap((name) => digits.digitsOf(name, digits.bodyDigits))
  return code.line(`return ${textOf(lengths)} + body + '#'`)
}

/** Writes the digits of the head to a buffer. */
function writeLong(plan: WirePlan, length: number | undefined): FunctionWriter {
  const code = new RecordCode(false)
  const json = holdsJson(plan) ? code.instance(JsonWriter) : undefined
  code.line(`const bytes = ${code.constant(scratch)}.bytes`)
  code.line(`let body = ''`)
  code.line(`bytes[0] = ${digits.mark}`)
  const start = 1 + 2 * digits.bodyDigits + (length === undefined ? digits.lengthDigits : 0) + 1
  code.line(`let end = ${start}`)
  if (json) code.line(`if (!${json}.begin(bytes)) return null`)
  writePresent(code, plan, 'row')
  writeBodyLengths(code)
  // In one piece if there is no body, as for a short head.
  code.line(`if (length === 0) bytes[end++] = ${digits.mark}`)
  code.line('const last = end; end = 1')
  code.digits('length', digits.bodyDigits)
  code.digits('units', digits.bodyDigits)
  if (length === undefined) writeLength(code, code.assign(`last - ${start} - (length === 0 ? 1 : 0)`, 'n'))
  code.line(`bytes[end] = ${digits.mark}; end = last`)
  code.line(`const head = ${code.constant(takeHead)}(end)`)
  return code.line(`return head === null || length === 0 ? head : head + body + '#'`)
}

function writeBodyLengths(code: RecordCode): void {
  code.line('const units = body.length')
  if (code.isAscii) code.line('const length = units')
  else {
    code.line(`const length = units === 0 ? 0 : ${code.constant(byteLength)}(body)`)
    // Strings with lone surrogates do not survive UTF-8. ASCII has none.
    code.line('if (length !== units && !body.isWellFormed()) return null')
  }
  code.line(`if (length > ${digits.maxBody}) return null`)
}

/** @param isMissing the condition under which undefined means a missing key. @default there is no key */
function writeValue(code: RecordCode, plan: WirePlan, value: string, isMissing?: string): void {
  const { nothing, missing, count, rest } = nullishDigitsOf(plan)
  // The remaining digits are zeros, not left-overs of an earlier row.
  const writeNullish = (digit: number) => (): void => {
    code.digits(digit, count)
    code.digits(0, rest)
  }
  // A record can hold a missing key, but not explicit undefined.
  const writeMissing = (): void => {
    if (isMissing === undefined) return void code.line('return null')
    code.block(`if (${isMissing})`, writeNullish(missing))
    code.line('else return null')
  }
  const cases: [condition: string, write: () => void][] = []
  if (plan.nullable) cases.push([`${value} === null`, writeNullish(nothing)])
  if (plan.undefinable) cases.push([`${value} === undefined`, writeMissing])
  code.choose(cases, () => writePresent(code, plan, value))
}

function writePresent(code: RecordCode, plan: WirePlan, value: string): void {
  switch (plan.kind) {
    case 'string':
      code.line(`if (typeof ${value} !== 'string') return null`)
      return writeText(code, value)
    case 'boolean':
      return writeBoolean(code, value)
    case 'number':
      return writeNumber(code, value)
    case 'date':
      return writeDate(code, value)
    case 'decimal':
      return writeDecimal(code, plan, value)
    case 'literal':
      return writeLiteral(code, plan, value)
    case 'json':
      return writeJson(code, value)
    case 'object':
      return writeObject(code, plan, value)
    case 'tuple':
      return writeTuple(code, plan, value)
    case 'union':
      return writeUnion(code, plan, value)
    case 'array':
      return writeArray(code, plan, value)
    case 'record':
      return writeOpenRecord(code, plan, value)
    default:
      return writeConverted(code, plan, value)
  }
}

function writeText(code: RecordCode, text: string): void {
  code.isAscii = false
  writeAscii(code, text)
}

function writeAscii(code: RecordCode, text: string): void {
  writeLength(code, code.assign(`${text}.length`, 'n'))
  code.line(`body += ${text}`)
}

function writeLength(code: RecordCode, length: string): void {
  code.line(`if (${length} > ${digits.maxLength}) return null`)
  code.digits(length, digits.lengthDigits)
}

/** Writes a scalar that is serialized as a string. */
function writeConverted(code: RecordCode, plan: WirePlan, value: string): void {
  const scalar = scalarOf(plan)!
  code.line(`if (!${code.constant(scalar.accepts)}(${value})) return null`)
  writeAscii(code, code.assign(`${code.constant(scalar.toText)}(${value})`))
}

function writeJson(code: RecordCode, value: string): void {
  const json = code.instance(JsonWriter)
  code.isAscii = false
  // Null of a nullable field has been written already.
  code.line(`if (${value} === null) return null`)
  code.line(`end = ${json}.write(${value}, end)`)
  code.line(`if (end === ${unwritable}) return null`)
  code.line(`body += ${json}.takeTexts()`)
}

function writeBoolean(code: RecordCode, value: string): void {
  code.choose(
    [true, false].map((constant) => [`${value} === ${constant}`, () => code.digits(Number(constant), 1)]),
    () => code.line('return null'),
  )
}

/** Writes a small integer as digits and other numbers as strings; refuses -0. */
function writeNumber(code: RecordCode, value: string): void {
  const limit = digits.textNumber - digits.integerOffset
  const isInteger = `(${value} | 0) === ${value} && ${value} >= ${-digits.integerOffset} && ${value} < ${limit}`
  const writeInteger = (): void => {
    code.digits(code.assign(`${value} + ${digits.integerOffset}`, 'n'), digits.numberDigits)
  }
  const writeNumberText = (): void => {
    const text = code.assign(`String(${value})`)
    code.digits(code.assign(`${text}.length + ${digits.textNumber}`, 'n'), digits.numberDigits)
    code.line(`body += ${text}`)
  }
  code.choose(
    [
      [`typeof ${value} === 'number' && ${isInteger} && (${value} !== 0 || 1 / ${value} > 0)`, writeInteger],
      [`Number.isFinite(${value}) && ${value} !== 0`, writeNumberText],
    ],
    () => code.line('return null'),
  )
}

function writeDate(code: RecordCode, value: string): void {
  code.line(`if (!(${value} instanceof Date)) return null`)
  const ms = code.assign(`${value}.getTime()`, 'n')
  // The comparison is false for NaN as well, the time of an invalid date.
  code.line(`if (!(${ms} > ${-(2 ** 46)} && ${ms} < ${2 ** 46})) return null`)
  const upper = code.assign(`Math.floor((${ms} + ${digits.dateOffset}) / ${2 ** 24})`, 'n')
  const lower = code.assign(`${ms} + ${digits.dateOffset} - ${upper} * ${2 ** 24}`, 'n')
  code.digits(upper, digits.halfDateDigits)
  code.digits(lower, digits.halfDateDigits)
}

/** Writes a decimal of one or two words, such as money, as digits; a longer one as a string. */
function writeDecimal(code: RecordCode, plan: PlanOf<'decimal'>, value: string): void {
  code.line(`if (!${code.constant(plan.Decimal)}.isDecimal(${value})) return null`)
  const parts = code.assign(`${value}.d`)
  // NaN and the infinities have no digits.
  code.line(`if (!Array.isArray(${parts})) return null`)
  const exponent = code.assign(`${value}.e + ${digits.decimalExponentOffset}`, 'n')
  const writeWords = (): void => {
    const tag = code.assign(`${parts}.length * 2 + (${value}.s < 0 ? 1 : 0)`, 'n')
    const first = code.assign(`${parts}[0]`, 'n')
    const second = code.assign(`${parts}.length === 2 ? ${parts}[1] : 0`, 'n')
    code.digits(tag, 1)
    code.digits(exponent, 1)
    code.digits(first, digits.decimalWordDigits)
    code.digits(second, digits.decimalWordDigits)
  }
  code.choose([[`${parts}.length <= 2 && ${exponent} >= 0 && ${exponent} < 64`, writeWords]], () => {
    const text = code.assign(`${value}.toString()`)
    const length = code.assign(`${text}.length`, 'n')
    code.line(`if (${length} > ${digits.maxLength}) return null`)
    code.digits(0, 2)
    code.digits(length, digits.decimalWordDigits)
    code.digits(0, digits.decimalWordDigits)
    code.line(`body += ${text}`)
  })
}

function writeLiteral(code: RecordCode, plan: PlanOf<'literal'>, value: string): void {
  const index = code.assign(`${code.constant(constantsInWireOrder(plan.values))}.indexOf(${value})`, 'n')
  code.line(`if (${index} < 0 || Object.is(${value}, -0)) return null`)
  code.digits(index, 1)
}

function writeObject(code: RecordCode, plan: PlanOf<'object'>, value: string): void {
  code.line(`if (!${code.constant(isPlainObject)}(${value})) return null`)
  writeTag(code, plan)
  writeFields(code, plan, value)
}

function writeFields(code: RecordCode, plan: PlanOf<'object'>, value: string): void {
  for (const { name, optional, plan: field } of inWireOrder(plan.fields)) {
    const has = `Object.hasOwn(${value}, ${JSON.stringify(name)})`
    const read = value + property(name)
    const inner = code.assign(isInheritedName(name) ? `${has} ? ${read} : undefined` : read)
    writeValue(code, field, inner, optional ? `!${has}` : undefined)
  }
}

function writeTuple(code: RecordCode, plan: PlanOf<'tuple'>, value: string): void {
  code.line(`if (!Array.isArray(${value}) || ${value}.length !== ${plan.items.length}) return null`)
  writeTag(code, plan)
  plan.items.forEach((item, i) => writeValue(code, item, code.assign(`${value}[${i}]`)))
}

function writeUnion(code: RecordCode, plan: PlanOf<'union'>, value: string): void {
  code.line(`if (!${code.constant(isPlainObject)}(${value})) return null`)
  writeBranch(code, plan, value)
}

/** Writes one digit for the branch, then its fields. */
function writeBranch(code: RecordCode, plan: PlanOf<'union'>, value: string): void {
  const write = (branch: PlanOf<'object' | 'union'>, index: number): void => {
    code.digits(index, 1)
    if (branch.kind === 'object') writeFields(code, branch, value)
    else writeBranch(code, branch, value)
  }
  writeBranches(code, plan, value, write, 'return null')
}

/** Writes the digit which says that a nullable or optional container is present. */
function writeTag(code: RecordCode, plan: WirePlan): void {
  if (plan.nullable || plan.undefinable) code.digits(1, 1)
}

function writeArray(code: RecordCode, plan: PlanOf<'array'>, value: string): void {
  code.line(`if (!Array.isArray(${value})) return null`)
  const count = code.assign(`${value}.length`, 'n')
  writeLength(code, count)
  const i = code.variable('i')
  code.block(`for (let ${i} = 0; ${i} < ${count}; ${i}++)`, () => {
    writeValue(code, plan.items, code.assign(`${value}[${i}]`))
  })
}

function writeOpenRecord(code: RecordCode, plan: PlanOf<'record'>, value: string): void {
  code.line(`if (!${code.constant(isPlainObject)}(${value})) return null`)
  const keys = code.assign(`Object.keys(${value})`)
  const count = code.assign(`${keys}.length`, 'n')
  writeLength(code, count)
  const i = code.variable('i')
  code.block(`for (let ${i} = 0; ${i} < ${count}; ${i}++)`, () => {
    const key = code.assign(`${keys}[${i}]`)
    code.line(`if (${key} === '__proto__') return null`)
    writeText(code, key)
    writeValue(code, plan.values, code.assign(`${value}[${key}]`))
  })
}
