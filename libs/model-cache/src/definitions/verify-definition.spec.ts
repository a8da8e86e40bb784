import { type } from 'arktype'
import { type AnyModelCacheDefinition, defineModelCache } from '../cache/policy/definition.js'
import { compilePlan } from '../codec/compile-plan.js'
import { type AnyBoundDefinition, bindDefinition } from './bind-definition.js'
import { modelCaches } from './model-caches.js'
import { describeSchemaText } from '../source/prisma/schema/describe-schema.js'
import {
  unselectedSecrets,
  verifyDefinition,
  verifyDependencies,
  verifyFields,
  verifyKeptOut,
  verifyModels,
  verifyViews,
  warningsOf,
} from './verify-definition.js'

const facts = describeSchemaText(`
model User {
  id     String @id
  name   String
  pin    String /// @cache(omit)
  data   Json?
  shopId String
  shop   Shop   @relation(fields: [shopId], references: [id])
}
model Shop {
  id      String @id
  key     String /// @cache(omit)
  users   User[]
  ownerId String
  owner   Owner  @relation(fields: [ownerId], references: [id])
}
model Owner {
  id    String @id
  shops Shop[]
}
view Rank {
  id     String @id
  shopId String @unique
  shop   Ranked @relation(fields: [shopId], references: [id])
}
model Ranked {
  id   String @id
  rank Rank?
}
model Hidden {
  id String @id
  @@ignore
}
`)
const { models } = facts
const withoutSchema = { models: new Map(), omittedOf: () => undefined }
const schemaOf = (row: object) => type({ id: 'string', ...row })
const define = (change: object = {}): AnyModelCacheDefinition =>
  defineModelCache<{ id: string }>()({ model: 'User', schema: schemaOf({}), id: 'id', ttl: '1m', ...change })
const bind = (change: object): AnyBoundDefinition => bindDefinition(define({ dependsOn: [], ...change }))
const defineDerived = modelCaches().defineModelCache as unknown as (
  model: string,
  options: object,
) => AnyModelCacheDefinition
const derive = (options: object = {}, by = facts): AnyBoundDefinition =>
  bindDefinition(defineDerived('User', { ttl: '1m', ...options }), by)

describe('verifyModels', () => {
  it.each([
    ['that the client hides', { model: 'Hidden' }],
    ['in dependsOn that the client hides', { dependsOn: ['Hidden'] }],
    ['in another case', { model: 'user', load: () => [], dependsOn: [] }],
    ['that the schema does not have', { model: 'Nobody' }],
  ])('refuses a model %s', (_, change) => {
    expect(() => verifyModels(models, define(change))).toThrow(/has no model "(Hidden|user|Nobody)"/)
  })

  it.each([
    ['of a load, whose rows may be of no model', { model: 'Nobody', load: () => [], dependsOn: [] }],
    ["with dependsOn: 'ttl'", { dependsOn: 'ttl' }],
    ['with models in dependsOn', { dependsOn: ['Shop', 'Owner'] }],
  ])('accepts a definition %s', (_, change) => {
    expect(() => verifyModels(models, define(change))).not.toThrow()
  })

  it('accepts every definition where there is no schema', () => {
    expect(() => verifyModels(new Map(), define())).not.toThrow()
  })
})

describe('verifyDependencies', () => {
  const include = { shop: { include: { owner: true } } }

  it('names the models that a definition has to depend on', () => {
    expect(() => verifyDependencies(models, bind({ include, dependsOn: ['Owner'] }))).toThrow(
      /its rows hold data of Shop, .*dependsOn: \['Owner', 'Shop'\]/,
    )
    expect(() => verifyDependencies(models, bind({ include }))).toThrow("dependsOn: ['Shop', 'Owner']")
    expect(() => verifyDependencies(models, bind({ include, dependsOn: ['Owner', 'Shop'] }))).not.toThrow()
    expect(() => verifyDependencies(models, bind({}))).not.toThrow()
  })

  it('knows the relations of a schema by hand, which is what is selected without a `select`', () => {
    const schema = schemaOf({ shop: schemaOf({}) })
    expect(() => verifyDependencies(models, bind({ schema }))).toThrow("dependsOn: ['Shop']")
    expect(() => verifyDependencies(models, bind({ schema, dependsOn: ['Shop'] }))).not.toThrow()
  })

  it("accepts outdated rows with dependsOn: 'ttl'", () => {
    expect(() => verifyDependencies(models, bind({ include, dependsOn: 'ttl' }))).not.toThrow()
  })
})

