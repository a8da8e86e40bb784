import { freezeDate } from './frozen-date.js'
import type { DecimalConstructor, ScalarName, WirePlan } from './wire-plan.js'

/**
 * How one kind of value that JSON cannot say travels as a JSON string. Adding a scalar is adding a row to the table.
 */
export interface Scalar {
  /** What an error says was expected. */
  readonly expected: string
  /** Whether the value may be stored; false for an invalid Date. */
  accepts(value: unknown): boolean
  toText(value: never): string
  /** Whether it is a negative zero, whose sign its text loses. */
  isNegativeZero?(value: unknown): boolean
  /** @throws when the text is not one that `toText` writes */
  fromText(text: string): unknown
  /** A copy that shares nothing mutable with the original. */
  copy(value: never): unknown
  /** The value as `fromText` gives it, of the same class: itself, or a copy. */
  normalize(value: never): unknown
  /** Guards a value in place against changes; left out where it is immutable, or where nothing can guard it. */
  freeze?(value: never): unknown
  /** Values that the self-proof at registration sends through the codec. */
  samples(): readonly unknown[]
}

const notWritten = (kind: string): never => {
  throw new TypeError(`not the text of a ${kind}`)
}

/** Dates as nearly all are written: of these the constructor takes no other day, such as the first of March for a 30th of February. */
const isPlainDate =
  /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/

const isDate = (value: Date, text: string): boolean =>
  !Number.isNaN(value.getTime()) && value.toISOString() === text

const date: Scalar = {
  expected: 'a valid Date',
  accepts: (value) => value instanceof Date && !Number.isNaN(value.getTime()),
  toText: (value: Date) => value.toISOString(),
  fromText: (text) => {
    if (typeof text !== 'string') return notWritten('date')
    const value = new Date(text)
    return isPlainDate.test(text) || isDate(value, text) ? value : notWritten('date')
  },
  copy: (value: Date) => new Date(value.getTime()),
  normalize: (value: Date) =>
    Object.getPrototypeOf(value) === Date.prototype ? value : new Date(value.getTime()),
  freeze: freezeDate,
  samples: () => [new Date(0), new Date('2024-10-26T09:12:19.363Z'), new Date(-1), new Date(8.64e15)],
}

const bigint: Scalar = {
  expected: 'a bigint',
  accepts: (value) => typeof value === 'bigint',
  toText: (value: bigint) => value.toString(),
  fromText: (text) =>
    typeof text === 'string' && /^(?:0|-?[1-9]\d*)$/.test(text) ? BigInt(text) : notWritten('bigint'),
  copy: (value) => value,
  normalize: (value) => value,
  samples: () => [0n, -1n, 2n ** 63n - 1n, 2n ** 100n],
}

const bytes: Scalar = {
  expected: 'a Uint8Array',
  accepts: (value) => value instanceof Uint8Array,
  toText: (value: Uint8Array) =>
    Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('base64'),
  fromText: (text) => {
    if (typeof text !== 'string') return notWritten('bytes')
    const pooled = Buffer.from(text, 'base64')
    // Buffer.from skips what is not base64.
    if (pooled.toString('base64') !== text) return notWritten('bytes')
    // A plain Uint8Array of its own, as Prisma gives, not a view into Node's shared pool.
    return new Uint8Array(pooled)
  },
  // Not slice(): of a Buffer that is a view. And no freeze: JavaScript has none for the elements of typed arrays.
  copy: (value: Uint8Array) => new Uint8Array(value),
  // A Buffer, and what is a view into memory that others use as well, such as Node's pool, becomes what a reader gives.
  normalize: (value: Uint8Array) =>
    Object.getPrototypeOf(value) === Uint8Array.prototype && value.byteLength === value.buffer.byteLength
      ? value
      : new Uint8Array(value),
  samples: () => [new Uint8Array(), new Uint8Array([0]), new Uint8Array([255, 0, 128, 7])],
}

const decimals = new WeakMap<DecimalConstructor, Scalar>()

/** One scalar per class, so that functions compiled from it share one constant. */
function decimal(Decimal: DecimalConstructor): Scalar {
  const known = decimals.get(Decimal) ?? decimalOf(Decimal)
  decimals.set(Decimal, known)
  return known
}

const decimalOf = (Decimal: DecimalConstructor): Scalar => ({
  expected: 'a Decimal',
  accepts: (value) => Decimal.isDecimal(value),
  toText: (value: object) => String(value),
  isNegativeZero: (value) => (value as { s: number }).s < 0 && (value as { isZero(): boolean }).isZero(),
  fromText: (text) => {
    if (typeof text !== 'string') return notWritten('decimal')
    const value = new Decimal(text)
    // The sign of a zero, which its text has not, is put there by the list of what JSON loses.
    return String(value) === text || text === '-0' ? value : notWritten('decimal')
  },
  // Decimals are immutable by contract.
  copy: (value) => value,
  // Other copies of decimal.js have decimals as well, of classes of their own; its clones share one prototype.
  normalize: (value: { isZero(): boolean; s: number }) =>
    value.constructor === Decimal ? value : new Decimal(value.isZero() && value.s < 0 ? '-0' : String(value)),
  samples: () =>
    ['0', '-0', '10200', '-0.01', '1e-30', '12345678901234567890.123456789'].map((text) => new Decimal(text)),
})

const scalars: Readonly<Record<ScalarName, (Decimal?: DecimalConstructor) => Scalar | undefined>> = {
  date: () => date,
  bigint: () => bigint,
  bytes: () => bytes,
  decimal: (Decimal) => Decimal && decimal(Decimal),
}

/** The scalar of this name; undefined when there is none, or when it is a decimal and no class is given. */
export function scalarNamed(name: string, Decimal?: DecimalConstructor): Scalar | undefined {
  return Object.hasOwn(scalars, name) ? scalars[name as ScalarName](Decimal) : undefined
}

/** The scalar that stands at a place of the plan, or undefined where JSON itself is enough. */
export function scalarOf(plan: WirePlan): Scalar | undefined {
  return scalarNamed(plan.kind, plan.kind === 'decimal' ? plan.Decimal : undefined)
}
