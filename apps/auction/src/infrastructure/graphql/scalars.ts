import { GraphQLScalarType, Kind } from 'graphql'
import { type } from 'arktype'
import { Prisma } from '#prisma/client/client.js'
import { badUserInput } from './errors.js'

/** For money and rates. A string in both directions, because a GraphQL Float is not exact. */
export const GraphQLDecimal = new GraphQLScalarType<Prisma.Decimal, string>({
  name: 'Decimal',
  description:
    'A decimal number as a string in plain notation, such as "117.5". Not a Float, which would not be exact.',
  serialize: (value) => (value as Prisma.Decimal).toFixed(),
  parseValue: parseDecimal,
  parseLiteral: (node) => parseDecimal(node.kind === Kind.STRING ? node.value : undefined),
})

/** Accepts ISO 8601 only, unlike Nest's own scalar: `new Date('1/2/26')` is ambiguous. */
export const GraphQLDateTime = new GraphQLScalarType<Date, string>({
  name: 'DateTime',
  description: 'A date and time in UTC as ISO 8601, such as "2026-11-21T18:30:00.000Z".',
  serialize: (value) => (value as Date).toISOString(),
  parseValue: parseDateTime,
  parseLiteral: (node) => parseDateTime(node.kind === Kind.STRING ? node.value : undefined),
})

/** For 64-bit counters, which a JSON number cannot represent. */
export const GraphQLBigInt = new GraphQLScalarType<bigint, string>({
  name: 'BigInt',
  description: 'A whole number of any size as a string, such as "9007199254740993".',
  serialize: String,
})

/** For Json columns. Output only. */
export const GraphQLJson = new GraphQLScalarType<unknown, unknown>({
  name: 'JSON',
  description: 'Any JSON value.',
  serialize: (value) => value,
})

function parseDecimal(value: unknown): Prisma.Decimal {
  if (typeof value === 'string' && /^-?\d{1,20}(\.\d{1,20})?$/.test(value)) return new Prisma.Decimal(value)
  throw badUserInput('Decimal must be a string in plain notation, such as "117.5"')
}

const isoDate = type('string.date.iso.parse')

function parseDateTime(value: unknown): Date {
  const date = isoDate(value)
  if (date instanceof type.errors || Number.isNaN(date.getTime())) {
    throw badUserInput('DateTime must be a string in ISO 8601, such as "2026-11-21T18:30:00.000Z"')
  }
  return date
}
