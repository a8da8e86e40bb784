import { type KeyField, keyTextOf, lookupKeyOf } from '../../protocol/index.js'
import type { BoundCondition, BoundLookup } from '../policy/lookup-options.js'

type Fields = Readonly<Record<string, unknown>>

/** Decides from a row whether it belongs to a list. */
export interface Matcher {
  /** Whether rows hold the key. The key of a relation is that of another row. */
  readonly rowsHoldKey: boolean
  /** The key that a row belongs to: null for none, undefined if only the database knows. */
  keyOf(row: Fields): string | null | undefined
  /** Whether a row fulfils the conditions. False if only the database knows. */
  fulfils(row: Fields): boolean
  /** A digest of the values that order the rows of a list; see {@link orderDigestOf}. */
  orderDigestOf(rows: readonly unknown[]): number
}

type Test = (value: unknown) => boolean

/** Kinds whose values are equal if JavaScript says so. */
const plainKinds = new Set<KeyField['kind']>(['string', 'casedString', 'number', 'bigint', 'boolean'])
/** Kinds whose values are objects. */
const objectKinds = new Set<KeyField['kind']>(['date', 'day', 'decimal', 'bytes'])

/** Compiles the matcher of a lookup, which checks each row of each list that is read. */
export function compileMatcher({
  conditions,
  description,
  orderedBy,
}: Pick<BoundLookup, 'conditions' | 'description' | 'orderedBy'>): Matcher {
  const { key, through } = description
  const rowsHoldKey = through === undefined
  return {
    rowsHoldKey,
    keyOf: rowsHoldKey ? compileKey(key) : () => undefined,
    fulfils: compileConditions(conditions),
    orderDigestOf: (rows) => orderDigestOf(orderedBy, rows),
  }
}

function compileKey(key: readonly KeyField[]): Matcher['keyOf'] {
  if (key.some(({ kind }) => objectKinds.has(kind))) return (row) => lookupKeyOf(key, row)
  return key.length === 1 ? rememberLast(key) : rememberLastOfSeveral(key)
}

/** The rows of one list have one key, so its text is that of the row before. */
function rememberLast(key: readonly KeyField[]): Matcher['keyOf'] {
  const { name } = key[0]!
  let last: unknown
  let text: string | null | undefined
  return (row) => {
    const value = row[name]
    if (value !== last) {
      text = lookupKeyOf(key, row)
      last = value
    }
    return text
  }
}

function rememberLastOfSeveral(key: readonly KeyField[]): Matcher['keyOf'] {
  const names = key.map(({ name }) => name)
  const last: unknown[] = names.map(() => undefined)
  let text: string | null | undefined
  return (row) => {
    for (let i = 0; i < names.length; i++) {
      if (row[names[i]!] === last[i]) continue
      text = lookupKeyOf(key, row)
      for (let j = 0; j < names.length; j++) last[j] = row[names[j]!]
      break
    }
    return text
  }
}

function compileConditions(conditions: readonly BoundCondition[]): Matcher['fulfils'] {
  const tests = conditions.map((condition) => ({ name: condition.name, test: testOf(condition) }))
  const [first, ...others] = tests
  if (!first) return () => true
  const { name, test } = first
  if (others.length === 0) return (row) => test(row[name])
  return (row) => {
    for (let i = 0; i < tests.length; i++) if (!tests[i]!.test(row[tests[i]!.name])) return false
    return true
  }
}

function testOf(condition: BoundCondition): Test {
  switch (condition.is) {
    case 'null':
      return (value) => value === null
    case 'not null':
      return (value) => value !== null && value !== undefined
    default:
      return testOfValues(condition.field, condition.values)
  }
}

function testOfValues(field: KeyField, values: readonly unknown[]): Test {
  if (plainKinds.has(field.kind) && !field.folds) {
    const [only] = values
    if (values.length === 1) return (value) => value === only
    const all = new Set(values)
    return (value) => all.has(value)
  }
  // Each constant has a text, so none of them equals a value without one.
  const texts = new Set(values.map((value) => keyTextOf(field, value)))
  return (value) => texts.has(keyTextOf(field, value))
}

/** Bits of a digest: as many as a number holds exactly. */
const highBits = 2 ** 21

/**
 * Digests the places of rows in a list: the values that it is ordered by. A row that has left a list and come back to another place is
 * a member, but not where the entry has it.
 *
 * @param fields that the list is ordered by, besides the id
 * @returns 0 for a list that is ordered by its ids
 */
export function orderDigestOf(fields: readonly string[], rows: readonly unknown[]): number {
  if (fields.length === 0) return 0
  const digest = new Digest()
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i] as Fields
    for (let j = 0; j < fields.length; j++) addValue(digest, row[fields[j]!])
  }
  return digest.value
}

/**
 * What null begins with, and texts and bytes with their length added to it. Whole numbers begin with less than either. So each value
 * says by itself where it ends, and no values read as others.
 */
const nullStart = 2 ** 21
const lengthStart = 2 ** 22

/** Two hashes of 32 bits with different multipliers. */
class Digest {
  #one = 0x811c9dc5
  #other = 0x9e3779b9

  add(number: number): void {
    this.#one = Math.imul(this.#one ^ number, 0x01000193)
    this.#other = Math.imul((this.#other ^ number) + 0x7f4a7c15, 0x85ebca6b)
    this.#other ^= this.#other >>> 13
  }

  addText(text: string): void {
    this.add(lengthStart + text.length)
    for (let i = 0; i < text.length; i++) this.add(text.charCodeAt(i))
  }

  addBytes(bytes: Uint8Array): void {
    this.add(lengthStart + bytes.length)
    for (const byte of bytes) this.add(byte)
  }

  get value(): number {
    return (this.#one >>> 0) * highBits + ((this.#other >>> 0) % highBits)
  }
}

function addValue(digest: Digest, value: unknown): void {
  switch (typeof value) {
    case 'number':
      if (Number.isSafeInteger(value)) {
        digest.add(Math.floor(value / 2 ** 32))
        digest.add(value)
      } else digest.addText(String(value))
      break
    case 'string':
      digest.addText(value)
      break
    case 'boolean':
      digest.add(value ? 1 : 2)
      break
    case 'bigint':
      digest.addText(String(value))
      break
    default:
      addObject(digest, value as object | null | undefined)
  }
}

function addObject(digest: Digest, value: object | null | undefined): void {
  if (value === null || value === undefined) digest.add(nullStart)
  else if (value instanceof Date) addValue(digest, value.getTime())
  else if (value instanceof Uint8Array) digest.addBytes(value)
  // A decimal.
  else digest.addText(String(value))
}
