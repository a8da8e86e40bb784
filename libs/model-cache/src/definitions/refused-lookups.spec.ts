import { Decimal } from '@prisma/client/runtime/client'
import { type } from 'arktype'
import { carSchema, nativeSchema } from '../../../../test/support/lookup-schemas.js'
import { defineModelCache } from '../cache/policy/definition.js'
import type { BoundLookup } from '../cache/policy/lookup-options.js'
import { describeSchemaText } from '../source/prisma/schema/describe-schema.js'
import type { SchemaFacts } from '../source/schema-facts.js'
import { bindDefinition } from './bind-definition.js'
import { verifyLookupSource } from './bind-lookups.js'
import { modelCaches } from './model-caches.js'

const postgres = describeSchemaText(carSchema('postgresql'))
const mysql = describeSchemaText(carSchema('mysql'))
const natives = describeSchemaText(nativeSchema)

// eslint-disable-next-line typescript/no-explicit-any -- any model, and any options, as JavaScript would give them
const define = modelCaches<any>().defineModelCache as (model: string, options: object) => any
const boundIn = (model: string, facts: SchemaFacts, options: object): readonly BoundLookup[] =>
  bindDefinition(define(model, { ttl: '1m', ...options }), facts).lookups
const bind = (options: object, facts: SchemaFacts = postgres) => boundIn('Car', facts, options)
const list = (options: object, facts?: SchemaFacts) => bind({ lists: { some: options } }, facts)[0]!
const listOfNatives = (options: object) => boundIn('Native', natives, { lists: { some: options } })[0]!
const ofMaker = (options: object) => list({ by: 'makerId', ...options })

