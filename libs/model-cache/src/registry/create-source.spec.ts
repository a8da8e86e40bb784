import { type } from 'arktype'
import { createSqliteDemo } from '../../../../test/support/sqlite-demo.js'
import { useOpened } from '../../../../test/support/use-opened.js'
import { type AnyModelCacheDefinition, defineModelCache } from '../cache/policy/definition.js'
import { bindDefinition } from '../definitions/bind-definition.js'
import { createSource } from './prisma-client.js'

const define = (change: object): AnyModelCacheDefinition =>
  defineModelCache<{ id: string }>()({
    model: 'GuestUser',
    schema: type({ id: 'string' }),
    id: 'id',
    ttl: '1m',
    ...change,
  })

const demo = useOpened(createSqliteDemo)

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

  it('refuses rows of Prisma without a client', async () => {
    await expect(createSource(bindDefinition(define({})), undefined)).rejects.toMatchObject({
      code: 'E_MISSING_PRISMA',
      message: expect.stringContaining('Give `start` the extended Prisma client, or the definition a `load`'),
    })
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