describe('verifyViews', () => {
  const ofRelation = { model: 'Ranked', include: { rank: true } }

  it.each([
    ['rows of a view', { model: 'Rank' }],
    ['a view of nothing', { model: 'Rank', dependsOn: [] }],
    ['a relation to a view', { ...ofRelation, dependsOn: ['Rank'] }],
    ['a relation to a view in the schema', { model: 'Ranked', schema: schemaOf({ rank: schemaOf({}) }) }],
    ['loaded rows of a view', { model: 'Rank', load: () => [], dependsOn: ['Rank'] }],
    ['loaded rows that depend on a view', { load: () => [], dependsOn: ['Rank'] }],
  ])('refuses %s whose tables are not named', (_, change) => {
    expect(() => verifyViews(models, bind(change))).toThrow(/Rank is a view: .* Set `dependsOn`/)
  })

  it.each([
    ['rows of a view', { model: 'Rank', dependsOn: ['User'] }],
    ['a relation to a view', { ...ofRelation, dependsOn: ['Rank', 'Ranked'] }],
    ["a view with dependsOn: 'ttl'", { model: 'Rank', dependsOn: 'ttl' }],
    ['no view', {}],
  ])('accepts %s', (_, change) => {
    expect(() => verifyViews(models, bind(change))).not.toThrow()
  })
})

describe('verifyFields', () => {
  const shop = (row: object) => ({ shop: schemaOf(row) })

  it.each([
    [
      'a count',
      { schema: schemaOf({ _count: { users: 'number' } }), include: {} },
      '"_count", which `include`',
    ],
    [
      'a relation of a relation',
      { schema: schemaOf(shop({ owner: schemaOf({}) })), include: { shop: { include: {} } } },
      '"shop.owner", which `include` leaves out',
    ],
    [
      'a relation of a relation whose fields it selects',
      { schema: schemaOf(shop({ owner: schemaOf({}) })), include: { shop: true } },
      '"shop.owner", which `include` leaves out',
    ],
    [
      'a relation of a relation where no option selects it',
      { schema: schemaOf(shop({ owner: schemaOf({}) })) },
      '"shop.owner", which `include` leaves out',
    ],
    [
      'a field',
      { schema: schemaOf({ name: 'string' }), select: { id: true } },
      '"name", which `select` leaves',
    ],
    [
      'a field that it switches off',
      { schema: schemaOf({ name: 'string' }), select: { id: true, name: false } },
      '"name", which `select` leaves',
    ],
  ])('refuses a selection without %s of the schema', (_, change, message) => {
    expect(() => verifyFields(facts, bind(change))).toThrow(message)
  })

  describe('of a client that omits fields', () => {
    const omitted: Record<string, Record<string, unknown>> = { User: { name: true }, Shop: { ownerId: true } }
    const verify = (change: object) => () =>
      verifyFields({ models, omittedOf: (model) => omitted[model] }, bind(change))
    const named = schemaOf({ name: 'string' })
    const owned = schemaOf(shop({ ownerId: 'string' }))

    it.each([
      ['a field', { schema: named, include: {} }, '"name"'],
      ['a field of a relation', { schema: owned, include: { shop: true } }, '"shop.ownerId"'],
      [
        'a field of a filtered relation',
        { schema: owned, include: { shop: { where: {} } } },
        '"shop.ownerId"',
      ],
    ])('refuses %s of the schema that rows lack', (_, change, field) => {
      expect(verify(change)).toThrow(`its schema has ${field}, which \`omit\` leaves out`)
    })

    it.each([
      ['a field that is selected', { schema: named, select: { id: true, name: true } }],
      ['the fields of the schema, which are selected without an option', { schema: named }],
      ['a field that is not omitted', { schema: owned, include: { shop: { omit: { ownerId: false } } } }],
      ['a field that rows may lack', { schema: schemaOf({ 'name?': 'string' }), include: {} }],
    ])('accepts %s', (_, change) => {
      expect(verify(change)).not.toThrow()
    })
  })

  it('refuses a field of the schema that the definition omits', () => {
    const schema = schemaOf(shop({ ownerId: 'string' }))
    const include = { shop: { omit: { ownerId: true } } }
    expect(() => verifyFields(facts, bind({ schema, include }))).toThrow(
      '"shop.ownerId", which `omit` leaves out',
    )
  })

  it.each([
    [
      'counts without a choice',
      { model: 'Shop', schema: schemaOf({ _count: { users: 'number' } }), include: { _count: {} } },
    ],
    ['fields that include brings', { schema: schemaOf({ name: 'string' }), include: {} }],
    ['a relation', { schema: schemaOf(shop({})), include: { shop: true } }],
    [
      'a relation of a relation',
      { schema: schemaOf(shop({ owner: schemaOf({}) })), include: { shop: { include: { owner: true } } } },
    ],
    [
      'null, which selects nothing',
      { schema: schemaOf({ data: 'object' }), select: { id: true, data: null } },
    ],
  ])('accepts %s', (_, change) => {
    expect(() => verifyFields(facts, bind(change))).not.toThrow()
  })
})

