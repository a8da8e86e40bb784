import { FunctionWriter, property } from '../function-writer.js'
import { isInheritedName, isPlainObject } from '../plain-object.js'
import { scalarOf } from '../scalars.js'
import type { PlanOf, WirePlan } from '../wire-plan.js'
import { writeBranches } from '../write-branches.js'
import * as digits from './digits.js'
import { headLengthOf, holdsJson, withoutNullish } from './head-length.js'
import { JsonWriter, unwritable } from './json-writer.js'
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

/** Returns the source of a compiled writer. */
export function recordWriterSource(plan: WirePlan): string {
  return writeWriter(plan).source('row')
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

function writeWriter(root: WirePlan): FunctionWriter {
  const code = new FunctionWriter()
  const plan = withoutNullish(root)
  const variable = headLengthOf(plan) === undefined
  const json = holdsJson(plan) ? code.instance(JsonWriter) : undefined
  code.line(`const bytes = ${code.constant(scratch)}.bytes`)
  code.line(`let body = ''`)
  code.line(`bytes[0] = ${digits.mark}`)
  const start = 1 + 2 * digits.bodyDigits + (variable ? digits.lengthDigits : 0) + 1
  code.line(`let end = ${start}`)
  if (json) code.line(`if (!${json}.begin(bytes)) return null`)
  writePresent(code, plan, 'row')
  // Strings with lone surrogates do not survive UTF-8.
  code.line('if (!body.isWellFormed()) return null')
  code.line('const units = body.length')
  code.line(`const length = ${code.constant(byteLength)}(body)`)
  code.line(`if (length > ${digits.maxBody}) return null`)
  code.line('const last = end; end = 1')
  code.line(digits.writeDigits('length', digits.bodyDigits))
  code.line(digits.writeDigits('units', digits.bodyDigits))
  if (variable) writeLength(code, assign(code, `last - ${start}`, 'n'))
  code.line(`bytes[end] = ${digits.mark}; end = last`)
  code.line(`const head = ${code.constant(takeHead)}(end)`)
  return code.line(`return head === null ? null : head + body + '#'`)
}

function writeValue(code: FunctionWriter, plan: WirePlan, value: string, nullish: NullishWrites): void {
  const { whenNull, whenMissing } = nullish
  const present = (): void => writePresent(code, plan, value)
  const cases: [condition: string, body: () => void][] = []
  if (plan.nullable) cases.push([`${value} === null`, () => void code.line(whenNull)])
  if (plan.undefinable) {
    cases.push([
      `${value} === undefined`,
      () => {
        // A record can hold a missing key, but not explicit undefined.
        code.line(
          nullish.isMissing ? `if (${nullish.isMissing}) { ${whenMissing} } else return null` : 'return null',
        )
      },
    ])
  }
  cases.forEach(([condition, body], i) => code.block(`${i > 0 ? 'else ' : ''}if (${condition})`, body))
  if (cases.length > 0) code.block('else', present)
  else present()
}

/** Statements for null and for a missing key. */
interface NullishWrites {
  readonly whenNull: string
  readonly whenMissing: string
  /** Condition under which undefined means a missing key; '' if there is no key. */
  readonly isMissing: string
}

/** Returns the statements that write null and a missing key of this plan. */
function nullishWritesOf(plan: WirePlan, isMissing = ''): NullishWrites {
  // The remaining digits are zeros, not left-overs of an earlier row.
  const write = (value: number, count: number, rest = 0): string =>
    [digits.writeDigits(String(value), count), digits.writeDigits('0', rest)].filter(Boolean).join('; ')
  const both = (nothing: number, missing: number, count: number, rest?: number): NullishWrites => ({
    whenNull: write(nothing, count, rest),
    whenMissing: write(missing, count, rest),
    isMissing,
  })
  switch (plan.kind) {
    case 'boolean':
    case 'literal':
    case 'json':
    case 'object':
    case 'tuple':
    case 'union':
      return both(digits.nullTag, digits.missingTag, 1)
    case 'number':
      return both(digits.nullNumber, digits.missingNumber, digits.numberDigits)
    case 'date':
      return both(digits.nullHalfDate, digits.missingHalfDate, digits.halfDateDigits, digits.halfDateDigits)
    case 'decimal':
      return both(digits.nullTag, digits.missingTag, 1, 1 + 2 * digits.decimalWordDigits)
    default:
      return both(digits.nullLength, digits.missingLength, digits.lengthDigits)
  }
}

function writePresent(code: FunctionWriter, plan: WirePlan, value: string): void {
  switch (plan.kind) {
    case 'string':
      code.line(`if (typeof ${value} !== 'string') return null`)
      return writeText(code, value)
    case 'boolean':
      code.line(`if (${value} === true) { ${digits.writeDigits('1', 1)} }`)
      code.line(`else if (${value} === false) { ${digits.writeDigits('0', 1)} } else return null`)
      return
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

function writeText(code: FunctionWriter, text: string): void {
  writeLength(code, assign(code, `${text}.length`, 'n'))
  code.line(`body += ${text}`)
}

function writeLength(code: FunctionWriter, length: string): void {
  code.line(`if (${length} > ${digits.maxLength}) return null`)
  code.line(digits.writeDigits(length, digits.lengthDigits))
}

/** Writes a scalar that is serialized as a string. */
function writeConverted(code: FunctionWriter, plan: WirePlan, value: string): void {
  const scalar = scalarOf(plan)!
  code.line(`if (!${code.constant(scalar.accepts)}(${value})) return null`)
  writeText(code, assign(code, `${code.constant(scalar.toText)}(${value})`))
}

function writeJson(code: FunctionWriter, value: string): void {
  const json = code.instance(JsonWriter)
  // Null of a nullable field has been written already.
  code.line(`if (${value} === null) return null`)
  code.line(`end = ${json}.write(${value}, end)`)
  code.line(`if (end === ${unwritable}) return null`)
  code.line(`body += ${json}.takeTexts()`)
}

/** Writes a small integer as digits and other numbers as strings; refuses -0. */
function writeNumber(code: FunctionWriter, value: string): void {
  const limit = digits.textNumber - digits.integerOffset
  const isInteger = `(${value} | 0) === ${value} && ${value} >= ${-digits.integerOffset} && ${value} < ${limit}`
  code.block(
    `if (typeof ${value} === 'number' && ${isInteger} && (${value} !== 0 || 1 / ${value} > 0))`,
    () => {
      const shifted = assign(code, `${value} + ${digits.integerOffset}`, 'n')
      code.line(digits.writeDigits(shifted, digits.numberDigits))
    },
  )
  code.block(`else if (Number.isFinite(${value}) && ${value} !== 0)`, () => {
    const text = assign(code, `String(${value})`)
    const length = assign(code, `${text}.length + ${digits.textNumber}`, 'n')
    code.line(digits.writeDigits(length, digits.numberDigits))
    code.line(`body += ${text}`)
  })
  code.line('else return null')
}

function writeDate(code: FunctionWriter, value: string): void {
  code.line(`if (!(${value} instanceof Date)) return null`)
  const ms = assign(code, `${value}.getTime()`, 'n')
  // Also false for NaN, the time of an invalid date.
  code.line(`if (!(${ms} > ${-(2 ** 46)} && ${ms} < ${2 ** 46})) return null`)
  const upper = assign(code, `Math.floor((${ms} + ${digits.dateOffset}) / ${2 ** 24})`, 'n')
  const lower = assign(code, `${ms} + ${digits.dateOffset} - ${upper} * ${2 ** 24}`, 'n')
  code.line(digits.writeDigits(upper, digits.halfDateDigits))
  code.line(digits.writeDigits(lower, digits.halfDateDigits))
}

/** Writes a decimal of one or two words, such as money, as digits; a longer one as a string. */
function writeDecimal(code: FunctionWriter, plan: PlanOf<'decimal'>, value: string): void {
  code.line(`if (!${code.constant(plan.Decimal)}.isDecimal(${value})) return null`)
  const parts = assign(code, `${value}.d`)
  // NaN and the infinities have no digits.
  code.line(`if (!Array.isArray(${parts})) return null`)
  const exponent = assign(code, `${value}.e + ${digits.decimalExponentOffset}`, 'n')
  code.block(`if (${parts}.length <= 2 && ${exponent} >= 0 && ${exponent} < 64)`, () => {
    const tag = assign(code, `${parts}.length * 2 + (${value}.s < 0 ? 1 : 0)`, 'n')
    const first = assign(code, `${parts}[0]`, 'n')
    const second = assign(code, `${parts}.length === 2 ? ${parts}[1] : 0`, 'n')
    code.line(digits.writeDigits(tag, 1))
    code.line(digits.writeDigits(exponent, 1))
    code.line(digits.writeDigits(first, digits.decimalWordDigits))
    code.line(digits.writeDigits(second, digits.decimalWordDigits))
  })
  code.block('else', () => {
    const text = assign(code, `${value}.toString()`)
    const length = assign(code, `${text}.length`, 'n')
    code.line(`if (${length} > ${digits.maxLength}) return null`)
    code.line(digits.writeDigits('0', 2))
    code.line(digits.writeDigits(length, digits.decimalWordDigits))
    code.line(digits.writeDigits('0', digits.decimalWordDigits))
    code.line(`body += ${text}`)
  })
}

function writeLiteral(code: FunctionWriter, plan: PlanOf<'literal'>, value: string): void {
  const index = assign(code, `${code.constant(constantsInWireOrder(plan.values))}.indexOf(${value})`, 'n')
  code.line(`if (${index} < 0 || Object.is(${value}, -0)) return null`)
  code.line(digits.writeDigits(index, 1))
}

function writeObject(code: FunctionWriter, plan: PlanOf<'object'>, value: string): void {
  code.line(`if (!${code.constant(isPlainObject)}(${value})) return null`)
  writeTag(code, plan)
  writeFields(code, plan, value)
}

function writeFields(code: FunctionWriter, plan: PlanOf<'object'>, value: string): void {
  for (const { name, optional, plan: field } of inWireOrder(plan.fields)) {
    const has = `Object.hasOwn(${value}, ${JSON.stringify(name)})`
    const read = value + property(name)
    const inner = assign(code, isInheritedName(name) ? `${has} ? ${read} : undefined` : read)
    const isMissing = optional ? `!${has}` : ''
    writeValue(code, field, inner, nullishWritesOf(field, isMissing))
  }
}

function writeTuple(code: FunctionWriter, plan: PlanOf<'tuple'>, value: string): void {
  code.line(`if (!Array.isArray(${value}) || ${value}.length !== ${plan.items.length}) return null`)
  writeTag(code, plan)
  plan.items.forEach((item, i) =>
    writeValue(code, item, assign(code, `${value}[${i}]`), nullishWritesOf(item)),
  )
}

function writeUnion(code: FunctionWriter, plan: PlanOf<'union'>, value: string): void {
  code.line(`if (!${code.constant(isPlainObject)}(${value})) return null`)
  writeBranch(code, plan, value)
}

/** Writes one digit for the branch, then its fields. */
function writeBranch(code: FunctionWriter, plan: PlanOf<'union'>, value: string): void {
  const write = (branch: PlanOf<'object' | 'union'>, index: number): void => {
    code.line(digits.writeDigits(String(index), 1))
    if (branch.kind === 'object') writeFields(code, branch, value)
    else writeBranch(code, branch, value)
  }
  writeBranches(code, plan, value, write, 'return null')
}

/** Writes the digit which says that a nullable or optional container is present. */
function writeTag(code: FunctionWriter, plan: WirePlan): void {
  if (plan.nullable || plan.undefinable) code.line(digits.writeDigits('1', 1))
}

function writeArray(code: FunctionWriter, plan: PlanOf<'array'>, value: string): void {
  code.line(`if (!Array.isArray(${value})) return null`)
  const count = assign(code, `${value}.length`, 'n')
  writeLength(code, count)
  const i = code.variable('i')
  code.block(`for (let ${i} = 0; ${i} < ${count}; ${i}++)`, () => {
    writeValue(code, plan.items, assign(code, `${value}[${i}]`), nullishWritesOf(plan.items))
  })
}

function writeOpenRecord(code: FunctionWriter, plan: PlanOf<'record'>, value: string): void {
  code.line(`if (!${code.constant(isPlainObject)}(${value})) return null`)
  const keys = assign(code, `Object.keys(${value})`)
  const count = assign(code, `${keys}.length`, 'n')
  writeLength(code, count)
  const i = code.variable('i')
  code.block(`for (let ${i} = 0; ${i} < ${count}; ${i}++)`, () => {
    const key = assign(code, `${keys}[${i}]`)
    code.line(`if (${key} === '__proto__') return null`)
    writeText(code, key)
    writeValue(code, plan.values, assign(code, `${value}[${key}]`), nullishWritesOf(plan.values))
  })
}

function assign(code: FunctionWriter, expression: string, prefix = 'v'): string {
  const name = code.variable(prefix)
  code.line(`const ${name} = ${expression}`)
  return name
}
