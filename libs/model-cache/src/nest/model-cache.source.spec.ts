/* oxlint-disable no-underscore-dangle -- that is how Prisma marks what is its own */
import type { ModuleRef } from '@nestjs/core'
import { type } from 'arktype'
import { createSqliteDemo, unconnectedPostgres } from '../../../../test/support/sqlite-demo.js'
import { type AnyModelCacheDefinition, defineModelCache } from '../cache/policy/definition.js'
import { bindDefinition } from '../definitions/bind-definition.js'
import { ModelCacheWrites } from '../protocol/index.js'
import { extendPrisma } from '../source/prisma/extend-prisma.js'
import { createSource, findPrisma, lossesWith, resolvePrimary, resolvePrisma } from './model-cache.source.js'

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

/** Has a client say another schema. */
function withSchema<Client extends object>(client: Client, change: (text: string) => string): Client {
  const internals = client as unknown as { _engineConfig: { inlineSchema: string } }
  const { _engineConfig: config } = internals
  internals._engineConfig = { ...config, inlineSchema: change(config.inlineSchema) }
  return client
}

let demo: Awaited<ReturnType<typeof createSqliteDemo>>
beforeAll(async () => {
  demo = await createSqliteDemo()
})
afterAll(() => demo.close())

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

describe('lossesWith', () => {
  it('has no losses of a client that is extended for the root', async () => {
    const writes = new ModelCacheWrites()
    const client = extendPrisma(demo.client(), writes)
    expect(await lossesWith(client, writes, {})).toEqual([])
    expect(await lossesWith(client, writes, { consistency: { mode: 'strict' } })).toEqual([])
  })

  it('refuses a client in strict mode whose writes cannot all be planned, which is a loss otherwise', async () => {
    const writes = new ModelCacheWrites()
    const client = extendPrisma(
      withSchema(demo.client(), (text) => text.replace(/^ +rating .*/m, '')),
      writes,
    )
    expect(await lossesWith(client, writes, { consistency: { mode: 'available' } })).toEqual([
      expect.stringContaining('field User.rating is not in the schema'),
    ])
    await expect(lossesWith(client, writes, { consistency: { mode: 'strict' } })).rejects.toMatchObject({
      code: 'E_PRISMA_INTERNALS',
    })
  })

  it("has none with writes: 'manual', unless the writes of the client reach other caches", async () => {
    const manual = { writes: 'manual' } as const
    expect(await lossesWith(demo.client(), new ModelCacheWrites(), manual)).toEqual([])
    const elsewhere = extendPrisma(demo.client(), new ModelCacheWrites())
    expect(await lossesWith(elsewhere, new ModelCacheWrites(), manual)).toEqual([
      expect.stringContaining('announces its writes to the caches of another root'),
    ])
  })

  it.each([
    ['available', ''],
    ['strict', ", and mode 'strict' has no effect"],
  ] as const)('says of a client that is not extended what mode %s is worth', async (mode, effect) => {
    expect(await lossesWith(demo.client(), new ModelCacheWrites(), { consistency: { mode } })).toEqual([
      expect.stringContaining(`until \`invalidate\` is called${effect}. Provide it with`),
    ])
  })
})

describe('createSource', () => {
  it.each([
    [
      'a model that it spells otherwise',
      { model: 'guestUser', load: () => [], dependsOn: [] },
      'E_UNKNOWN_MODEL',
    ],
    ['an id that is not unique', { schema: type({ name: 'string' }), id: 'name' }, 'E_INVALID_ID_FIELD'],
  ])('refuses a client for %s', async (_, change, code) => {
    const definition = bindDefinition(define(change))
    await expect(createSource(definition, demo.client())).rejects.toMatchObject({ code })
  })

  it('gives a `load` the client, and reads from the primary what its standby may lack', async () => {
    const client = demo.client()
    const clients: unknown[] = []
    const load = (given: unknown) => {
      clients.push(given)
      return []
    }
    const definition = bindDefinition(define({ load, dependsOn: [] }))
    const source = await createSource(definition, client, demo.client())
    await source.load(['ada'])
    expect(clients).toEqual([client])
    expect(source.primary).toBeDefined()
    expect((await createSource(definition, client)).primary).toBeUndefined()
    expect((await createSource(definition, undefined)).primary).toBeUndefined()
  })

  /** Something with the methods of a model, and without a Prisma schema. */
  const rows = [{ id: 'ada', name: 'Ada' }]
  const delegate = { findMany: async () => rows, findUnique: async () => null }

  it('loads rows from anything that has the methods of a model', async () => {
    const schema = type({ id: 'string', name: 'string' })
    const definition = bindDefinition(define({ schema, select: { id: true, name: true }, dependsOn: [] }))
    const source = await createSource(definition, { guestUser: delegate })
    expect(await source.load(['ada'])).toEqual(rows)
  })
})
