import { FunctionWriter, property } from '../function-writer.js'
import { scalarOf } from '../scalars.js'
import type { PlanField, PlanOf, WirePlan } from '../wire-plan.js'
import { decimalReaderFor, ownDecimalReaderFor } from './decimal-parts.js'
import * as digits from './digits.js'
import { holdsJson, withoutNullish } from './head-length.js'
import { JsonReader } from './json-reader.js'
import { WideTexts } from './wide-texts.js'
import { constantsInWireOrder, inWireOrder } from './wire-order.js'

export interface RecordReader {
  /**
   * Reads a record: its head from the bytes from `head` to `headEnd`, its body from `text`, from `body` to the end.
   *
   * @throws TypeError if it is not a record of this plan
   */
  readonly read: (bytes: Uint8Array, head: number, headEnd: number, text: string, body: number) => unknown
  /** Must know the non-ASCII characters of the text before it is read. */
  readonly wide: WideTexts
  /** Lets go of the bytes of a record that has been read: they may be a part of a large response. */
  end(this: void): void
}

const parameters = 'bytes, head, headEnd, text, body'

/** Compiles the reader of a plan: straight-line code with object literals, so that all rows have one hidden class. */
export function compileRecordReader(plan: WirePlan): RecordReader {
  const code = writeReader(plan)
  const json = holdsJson(plan) ? code.instanceOf(JsonReader) : undefined
  const wide = code.instanceOf(WideTexts)
  const end = (): void => {
    json?.end()
    wide.end()
  }
  return { read: code.compile<RecordReader['read']>(parameters), wide, end }
}

/**
 * Called without a property lookup. V8 has several internal string classes; after more than four of them, `text.substring`
 * needs a lookup each time.
 */
const { substring } = String.prototype

function writeReader(root: WirePlan): FunctionWriter {
  const code = new FunctionWriter()
  const plan = withoutNullish(root)
  const at: Position = { offset: 0 }
  code.constant(substring, 'substring')
  code.constant(code.instanceOf(WideTexts), 'wide')
  code.line('const end = text.length')
  if (holdsJson(plan)) code.line(`${code.instance(JsonReader)}.begin(bytes, headEnd, wide)`)
  const value = readPresent(code, plan, at)
  // Head and body must be consumed, and the final mark must be there.
  const isAtEnd = `body === end - 1 && text.charCodeAt(body) === ${digits.mark}`
  code.line(`if (head + ${at.offset} !== headEnd || !(${isAtEnd})) ${code.constant(refuse)}()`)
  return code.line(`return ${value}`)
}

function refuse(): never {
  throw new TypeError('not a record of this shape')
}

/** Writes statements that read a value, which may be null or missing, and returns the name of its variable. */
function readValue(code: FunctionWriter, plan: WirePlan, at: Position): string {
  if (!plan.nullable && !plan.undefinable) return readPresent(code, plan, at)
  switch (plan.kind) {
    case 'object':
    case 'tuple':
      return readMaybeNested(code, plan, at)
    default:
      return readPresent(code, plan, at)
  }
}

/** Reads a nested object that may be null or missing: one digit says whether its fields follow. */
function readMaybeNested(code: FunctionWriter, plan: WirePlan, at: Position): string {
  const value = code.variable('v')
  const tag = take(code, at, 1)
  code.line(`let ${value}`)
  advanceHead(code, at)
  code.block(`if (${tag} === 1)`, () => {
    const inner: Position = { offset: 0 }
    code.line(`${value} = ${readPresent(code, withoutNullish(plan), inner)}`)
    advanceHead(code, inner)
  })
  code.line(`else ${assignNullish(code, plan, value, `${tag} === ${digits.nullTag}`)}`)
  return value
}

function readPresent(code: FunctionWriter, plan: WirePlan, at: Position): string {
  switch (plan.kind) {
    case 'boolean':
      return readBoolean(code, plan, at)
    case 'number':
      return readNumber(code, plan, at)
    case 'date':
      return readDate(code, plan, at)
    case 'decimal':
      return readDecimal(code, plan, at)
    case 'literal':
      return readLiteral(code, plan, at)
    case 'object':
      return readObject(code, plan.fields, at)
    case 'tuple':
      return code.assign(`[${plan.items.map((item) => readValue(code, item, at)).join(', ')}]`)
    case 'array':
      return readArray(code, plan, at)
    case 'record':
      return readOpenRecord(code, plan, at)
    case 'json':
      return readJson(code, plan, at)
    case 'union':
      return readUnion(code, plan, at)
    default:
      return readText(code, plan, at, textOf(code, plan))
  }
}

