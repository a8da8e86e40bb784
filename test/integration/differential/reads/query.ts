/** One query, and what it may be made of. */
import { skip } from '@prisma/client/runtime/client'
import { type Manner, manners } from '../manners.ts'
import { Prisma } from './client/client.ts'

export type Args = Record<string, unknown>

export interface Query {
  readonly model: string
  readonly operation: string
  readonly args: unknown
  /** Fluent calls on the result: relations with their arguments. */
  readonly chain?: readonly { readonly relation: string; readonly args: unknown }[]
  /** What is unusual about how the arguments are given. */
  readonly manner?: Manner
}

/** The database answers some reads with the arguments of the caller, which may have other answers by then. */
export const readManners = manners.filter((manner) => manner !== 'fickle')

/** Fit nowhere, or in surprising places. */
export const oddities: readonly unknown[] = [
  undefined,
  null,
  Number.NaN,
  Infinity,
  -0,
  1.5,
  '',
  '1',
  'not an id',
  true,
  [],
  {},
  2 ** 31,
  2 ** 53,
  -1n,
  10n ** 30n,
  new Date(Number.NaN),
  new Date('2024-01-01'),
  new Uint8Array([1]),
  skip,
  Prisma.AnyNull,
  Prisma.DbNull,
  Prisma.JsonNull,
  new Prisma.Decimal(1),
  '\0',
  '\uD800',
]