describe('verifyDefinition', () => {
  it('looks into selections of what has no Prisma schema', () => {
    const nested = (select: object) => bind({ schema: schemaOf({ shop: { key: 'string' } }), select })
    const verify = (definition: AnyBoundDefinition) => () => verifyDefinition(withoutSchema, definition)
    expect(verify(nested({ id: true, shop: { select: { key: true } } }))).not.toThrow()
    expect(verify(nested({ id: true, shop: { select: { name: true } } }))).toThrow(
      '"shop.key", which `select`',
    )
    expect(verify(bind({ schema: schemaOf({ name: 'string' }), include: { shop: true } }))).toThrow(
      '`include` has "shop", which its schema lacks',
    )
  })
})

describe('verifyKeptOut', () => {
  const one = type({ id: 'string', kind: "'one'", pin: 'string' })
  const other = type({ id: 'string', kind: "'other'" })

  it.each([
    ['pin', schemaOf({ pin: 'string' })],
    ['shop.key', schemaOf({ shop: { key: 'string' } })],
    ['shop.users.pin', schemaOf({ shop: { users: type({ pin: 'string' }).array() } })],
    ['pin', one.or(other)],
    ['pin', other.or(one)],
  ])('refuses a schema with %s, which the Prisma schema keeps out', (field, schema) => {
    expect(() => verifyKeptOut(facts, bind({ schema }))).toThrow(`its schema has "${field}", which is marked`)
  })

  const json = schemaOf({ shop: 'object' })

  it.each([
    ['shop.key', { schema: json }],
    ['shop.key', { schema: json, include: { shop: true } }],
    ['shop.key', { schema: json, select: { id: true, shop: { select: { key: true } } } }],
    ['shop.users.pin', { schema: json, select: { id: true, shop: { select: { id: true, users: true } } } }],
    ['users.pin', { model: 'Shop', schema: schemaOf({ users: 'object[]' }) }],
    [
      'shop.users.pin',
      { schema: schemaOf({ shop: { users: 'object[]' } }), include: { shop: { include: { users: true } } } },
    ],
  ])('refuses a relation as JSON that has %s', (field, change) => {
    expect(() => verifyKeptOut(facts, bind(change))).toThrow(`its schema has "${field}", which is marked`)
  })

  it.each([
    [
      'without the field',
      { schema: json, select: { id: true, shop: { select: { id: true, owner: true } } } },
    ],
    ['that omits it', { schema: json, include: { shop: { omit: { key: true } } } }],
    ['that is not included', { schema: schemaOf({ 'shop?': 'object' }), include: {} }],
  ])('accepts a relation as JSON %s', (_, change) => {
    expect(() => verifyKeptOut(facts, bind(change))).not.toThrow()
  })

  it('accepts other fields, and rows of no Prisma schema', () => {
    expect(() =>
      verifyKeptOut(facts, bind({ schema: schemaOf({ name: 'string', shop: { id: 'string' } }) })),
    ).not.toThrow()
    expect(() => verifyKeptOut(withoutSchema, bind({ schema: schemaOf({ pin: 'string' }) }))).not.toThrow()
  })
})