function readObject(code: FunctionWriter, fields: readonly PlanField[], at: Position): string {
  const values = new Map(inWireOrder(fields).map(({ name, plan }) => [name, readValue(code, plan, at)]))
  const literal = fields
    .filter((field) => !field.optional)
    .map(({ name }) => `${JSON.stringify(name)}: ${values.get(name)}`)
  const row = code.assign(`{ ${literal.join(', ')} }`)
  for (const { name, optional } of fields) {
    if (!optional) continue
    const value = values.get(name)
    code.line(`if (${value} !== undefined) ${row}${property(name)} = ${value}`)
  }
  return row
}

/** Reads a union: one digit says which branch follows. */
function readUnion(code: FunctionWriter, plan: PlanOf<'union'>, at: Position): string {
  const value = code.variable('v')
  const tag = take(code, at, 1)
  code.line(`let ${value}`)
  advanceHead(code, at)
  plan.branches.forEach((branch, index) => {
    code.block(`${index > 0 ? 'else ' : ''}if (${tag} === ${index})`, () => {
      const inner: Position = { offset: 0 }
      code.line(`${value} = ${readPresent(code, branch.plan, inner)}`)
      advanceHead(code, inner)
    })
  })
  code.line(`else ${assignNullish(code, plan, value, `${tag} === ${digits.nullTag}`)}`)
  return value
}

function readBoolean(code: FunctionWriter, plan: WirePlan, at: Position): string {
  const tag = take(code, at, 1)
  if (!plan.nullable && !plan.undefinable) return code.assign(`${tag} === 1`)
  return code.assign(`${tag} < 2 ? ${tag} === 1 : ${nullishOf(plan, `${tag} === ${digits.nullTag}`)}`)
}

function readNumber(code: FunctionWriter, plan: WirePlan, at: Position): string {
  const read = take(code, at, digits.numberDigits)
  const value = code.variable('v')
  code.line(`let ${value} = ${read} - ${digits.integerOffset}`)
  code.block(`if (${read} >= ${digits.textNumber})`, () => {
    code.block(`if (${read} < ${digits.missingNumber})`, () => {
      code.line(`${value} = +${takeText(`${read} - ${digits.textNumber}`)}`)
      code.line(`if (!Number.isFinite(${value})) ${code.constant(refuse)}()`)
    })
    code.line(`else ${assignNullish(code, plan, value, `${read} === ${digits.nullNumber}`)}`)
  })
  return value
}

function readDate(code: FunctionWriter, plan: WirePlan, at: Position): string {
  const upper = take(code, at, digits.halfDateDigits)
  const lower = skip(at, digits.halfDateDigits)
  const date = `new Date(${upper} * ${2 ** 24} + (${lower}) - ${digits.dateOffset})`
  if (!plan.nullable && !plan.undefinable) return code.assign(date)
  return code.assign(
    `${upper} < ${digits.missingHalfDate} ? ${date} : ${nullishOf(plan, `${upper} === ${digits.nullHalfDate}`)}`,
  )
}

function readDecimal(code: FunctionWriter, plan: PlanOf<'decimal'>, at: Position): string {
  const tag = take(code, at, 1)
  const exponent = skip(at, 1)
  const words = [skip(at, digits.decimalWordDigits), skip(at, digits.decimalWordDigits)]
  const { oneWord, twoWords } = (plan.isOwn ? ownDecimalReaderFor : decimalReaderFor)(plan.Decimal)
  const value = code.variable('v')
  code.line(`let ${value}`)
  code.line(`if (${tag} >> 1 === 1) ${value} = ${code.constant(oneWord)}(${tag}, ${exponent}, ${words[0]})`)
  code.line(
    `else if (${tag} >> 1 === 2) ${value} = ${code.constant(twoWords)}(${tag}, ${exponent}, ${words.join(', ')})`,
  )
  const fromText = code.constant(scalarOf(plan)!.fromText)
  code.line(`else if (${tag} === 0) ${value} = ${fromText}(${takeText(words[0]!)})`)
  code.line(`else ${assignNullish(code, plan, value, `${tag} === ${digits.nullTag}`)}`)
  return value
}

function readLiteral(code: FunctionWriter, plan: PlanOf<'literal'>, at: Position): string {
  const table: unknown[] = [...constantsInWireOrder(plan.values)]
  if (plan.nullable) table[digits.nullTag] = null
  const value = code.assign(`${code.constant(table)}[${take(code, at, 1)}]`)
  if (!plan.undefinable) code.line(`if (${value} === undefined) ${code.constant(refuse)}()`)
  return value
}

function readText(
  code: FunctionWriter,
  plan: WirePlan,
  at: Position,
  convert: (text: string) => string,
): string {
  const length = take(code, at, digits.lengthDigits)
  const text = plan.kind === 'string' ? takeWideText(length) : takeText(length)
  if (!plan.nullable && !plan.undefinable) return code.assign(convert(text))
  const value = code.variable('v')
  code.line(`let ${value}`)
  code.line(`if (${length} < ${digits.missingLength}) ${value} = ${convert(text)}`)
  code.line(`else ${assignNullish(code, plan, value, `${length} === ${digits.nullLength}`)}`)
  return value
}

