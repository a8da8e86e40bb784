import { createSqliteDemo } from '../../../../../test/support/sqlite-demo.js'
import { useOpened } from '../../../../../test/support/use-opened.js'
import {
  adapterNameOf,
  clientMethodsOf,
  hasPlainErrors,
  intercept,
  isIntercepted,
  isTraced,
  joinsRelations,
  omittedFieldsOf,
  refusesUndefined,
  runtimeModelsOf,
} from './internals.js'

const demo = useOpened(createSqliteDemo)

const omitted = (client: object): unknown => omittedFieldsOf(client, 'BlogPost')

it.each<[string, (client: object) => unknown, object, unknown]>([
  ['its driver adapter', adapterNameOf, { _engineConfig: { adapter: { adapterName: 'pg' } } }, 'pg'],
  ['an engine of its own', adapterNameOf, { _engineConfig: {} }, undefined],
  ['its models', runtimeModelsOf, { _runtimeDataModel: { models: { Post: {} } } }, { Post: {} }],
  ['no models', runtimeModelsOf, {}, {}],
  ['that it refuses undefined', refusesUndefined, { _previewFeatures: ['strictUndefinedChecks'] }, true],
  ['that it takes undefined', refusesUndefined, { _previewFeatures: ['relationJoins'] }, false],
  ['that it takes undefined, without features', refusesUndefined, {}, false],
  ['that it queries relations, without features', joinsRelations, { _activeProvider: 'mysql' }, false],
  ['that its errors name no place', hasPlainErrors, { _errorFormat: 'minimal' }, true],
  ['that its errors name a place', hasPlainErrors, { _errorFormat: 'colorless' }, false],
  ['that it reports spans', isTraced, { _tracingHelper: { isEnabled: () => true } }, true],
  ['that it reports no spans', isTraced, { _tracingHelper: { isEnabled: () => false } }, false],
  ['that it may report spans', isTraced, {}, true],
  ['the fields that it omits', omitted, { _globalOmit: { blogPost: { text: true } } }, { text: true }],
  ['that it omits no fields', omitted, {}, undefined],
])('a client says %s', (_, read, client, expected) => {
  expect(read(client)).toEqual(expected)
})

it.each([
  ['postgresql', 'relationJoins', true],
  ['postgres', 'relationJoins', true],
  ['cockroachdb', 'relationJoins', true],
  ['mysql', 'relationJoins', true],
  ['mysql', 'strictUndefinedChecks', false],
  ['sqlite', 'relationJoins', false],
  ['sqlserver', 'relationJoins', false],
])('knows whether Prisma joins relations: of %s, with %s', (provider, feature, expected) => {
  const client = { _activeProvider: provider, _previewFeatures: [feature] }
  expect(joinsRelations(client)).toBe(expected)
})

it('reads the options of a client of Prisma', () => {
  const client = demo.client()
  expect([refusesUndefined, joinsRelations, hasPlainErrors, isTraced].map((read) => read(client))).toEqual([
    false,
    false,
    false,
    false,
  ])
  expect(adapterNameOf(client)).toBe('@prisma/adapter-libsql')
  expect(Object.keys(runtimeModelsOf(client))).toContain('GuestUser')
})

describe('intercept', () => {
  it('replaces the methods of all clients of a PrismaClient, and keeps the former ones', async () => {
    const client = demo.client()
    const extended = client.$extends({})
    const former = clientMethodsOf(client)
    expect([isIntercepted(client), isIntercepted({})]).toEqual([false, false])
    const query = async (): Promise<unknown> => 'intercepted'
    intercept(extended, { ...former, query })
    expect([isIntercepted(client), isIntercepted(extended), isIntercepted(demo.client())]).toEqual([
      true,
      true,
      false,
    ])
    expect(clientMethodsOf(client)).toEqual(former)
    expect(await client.guestUser.findMany()).toBe('intercepted')
  })

  it('has other libraries replace them afterwards, or take them away', () => {
    const client = demo.client()
    const extended = client.$extends({})
    const { query } = clientMethodsOf(client)
    intercept(client, { ...clientMethodsOf(client), query: async () => null })
    const other = async (): Promise<void> => {}
    Object.assign(extended, { _executeRequest: other })
    expect(Reflect.get(extended, '_executeRequest')).toBe(other)
    Reflect.deleteProperty(client, '_executeRequest')
    expect(Reflect.get(client, '_executeRequest')).toBe(query)
  })
})
