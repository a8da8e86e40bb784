import { GraphQLScalarType, Kind } from 'graphql'
import { type } from 'arktype'
import { Prisma } from '#prisma/client/client.js'
import { badUserInput } from './errors.js'

/** Money and rates: exact in both directions, and so never a GraphQL Float. */
export const GraphQLDecimal = new GraphQLScalarType<Prisma.Decimal, string>({
  name: 'Decimal',
  description:
    'A decimal number as a string in plain notation, such as "117.5". Never a Float: money is exact.',
  serialize: (value) => (value as Prisma.Decimal).toFixed(),
  parseValue: parseDecimal,
  parseLiteral: (node) => parseDecimal(node.kind === Kind.STRING ? node.value : undefined),
})

/** Moments in UTC. Unlike Nest's own scalar it takes ISO 8601 and nothing else: `new Date('1/2/26')` is a guess. */
export const GraphQLDateTime = new GraphQLScalarType<Date, string>({
  name: 'DateTime',
  description: 'A moment in UTC as ISO 8601, such as "2026-11-21T18:30:00.000Z".',
  serialize: (value) => (value as Date).toISOString(),
  parseValue: parseDateTime,
  parseLiteral: (node) => parseDateTime(node.kind === Kind.STRING ? node.value : undefined),
})

/** 64-bit counters: beyond what a JSON number holds. */
export const GraphQLBigInt = new GraphQLScalarType<bigint, string>({
  name: 'BigInt',
  description: 'A whole number of any size as a string, such as "9007199254740993".',
  serialize: String,
})

/** For documents that only their readers understand. Output only. */
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