describe('warningsOf', () => {
  it('tells how to leave one secret out, or several', () => {
    const warn = (row: object) => warningsOf(bind({ schema: schemaOf(row) }), undefined, false)
    expect(warn({ apiSecret: 'string' })).toEqual([
      'ModelCache "User": apiSecret may be secret, and will be copied to the store. Remove it from the schema and from the loaded ' +
        'rows, or list it in `select` if this is intended.',
    ])
    expect(warn({ apiSecret: 'string', passwordHash: 'string' })).toEqual([
      expect.stringContaining(
        'apiSecret, passwordHash may be secret, and will be copied to the store. Remove them from',
      ),
    ])
    expect(warn({ name: 'string' })).toEqual([])
  })

  it.each([
    [
      'one',
      'apiSecret String',
      'List it in `omit`, mark it `/// @cache(omit)` in the Prisma schema, or list it in `select` if it is meant',
    ],
    [
      'several',
      'apiSecret String\npasswordHash String',
      'List them in `omit`, mark them `/// @cache(omit)` in the Prisma schema, or list them in `select` if they are meant',
    ],
  ])('tells how to leave %s out of derived rows', (_, fields, message) => {
    const own = describeSchemaText(`model User {\nid String @id\n${fields}\n}`)
    expect(warningsOf(derive({}, own), own, false)).toEqual([expect.stringContaining(message)])
  })

  it.each([
    ['an id', 'token String @id', { id: 'token' }],
    ['a unique key', 'id String @id\ntoken String @unique', { unique: { token: 'token' } }],
    ['the key of a list', 'id String @id\ntoken String', { lists: { ofToken: { by: 'token' } } }],
  ])('says that keys of the store have %s in clear text, unless they are hashed', (_, fields, options) => {
    const own = describeSchemaText(`datasource db {\nprovider = "sqlite"\n}\nmodel User {\n${fields}\n}`)
    const warned = (hashesKeys: boolean) => warningsOf(derive(options as never, own), own, hashesKeys)
    const message =
      'Rows are read by token, so the keys of the store have it in clear text: set `atRest.hashKeys`'
    expect(warned(false)).toEqual([expect.stringContaining(message)])
    expect(warned(true)).toEqual([expect.not.stringContaining('clear text')])
  })

  const untyped = expect.stringMatching(
    /keeps pin out of its rows .* Add `omit: \{ pin: true \}` to the definition/,
  )
  it.each([
    ['derived rows whose type has a field that is kept out', derive(), [untyped]],
    ['rows that omit it', derive({ omit: { pin: true } }), []],
    ['rows that omit another field', derive({ omit: { data: true } }), [untyped]],
    ['rows with a select', derive({ select: { id: true, name: true } }), []],
    ['rows with a schema by hand', bind({}), []],
  ])('looks at %s', (_, definition, expected) => {
    expect(warningsOf(definition, facts, false)).toEqual(expected)
  })
})

describe('unselectedSecrets', () => {
  const schema = type({
    id: 'string',
    passwordHash: 'string',
    sessions: type({ id: 'string', refreshToken: 'string', secretary: 'string' }).array(),
  })
  const secretsWith = (select?: object) => unselectedSecrets({ select }, compilePlan(schema, 'User'))

  it('returns secret-looking fields that no select lists', () => {
    const sessions = { select: { id: true, refreshToken: true, secretary: true } }
    expect(secretsWith()).toEqual(['passwordHash', 'sessions.refreshToken'])
    expect(secretsWith({ id: true, passwordHash: true, sessions: true })).toEqual(['sessions.refreshToken'])
    expect(secretsWith({ id: true, passwordHash: true, sessions })).toEqual([])
  })
})
