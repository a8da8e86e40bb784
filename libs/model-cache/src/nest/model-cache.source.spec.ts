import type { ModuleRef } from '@nestjs/core'
import { type } from 'arktype'
import { createSqliteDemo, unconnectedPostgres } from '../../../../test/support/sqlite-demo.js'
import { useOpened } from '../../../../test/support/use-opened.js'
import { type AnyModelCacheDefinition, defineModelCache } from '../cache/policy/definition.js'
import { bindDefinition } from '../definitions/bind-definition.js'
import { ModelCacheWrites } from '../protocol/index.js'
import { extendPrisma } from '../source/prisma/extend-prisma.js'
import { findPrisma, resolvePrimary, resolvePrisma } from './model-cache.source.js'

class PrismaService {}
const token = Symbol('PRISMA')

/** Provides these under their tokens, in any module. */
function providing(provided: ReadonlyMap<unknown, unknown> = new Map()): ModuleRef {
  const get = (asked: unknown, options?: { strict?: boolean }): unknown => {
    if (options?.strict !== false) throw new Error('only the providers of this module')
    if (!provided.has(asked)) throw new Error('there is no such provider')
    return provided.get(asked)
  }
  return { get } as unknown as ModuleRef
}

const define = (change: object): AnyModelCacheDefinition =>
  defineModelCache<{ id: string }>()({
    model: 'GuestUser',
    schema: type({ id: 'string' }),
    id: 'id',
    ttl: '1m',
    ...change,
  })

const demo = useOpened(createSqliteDemo)

describe('findPrisma', () => {
  const client = {}

  it.each<[string, Parameters<typeof findPrisma>[0], object | undefined]>([
    ['the client that is given', client, client],
    ['none if none is given', undefined, undefined],
    ['the provider of a class', PrismaService, client],
    ['the provider of a symbol', token, client],
    ['none if the provider returns null', 'nothing', undefined],
    ['none if there is no provider', 'unknown', undefined],
  ])('returns %s', (_, given, found) => {
    const provided = new Map<unknown, unknown>([
      [PrismaService, client],
      [token, client],
      ['nothing', null],
    ])
    expect(findPrisma(given, providing(provided))).toBe(found)
  })
})

describe('resolvePrisma', () => {
  class InvalidClassScopeException extends Error {}
  const derived = (): AnyModelCacheDefinition => ({ ...define({}), schema: undefined }) as never

  it('returns the client that is given or provided', () => {
    const client = demo.client()
    expect(resolvePrisma(client, providing(), derived())).toBe(client)
    const provided = providing(new Map([[PrismaService, client]]))
    expect(resolvePrisma(PrismaService, provided, derived())).toBe(client)
    expect(resolvePrisma(undefined, provided, define({ load: () => [], dependsOn: [] }))).toBeUndefined()
  })

  it.each<[string, Parameters<typeof resolvePrisma>[0], unknown, string]>([
    ['none', undefined, undefined, 'ModelCacheModule.forRoot has no `prisma`'],
    ['null', 'PRISMA', null, 'PRISMA resolves to null'],
    ['undefined', PrismaService, undefined, 'PrismaService resolves to undefined'],
    ['something else', token, {}, 'Symbol(PRISMA) is not a Prisma client: it has no Prisma schema'],
  ])('refuses a client that is %s', (_, given, provided, message) => {
    expect(() => resolvePrisma(given, providing(new Map([[given, provided]])), derived())).toThrow(message)
  })

  it('names the property of a service that has the client', () => {
    const service = { url: 'file:demo.db', db: demo.client() }
    expect(() => resolvePrisma('SERVICE', providing(new Map([['SERVICE', service]])), define({}))).toThrow(
      'SERVICE is not a Prisma client; its `db` is one. Provide that one',
    )
  })

  it.each([
    ['is missing', new Error('there is none'), 'no module provides PrismaService'],
    ['has another scope', new InvalidClassScopeException(), 'PrismaService is request-scoped or transient'],
  ])('says why a provider cannot be used that %s', (_, cause, message) => {
    const get = (): never => {
      throw cause
    }
    expect(() => resolvePrisma(PrismaService, { get } as unknown as ModuleRef, derived())).toThrow(
      expect.objectContaining({
        code: 'E_MISSING_PRISMA',
        message: expect.stringContaining(message),
        cause,
      }) as Error,
    )
  })

  it('names a client without a class', () => {
    const nothing = Object.create(null) as object
    expect(() =>
      resolvePrisma(nothing, providing(), bindDefinition(define({ load: undefined }))),
    ).not.toThrow()
    expect(() => resolvePrisma(nothing, providing(), { ...define({}), schema: undefined } as never)).toThrow(
      'the given object is not a Prisma client',
    )
  })

  it.each([
    ['a schema', {}],
    ['a load', { load: () => [], dependsOn: [] }],
  ])('accepts anything as the client of a definition with %s', (_, change) => {
    const client = new Map()
    expect(resolvePrisma(client, providing(), define(change))).toBe(client)
  })

  it('accepts anything as the client of a `load` whose rows have no schema', () => {
    const client = new Map()
    const definition = { ...define({ load: () => [], dependsOn: [] }), schema: undefined } as never
    expect(resolvePrisma(client, providing(), definition)).toBe(client)
  })
})

describe('resolvePrimary', () => {
  const writes = new ModelCacheWrites()
  const extended = (replica: boolean) => extendPrisma(unconnectedPostgres(), writes, { replica })
  const standby = extended(true)
  const primary = extended(false)
  const elsewhere = extendPrisma(unconnectedPostgres(), new ModelCacheWrites())

  it('returns the client of the primary, given or provided', () => {
    const provided = providing(new Map([[PrismaService, primary]]))
    expect(resolvePrimary({ primary }, standby, providing())).toBe(primary)
    expect(resolvePrimary({ primary: PrismaService }, standby, provided)).toBe(primary)
    expect(resolvePrimary({}, standby, providing())).toBeUndefined()
  })

  it.each<[string, object, object]>([
    ['is extended for another root', elsewhere, standby],
    ['is not extended', unconnectedPostgres(), standby],
    ['is that of a replica, too', extended(true), standby],
    ['is beside a client that reads no replica', primary, extended(false)],
  ])('refuses a client that %s', (_, given, beside) => {
    expect(() => resolvePrimary({ primary: given, prisma: beside }, beside, providing())).toThrow(
      /option "primary" is "a client"; expected the client that writes to the primary.* `prisma` is a client\./,
    )
  })

  it('refuses a database that has no standby that it knows', () => {
    const own = new ModelCacheWrites()
    const [one, other] = [true, false].map((replica) => extendPrisma(demo.client(), own, { replica }))
    expect(() => resolvePrimary({ primary: other! }, one!, providing())).toThrow('option "primary"')
  })

  it('names tokens in its refusal', () => {
    expect(() => resolvePrimary({ primary: 'PRIMARY', prisma: PrismaService }, standby, providing())).toThrow(
      /option "primary" is "PRIMARY"; .* `prisma` is PrismaService\./,
    )
    expect(() => resolvePrimary({ primary: token, prisma: token }, standby, providing())).toThrow(
      'option "primary" is "Symbol(PRISMA)"',
    )
  })
})
