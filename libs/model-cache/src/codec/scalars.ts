import { freezeDate } from './frozen-date.js'
import type { DecimalConstructor, ScalarName, WirePlan } from './wire-plan.js'

/**
 * How one kind of value that JSON cannot represent is serialized as a string. To add a scalar, name it in wire-plan.ts, add a row to the
 * table here, and have compile-plan.ts recognize its ArkType. The compiler asks for the rest, such as its copy in compiled-cloner.ts;
 * reviver-schema.ts types its paths, and every-kind.spec.ts tries each kind in each place. Nothing asks for lowering.ts, where `String`
 * does not give the text of a value, and for free-form.ts, where results of queries have such values.
 */
export interface Scalar {
  /** The expected type, for error messages. */
  readonly expected: string
  /** Whether the value may be stored; false for an invalid Date. */
  accepts(value: unknown): boolean
  /** Returns ASCII alone: records count its characters as bytes. */
  toText(value: never): string
  /** Whether the value is a negative zero, whose sign `toText` loses. */
  isNegativeZero?(value: unknown): boolean
  /** @throws TypeError if `toText` does not write this string */
  fromText(text: string): unknown
  /** Returns a copy that shares nothing mutable with the original. */
  copy(value: never): unknown
  /** Returns the value in the form that `fromText` returns: itself, or a copy of the same class. */
  normalize(value: never): unknown
  /** Freezes a value in place. Missing if the value is immutable or cannot be frozen. */
  freeze?(value: never): unknown
  /** Values for the self-proof at registration. */
  samples(): readonly unknown[]
}

const notWritten = (kind: string): never => {
  throw new TypeError(`not a serialized ${kind}`)
}

/** The common form of dates. The constructor accepts these without shifting an invalid day, such as 30 February, to another. */
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
    // Buffer.from ignores characters that are not base64.
    if (pooled.toString('base64') !== text) return notWritten('bytes')
    // A Uint8Array with its own memory, as Prisma returns, not a view into Node's shared pool.
    return new Uint8Array(pooled)
  },
  // Not slice(), which on a Buffer returns a view. No `freeze`, since elements of typed arrays cannot be frozen.
  copy: (value: Uint8Array) => new Uint8Array(value),
  // Copies a Buffer and a view into shared memory, such as Node's pool, so that the result equals a decoded value.
  normalize: (value: Uint8Array) =>
    Object.getPrototypeOf(value) === Uint8Array.prototype && value.byteLength === value.buffer.byteLength
      ? value
      : new Uint8Array(value),
  samples: () => [new Uint8Array(), new Uint8Array([0]), new Uint8Array([255, 0, 128, 7])],
}

const decimals = new WeakMap<DecimalConstructor, Scalar>()

interface DecimalValue {
  readonly s: number
  isZero(): boolean
}

/** Returns a new decimal of a class, with the sign that the text of a negative zero lacks. */
export function newDecimal(Decimal: DecimalConstructor, value: DecimalValue): object {
  return new Decimal(isNegativeZero(value) ? '-0' : String(value))
}

const isNegativeZero = (value: DecimalValue): boolean => value.s < 0 && value.isZero()

/** One scalar per decimal class, so that compiled functions share one constant. */
function decimal(Decimal: DecimalConstructor): Scalar {
  const known = decimals.get(Decimal) ?? decimalOf(Decimal)
  decimals.set(Decimal, known)
  return known
}

const decimalOf = (Decimal: DecimalConstructor): Scalar => ({
  expected: 'a Decimal',
  accepts: (value) => Decimal.isDecimal(value),
  toText: (value: object) => String(value),
  isNegativeZero: (value) => isNegativeZero(value as DecimalValue),
  fromText: (text) => {
    if (typeof text !== 'string') return notWritten('decimal')
    const value = new Decimal(text)
    // The list of values that JSON loses restores the sign of a zero.
    return String(value) === text || text === '-0' ? value : notWritten('decimal')
  },
  // Decimals are immutable by contract.
  copy: (value) => value,
  // Another copy of decimal.js has its own class; clones of one copy share a prototype.
  normalize: (value: DecimalValue) => (value.constructor === Decimal ? value : newDecimal(Decimal, value)),
  samples: () =>
    ['0', '-0', '10200', '-0.01', '1e-30', '12345678901234567890.123456789'].map((text) => new Decimal(text)),
})

const scalars: Readonly<Record<ScalarName, (Decimal?: DecimalConstructor) => Scalar | undefined>> = {
  date: () => date,
  bigint: () => bigint,
  bytes: () => bytes,
  decimal: (Decimal) => Decimal && decimal(Decimal),
}

/** The names of all scalars, for messages. */
export const listedScalars = Object.keys(scalars).join(', ')

/** Returns the scalar with this name; undefined if there is none, or if it is a decimal and there is no class. */
export function scalarNamed(name: string, Decimal?: DecimalConstructor): Scalar | undefined {
  return Object.hasOwn(scalars, name) ? scalars[name as ScalarName](Decimal) : undefined
}

/** Returns the scalar of a plan, or undefined if JSON can represent its values. */
export function scalarOf(plan: WirePlan): Scalar | undefined {
  return scalarNamed(plan.kind, plan.kind === 'decimal' ? plan.Decimal : undefined)
}
