import { comparesPlainly } from '../../source/plain-text.js'
import { isCanonicalUuid, isUuid, toCanonicalUuid } from '../../source/uuid.js'
import type { RowId } from './row-id.js'

/** A field of the key of a lookup. */
export interface KeyField {
  readonly name: string
  readonly kind: KeyKind
  /** Whether the database takes some different texts for equal. Only plain ones have a key then; see {@link keyTextOf}. */
  readonly folds: boolean
}

export type KeyKind = keyof typeof keyKinds

export function isKeyKind(kind: unknown): kind is KeyKind {
  return typeof kind === 'string' && Object.hasOwn(keyKinds, kind)
}

interface Kind {
  /** What a field of the kind accepts, for messages. */
  readonly expected: string
  /** Undefined for a value that is not of the kind. */
  textOf(value: unknown): string | undefined
}

/** A kind that ids have as well. */
export interface CheckedKind extends Kind {
  accepts(value: unknown): boolean
}

const checked = (expected: string, accepts: CheckedKind['accepts']): CheckedKind => ({
  expected,
  accepts,
  textOf: (value) => (accepts(value) ? String(value instanceof Date ? value.getTime() : value) : undefined),
})

// Malformed strings do not survive UTF-8, so two such ids could share a key.
// PostgreSQL refuses NUL in text; one such id would fail the query for all ids.
const text = checked(
  'a well-formed string without NUL',
  (value) => typeof value === 'string' && value.isWellFormed() && !value.includes('\0'),
)

/** The kinds of key fields. Equal values have equal texts: dates by time, decimals by value, bytes by content. */
export const keyKinds = {
  string: text,
  /** Text whose case the database distinguishes, also where it folds something else. */
  casedString: text,
  /** A UUID in any spelling. */
  uuid: { expected: 'a UUID', textOf: uuidTextOf },
  // Its text is also that of the negative zero, which the database does not have.
  number: checked(
    'a finite number, safe if it is whole',
    (value) => Number.isFinite(value) && (Number.isSafeInteger(value) || !Number.isInteger(value)),
  ),
  bigint: checked('a bigint', (value) => typeof value === 'bigint'),
  boolean: checked('a boolean', (value) => typeof value === 'boolean'),
  date: checked('a valid Date', (value) => !Number.isNaN(timeOf(value))),
  /** A date without a time, as the database has it. */
  day: checked('a Date at midnight UTC', isDay),
  decimal: {
    expected: 'a finite Decimal',
    textOf: (value) =>
      isDecimal(value) && value.isFinite() ? value.toFixed().replace(/^-(?=0$)/, '') : undefined,
  },
  bytes: {
    expected: 'a Uint8Array',
    textOf: (value) => (value instanceof Uint8Array ? Buffer.from(value).toString('hex') : undefined),
  },
} satisfies Record<string, Kind>

/** Rows hold the canonical spelling, which costs less to recognize than to write. */
function uuidTextOf(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined
  if (isCanonicalUuid(value)) return value
  return isUuid(value) ? (toCanonicalUuid(value) as string) : undefined
}

interface DecimalValue {
  isFinite(): boolean
  toFixed(): string
}

function isDecimal(value: unknown): value is DecimalValue {
  const { isFinite, toFixed } = (value ?? {}) as Partial<DecimalValue>
  return typeof isFinite === 'function' && typeof toFixed === 'function'
}

/** What a field of a key accepts, for messages. */
export function expectedOf({ kind }: Pick<KeyField, 'kind'>): string {
  return keyKinds[kind].expected
}

/** What a key of several fields accepts, for messages. */
export function expectedFields(fields: readonly Pick<KeyField, 'kind' | 'name'>[]): string {
  return `an object { ${fields.map((field) => `${field.name}: ${expectedOf(field)}`).join(', ')} }`
}

/**
 * The text of a value, which is equal for values that the database takes for equal; undefined for a value of another kind, or
 * one of which only the database knows what it equals.
 */
export function keyTextOf({ kind, folds }: KeyField, value: unknown): string | undefined {
  const text = keyKinds[kind].textOf(value)
  if (!folds || text === undefined) return text
  if (!comparesPlainly.test(text)) return undefined
  return kind === 'casedString' ? text : text.toLowerCase()
}

/**
 * The key of a lookup that a row, or the key that a caller gives, belongs to, as one text. Null if a field is null, so that the row
 * belongs to none. Undefined if a field is missing or its value has no text.
 */
export function lookupKeyOf(
  fields: readonly KeyField[],
  values: Readonly<Record<string, unknown>>,
): string | null | undefined {
  let key = ''
  let isKnown = true
  for (let i = 0; i < fields.length; i++) {
    const field = fields[i]!
    const value = values[field.name]
    if (value === null) return null
    const text = keyTextOf(field, value)
    if (text === undefined) isKnown = false
    else key += (i > 0 ? ':' : '') + escapePart(text)
  }
  return isKnown ? key : undefined
}

/** As {@link lookupKeyOf}, for the value of a key of one field; undefined for null as well. */
export function singleKeyOf(field: KeyField, value: unknown): string | undefined {
  const text = keyTextOf(field, value)
  return text === undefined ? undefined : escapePart(text)
}

/** Keeps `a:b` + `c` apart from `a` + `b:c`. */
export function escapePart(text: string): string {
  return text.includes('%') || text.includes(':') ? text.replaceAll('%', '%25').replaceAll(':', '%3A') : text
}

/** What {@link escapePart} was given. */
export function unescapePart(text: string): string {
  return text.replaceAll('%3A', ':').replaceAll('%25', '%')
}

/** The key of texts of which only the database knows what they equal: exactly these. In other keys a percent sign is escaped. */
export function exactKeyOf(parts: readonly string[]): string {
  return `%=${JSON.stringify(parts)}`
}

/** What {@link exactKeyOf} was given; undefined for another key. */
export function exactPartsOf(key: string): readonly string[] | undefined {
  return key.startsWith('%=') ? (JSON.parse(key.slice(2)) as string[]) : undefined
}

/**
 * The id of an entry among the row ids of its cache, so that whatever is done to written rows can be done to entries: `lookup` and
 * key, each behind a NUL, which no id of a row contains.
 */
export function entryIdOf(lookup: string, key: string): RowId {
  return `\0${lookup}\0${key}`
}

/** The lookup and the key of an entry; undefined for the id of a row. */
export function entryIn(rowId: RowId): { readonly lookup: string; readonly key: string } | undefined {
  if (typeof rowId !== 'string' || rowId[0] !== '\0') return undefined
  const end = rowId.indexOf('\0', 1)
  return { lookup: rowId.slice(1, end), key: rowId.slice(end + 1) }
}

/** The time of a valid date, in milliseconds; NaN for anything else. */
function timeOf(value: unknown): number {
  return value instanceof Date ? value.getTime() : Number.NaN
}

/** Whether a value is a date at midnight UTC. */
function isDay(value: unknown): boolean {
  return timeOf(value) % (24 * 60 * 60 * 1_000) === 0
}