describe('the start refuses', () => {
  const byHand = (options: object, rows: object = {}) =>
    bindDefinition(
      defineModelCache<Record<string, never>>()({
        model: 'Car',
        schema: type({ id: 'number', plate: 'string', ...rows } as never) as never,
        id: 'id' as never,
        ttl: '1m',
        ...(options as object),
      } as never),
      postgres,
    )
  /** A list of rows that are no more than a number. */
  const ofNumbers = (model: string, some: object, facts?: SchemaFacts) =>
    bindDefinition(
      define(model, { ttl: '1m', schema: type({ id: 'number' }), id: ['id'], lists: { some } }),
      facts,
    )

  const refuses = (binding: () => unknown, problem: RegExp): void => {
    expect(binding).toThrow(expect.objectContaining({ code: 'E_INVALID_LOOKUP' }))
    expect(binding).toThrow(problem)
    expect(binding).toThrow(/^ModelCache "\w+": lookup "(some|one)" /)
  }

  it.each<[RegExp, object]>([
    [
      /has "makrId" in `by`, which its rows lack; they have id, .* or run `prisma generate`/,
      { by: 'makrId' },
    ],
    [/"maker" in `by`, which is a relation/, { by: 'maker' }],
    [/"tags" in `by`, which is a list/, { by: 'tags' }],
    [/"extras" in `by`, which is JSON/, { by: 'extras' }],
    [
      /Car\.weight in `by`, whose type Float JavaScript cannot compare as postgresql does; choose another key/,
      { by: 'weight' },
    ],
    [/has `fold`, but postgresql compares none of its fields without case/, { by: 'plate', fold: 'case' }],
    [
      /`through: 'passes'`, which is not an implicit many-to-many relation of Car; those are drivers/,
      { through: 'passes' },
    ],
  ])('a list: it says %s of %j', (problem, options) => {
    refuses(() => list(options), problem)
  })

  it.each<[RegExp, object]>([
    [/"secret" in `where`, which is marked `\/\/\/ @cache\(omit\)`/, { where: { secret: 'x' } }],
    [/"maker" in `where`, which is a relation/, { where: { maker: { id: 1 } } }],
    [/"tags" in `orderBy`, which is a list; expected fields of one/, { orderBy: { tags: 'asc' } }],
    [/"extras" in `where`, which is JSON/, { where: { extras: { a: 1 } } }],
    [
      /a direction for "vin" in `orderBy` that Prisma does not know/,
      { orderBy: { vin: { sort: 'asc', nulls: 'last', first: 'a' } } },
    ],
    [/Car\.weight in `where`.*`null` or `\{ not: null \}` only/, { where: { weight: 1.5 } }],
    [/"doors" with `gt` in `where`; expected conditions that a row shows/, { where: { doors: { gt: 3n } } }],
    [/"vin" with `not`, `in` in `where`/, { where: { vin: { not: null, in: ['a'] } } }],
    [/"plate" with `not` in `where`/, { where: { plate: { not: 'a' } } }],
    [/has `OR` in `where`; expected conditions/, { where: { OR: [{ plate: 'a' }] } }],
    [/compares "plate" in `where` with null, which it never is/, { where: { plate: null } }],
    [/compares "plate" in `where` with null/, { where: { plate: { not: null } } }],
    [/"extras" in `where`, which is JSON/, { where: { extras: null } }],
    [/"plate: undefined" in `where`, which Prisma ignores/, { where: { plate: undefined } }],
    [/empty list at "plate"/, { where: { plate: { in: [] } } }],
    [/null in the list at "vin"/, { where: { vin: { in: ['a', null] } } }],
    [
      /a list at "sold" in `where`, where Prisma takes none; write the constant itself, such as `sold: true`/,
      { where: { sold: { in: [true] } } },
    ],
    [
      /constant of another type at "builtAt" in `where`; expected a valid Date/,
      { where: { builtAt: '2020-01-01' } },
    ],
    [/another type at "doors" in `where`; expected a bigint/, { where: { doors: { in: [3n, 4] } } }],
    [/another type at "plate"/, { where: { plate: ['a'] } }],
    [
      /several fields in one object of `orderBy`; expected one each/,
      { orderBy: { plate: 'asc', id: 'asc' } },
    ],
    [/no field in one object of `orderBy`/, { orderBy: [{}] }],
    [/"id" in `orderBy` twice/, { orderBy: [{ id: 'asc' }, { id: 'desc' }] }],
    [/direction for "plate" .* expected 'asc', 'desc' or/, { orderBy: { plate: 'up' } }],
    [/direction for "vin"/, { orderBy: { vin: { sort: 'asc', nulls: 'x' } } }],
    [
      /\{ sort, nulls \} for "plate" in `orderBy`, which is never null; expected 'asc'/,
      { orderBy: { plate: { sort: 'asc', nulls: 'last' } } },
    ],
  ])('a list by the maker: it says %s of %j', (problem, options) => {
    refuses(() => ofMaker(options), problem)
  })

  it.each<[RegExp, object]>([
    [
      /a constant of another type at "plate" in `where`/,
      { by: 'makerId', where: { plate: 5 }, fold: 'case' },
    ],
    [/Car\.price in `by`, whose type Decimal/, { by: 'price' }],
    [
      /text Car\.plate in `by`, and mysql compares .* Add `fold: 'case'`, or `caseSensitive: true`/,
      { by: 'plate' },
    ],
    [/text Car\.plate in `where`/, { by: 'makerId', where: { plate: 'a' } }],
    [/text Driver\.code in `through`/, { through: 'drivers' }],
    [/has `fold`, but mysql compares none/, { by: 'makerId', fold: 'case' }],
    [
      /has `fold`, but mysql compares none of its fields without case/,
      { by: 'makerId', fold: 'case', where: { vin: null } },
    ],
  ])('a list of MySQL: it says %s of %j', (problem, options) => {
    refuses(() => list(options, mysql), problem)
  })

  it.each<[RegExp, object]>([
    [/"vin" in `by`, which rows may lack; make it required/, { 'vin?': 'string' }],
    [/"vin" in `by`, which rows may lack; make it required/, { vin: 'string | undefined' }],
    [/"vin" in `by`, which is not of one type/, { vin: "1 | 'a'" }],
    [/"vin" in `by`, which is a list/, { vin: ['number', 'number'] }],
    [/"vin" in `by`, which is an object/, { vin: { a: 'number' } }],
  ])('a list by a field of a schema by hand: it says %s of %j', (problem, options) => {
    refuses(() => byHand({ lists: { some: { by: 'vin' } } }, options), problem)
  })

  it.each<[string, () => unknown, RegExp]>([
    [
      'a field that is not selected',
      () => bind({ select: { id: true }, lists: { some: { by: 'makerId' } } }),
      /"makerId" in `by`, which its rows leave out; add it to `select`/,
    ],
    [
      'a relation in orderBy',
      () =>
        bind({
          include: { maker: true },
          dependsOn: 'ttl',
          lists: { some: { by: 'id', orderBy: { maker: { id: 'asc' } } } },
        }),
      /the relation "maker" in `orderBy`/,
    ],
    [
      'a field by hand of another type',
      () => byHand({ lists: { some: { by: 'doors' } } }, { doors: 'string' }),
      /"doors" in `by`, which is a string in its schema and BigInt in the Prisma schema/,
    ],
    [
      'a field by hand that the model lacks',
      () => byHand({ lists: { some: { by: 'extra' } } }, { extra: 'string' }),
      /"extra" in `by`, which is no field of Car/,
    ],
    [
      'a count by hand',
      () => byHand({ lists: { some: { by: '_count' } } }, { _count: 'number' }),
      /the relation "_count" in `by`/,
    ],
    [
      'a key that has fields of a unique key, and others',
      () => bind({ unique: { one: ['makerId', 'colour'] } }),
      /by makerId \+ colour, which is not unique in Car/,
    ],
    [
      'a key that contains a unique key',
      () => bind({ unique: { one: ['id', 'colour'] } }),
      /by id \+ colour, which is not unique in Car/,
    ],
    [
      'a relation to rows whose ids cannot be compared',
      () => {
        const padded =
          'model Car {\n  id Int @id\n  tags Tag[]\n}\nmodel Tag {\n  id String @id @db.Char(9)\n  cars Car[]\n}'
        const facts = describeSchemaText(`datasource db {\n  provider = "postgresql"\n}\n${padded}`)
        return bind({ lists: { some: { through: 'tags' } } }, facts)
      },
      /Tag\.id in `through`, whose type String @db\.Char\(9\) JavaScript .*; define a list of an explicit join model/,
    ],
    [
      'a native type without arguments',
      () => listOfNatives({ by: 'real' }),
      /Native\.real in `by`, whose type Float @db\.Real JavaScript/,
    ],
    [
      'a key that is not unique',
      () => bind({ unique: { one: 'colour' } }),
      /by colour, which is not unique in Car; unique are id, plate, vin, makerId \+ plate/,
    ],
    [
      'half of a unique key',
      () => boundIn('Pass', postgres, { unique: { one: 'zone' } }),
      /by zone, which is not unique in Pass/,
    ],
    [
      'a key that is unique under a condition',
      () => bind({ unique: { one: ['doors', 'sold'] } }),
      /by doors \+ sold, which is not unique/,
    ],
    [
      '`caseSensitive` for citext',
      () => listOfNatives({ by: 'email', caseSensitive: true }),
      /`caseSensitive`, but Native\.email is String @db\.Citext/,
    ],
    [
      'folded text that databases compare differently',
      () => listOfNatives({ by: 'text', where: { email: 'ö@a' } }),
      /"email" in `where` with text that has other characters than those of ASCII/,
    ],
    [
      'a relation that is none',
      () => boundIn('Pass', postgres, { lists: { some: { through: 'zone' } } }),
      /many-to-many relation of Pass; those are none/,
    ],
    [
      '`load`',
      () => byHand({ load: () => [], dependsOn: 'ttl', lists: { some: { by: 'plate' } } }),
      /the query of `load` is not known/,
    ],
    [
      'rows that are a union',
      () =>
        bindDefinition(
          defineModelCache<{ id: number; kind: 'a' } | { id: number; kind: 'b'; b: string }>()({
            model: 'Car',
            schema: type({ id: 'number', kind: "'a'" }).or({
              id: 'number',
              kind: "'b'",
              b: 'string',
            }) as never,
            id: 'id',
            ttl: '1m',
            lists: { some: { by: 'kind' } },
          }),
        ),
      /rows that are one object; those of its schema are a union/,
    ],
    [
      'a model that the schema lacks',
      () =>
        bindDefinition(
          define('Cart', {
            ttl: '1m',
            schema: type({ id: 'string' }),
            id: ['id'],
            lists: { some: { by: 'id' } },
          }),
          postgres,
        ),
      /needs the Prisma schema, which has no readable model "Cart"/,
    ],
    [
      'a model that cannot be read',
      () => ofNumbers('Odd', { by: 'id' }, describeSchemaText('model Odd {\n  id Int @id\n  a => b\n}')),
      /needs to know its model, which it does not: model Odd cannot be read/,
    ],
    [
      'a relation to a model that cannot be read',
      () =>
        boundIn(
          'Odd',
          describeSchemaText(
            'model Odd {\n  id Int @id\n  evens Even[]\n}\nmodel Even {\n  id Int @id\n  odds Odd[]\n  a => b\n}',
          ),
          { lists: { some: { through: 'evens' } } },
        ),
      /is through Even, which is not known: model Even cannot be read/,
    ],
    [
      'an unknown field of rows without a Prisma schema',
      () => ofNumbers('Car', { by: 'vin' }),
      /"vin" in `by`, which its rows lack; they have id/,
    ],
    [
      'a relation of rows without a Prisma schema',
      () => ofNumbers('Car', { through: 'a' }),
      /has `through`, which needs a model of Prisma/,
    ],
  ])('%s', (_, binding, problem) => refuses(binding, problem))

  it.each(['char', 'bits', 'xml', 'inet', 'money', 'time', 'micros', 'default', 'real'])(
    'the native type of %s, as a key and in where',
    (field) => {
      const constant = { money: new Decimal(1), real: 1, time: new Date(0), micros: new Date(0) }
      const value = (constant as Record<string, unknown>)[field] ?? (field === 'default' ? new Date(0) : '1')
      expect(() => listOfNatives({ by: field })).toThrow(`has Native.${field} in \`by\`, whose type`)
      expect(() => listOfNatives({ by: 'text', where: { [field]: value } })).toThrow(
        `has Native.${field} in \`where\`, whose type`,
      )
    },
  )

  it('a source that finds rows by id only', () => {
    const bound = { name: 'Car', lookups: bind({ lists: { some: { by: 'id' } } }) }
    expect(() => verifyLookupSource(bound, {})).toThrow(
      'ModelCache "Car": lookup "some" needs a source with `find`, and its source loads rows by id only.',
    )
    verifyLookupSource(bound, { find: () => Promise.resolve([]) })
    verifyLookupSource({ name: 'Car', lookups: [] }, {})
  })
})
