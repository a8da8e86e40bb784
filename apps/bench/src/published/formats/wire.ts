import { FIELDS, isTime, type Field, type Trip } from './trip.ts'

/** A trip for compiled schemas: numbers for times, as `startedAtMs`, and for enums, undefined for null. */
export type WireTrip = Record<string, string | number | undefined>

/** Shows one trip after another as a {@link WireTrip}, without an object for each. Has the dates as well. */
export type WireView = Readonly<WireTrip> & { over(trip: Trip): WireView }

/** The values of enums by number; 0 is "unknown" by convention. */
const enums = Object.fromEntries(
  FIELDS.flatMap(({ name, values }) => (values ? [[`${name}Values`, [undefined, ...values]]] : [])),
)

/** Straight-line code, as compilers of schemas generate it and people write it. */
export const generate = <Made>(code: string): Made =>
  // oxlint-disable-next-line no-new-func -- what is measured is the code that one would write for each field
  new Function(...Object.keys(enums), `return ${code}`)(...Object.values(enums)) as Made

export const lines = (codeOf: (field: Field, number: number) => string, separator = '\n'): string =>
  FIELDS.map((field, index) => codeOf(field, index + 1)).join(separator)

/** An object of all fields, by the code of their values. */
export const objectOf = (valueOf: (field: Field) => string): string =>
  `({ ${lines((field) => `${field.name}: ${valueOf(field)}`, ', ')} })`

/** The value of a field of `trip` for the wire; dates stay dates. */
export function wireValue({ name, values, optional }: Field, trip = 'trip'): string {
  if (values) return `${trip}.${name} === '${values[0]}' ? 1 : 2`
  return `${trip}.${name}${optional ? ' ?? undefined' : ''}`
}

/** A number on the wire as a value of an enum. */
export const enumOf = ({ name }: Field, code: string): string => `${name}Values[${code}]`

export const wireName = (field: Field): string => (isTime(field) ? `${field.name}Ms` : field.name)
const wireCode = (field: Field, trip: string): string =>
  isTime(field) ? `${trip}.${field.name}.getTime()` : wireValue(field, trip)

/** Into an existing object, for libraries that read only own properties. */
export const writeWire = generate<(trip: Trip, wire: WireTrip) => WireTrip>(
  `(trip, wire) => {\n${lines((field) => `wire.${wireName(field)} = ${wireCode(field, 'trip')}`)}\nreturn wire\n}`,
)

const getter = (name: string, code: string): string => `get ${name}() { return ${code} }`
export const WireTripView = generate<new () => WireView>(`class {
  trip
  over(trip) {
    this.trip = trip
    return this
  }
  ${lines((field) => getter(wireName(field), wireCode(field, 'this.trip')))}
  ${lines((field) => (isTime(field) ? getter(field.name, `this.trip.${field.name}`) : ''))}
}`)