function textOf(code: FunctionWriter, plan: WirePlan): (text: string) => string {
  const scalar = scalarOf(plan)
  return scalar ? (text) => `${code.constant(scalar.fromText)}(${text})` : (text) => text
}

/** Reads a `Json` field of variable length, through a JsonReader that then knows the offsets. */
function readJson(code: FunctionWriter, plan: WirePlan, at: Position): string {
  const json = code.instance(JsonReader)
  const value = code.variable('v')
  advanceHead(code, at)
  code.line(`let ${value}`)
  const read = (): void => {
    code.line(`${value} = ${json}.read(text, head, body)`)
    code.line(`head = ${json}.head; body = ${json}.body`)
    if (!plan.nullable) code.line(`if (${value} === null) ${code.constant(refuse)}()`)
  }
  if (!plan.undefinable) read()
  else {
    code.line(`if (${digits.readCode('head')} === ${digits.charOf(digits.missingTag)}) head++`)
    code.block('else', read)
  }
  return value
}

function readArray(code: FunctionWriter, plan: PlanOf<'array'>, at: Position): string {
  // Preallocated: a growing array reserves 16 more elements.
  return readCounted(
    code,
    plan,
    at,
    (count) => `new Array(${count})`,
    (list, inner, i) => {
      code.line(`${list}[${i}] = ${readValue(code, plan.items, inner)}`)
    },
  )
}

function readOpenRecord(code: FunctionWriter, plan: PlanOf<'record'>, at: Position): string {
  return readCounted(
    code,
    plan,
    at,
    () => '{}',
    (record, inner) => {
      const key = code.assign(takeWideText(take(code, inner, digits.lengthDigits)))
      // The writer never writes this key, and assigning it would replace the prototype.
      code.line(`if (${key} === '__proto__') ${code.constant(refuse)}()`)
      code.line(`${record}[${key}] = ${readValue(code, plan.values, inner)}`)
    },
  )
}

function readCounted(
  code: FunctionWriter,
  plan: WirePlan,
  at: Position,
  containerFor: (count: string) => string,
  readEntry: (container: string, inner: Position, i: string) => void,
): string {
  const count = take(code, at, digits.lengthDigits)
  const value = code.variable('v')
  code.line(`let ${value}`)
  advanceHead(code, at)
  code.block(`if (${count} < ${digits.missingLength})`, () => {
    // Each entry has at least one digit, so a damaged count must not exceed the rest of the head.
    code.line(`if (${count} > headEnd - head) ${code.constant(refuse)}()`)
    const container = code.assign(containerFor(count))
    const i = code.variable('i')
    code.block(`for (let ${i} = 0; ${i} < ${count}; ${i}++)`, () => {
      code.line(`if (body > end || head > headEnd) ${code.constant(refuse)}()`)
      const inner: Position = { offset: 0 }
      readEntry(container, inner, i)
      advanceHead(code, inner)
    })
    code.line(`${value} = ${container}`)
  })
  code.line(`else ${assignNullish(code, plan, value, `${count} === ${digits.nullLength}`)}`)
  return value
}

/** Returns the expression of null or undefined. */
function nullishOf(plan: WirePlan, isNull: string): string {
  if (plan.nullable && plan.undefinable) return `${isNull} ? null : undefined`
  return plan.nullable ? 'null' : 'undefined'
}

/** Returns the statement that assigns null or undefined, or refuses it if the plan allows neither. */
function assignNullish(code: FunctionWriter, plan: WirePlan, value: string, isNull: string): string {
  if (!plan.nullable && !plan.undefinable) return `${code.constant(refuse)}()`
  return `${value} = ${nullishOf(plan, isNull)}`
}

/** Position of the generated code: the variable `head` is an index into the bytes, `offset` counts the digits read since. */
interface Position {
  offset: number
}

/** Writes a statement that reads digits into a constant, and returns its name. */
function take(code: FunctionWriter, at: Position, count: number): string {
  const name = code.assign(digits.readDigits('head', at.offset, count), 'n')
  at.offset += count
  return name
}

/** Returns an expression for digits that only some branches need, so that other branches do not read them. */
function skip(at: Position, count: number): string {
  const digitsThere = digits.readDigits('head', at.offset, count)
  at.offset += count
  return digitsThere
}

/** Returns an expression for the next string, which is ASCII. */
const takeText = (length: string): string => `substring.call(text, body, body += ${length})`

/** Returns an expression for the next string, which may have non-ASCII characters. */
const takeWideText = (length: string): string =>
  `body + ${length} <= wide.next ? ${takeText(length)} : wide.take(body, body = wide.endOf(text, body, ${length}))`

/** Advances `head` past the digits read so far, before code that runs conditionally or repeatedly. */
function advanceHead(code: FunctionWriter, at: Position): void {
  if (at.offset > 0) code.line(`head += ${at.offset}`)
  at.offset = 0
}
