import { createDefinition, defineModelCache } from '../cache/policy/definition.js'
import { Decimal } from '@prisma/client/runtime/client'
import { type } from 'arktype'
import type { WirePlan } from '../codec/wire-plan.js'
import { describeSchemaText } from '../source/prisma/schema/describe-schema.js'
import type { SchemaFacts } from '../source/schema-facts.js'
import { unknownModelError } from '../configuration-errors.js'
import { bindDefinition, shapeOf } from './bind-definition.js'
import { modelCaches } from './model-caches.js'

const schema = `
enum Colour {
  RED
  BLUE @map("blue")
}
model Car {
  plate     String   @id @db.VarChar(9)
  maker     Maker    @relation(fields: [makerId], references: [id])
  makerId   Int
  colour    Colour
  price     Decimal?
  doors     BigInt
  photo     Bytes?
  extras    Json
  tags      String[]
  colours   Colour[]
  built     DateTime @db.Date
  pin       String   /// @cache(omit)
  vector    Unsupported("tsvector")?
  trips     Trip[]
}
model Maker {
  id   Int    @id
  name String
  /// Secret. @cache( omit )
  key  String
  cars Car[]
  seal Seal?
}
model Seal {
  makerId Int    @unique
  maker   Maker  @relation(fields: [makerId], references: [id])
  text    String
}
model Trip {
  plate  String
  day    DateTime @db.Date
  number Int
  car    Car      @relation(fields: [plate], references: [plate])
  code   Decimal  @unique
  note   String?  @unique

  @@id([plate, number], name: "run")
}
model Coupon {
  code String @id
  slug String @unique
}
`
const facts = describeSchemaText(schema)
// eslint-disable-next-line typescript/no-explicit-any -- any model, and any options, as JavaScript would give them
const define = modelCaches<any>().defineModelCache as (model: string, options: object) => any
const bind = (model: string, options: object = {}, from: SchemaFacts | undefined = facts) =>
  bindDefinition<never, never>(define(model, { ttl: '1m', ...options }), from)
const fieldsOf = ({ plan }: { plan: WirePlan }) => (plan.kind === 'object' ? plan.fields : [])
const names = (bound: { plan: WirePlan }) => fieldsOf(bound).map(({ name }) => name)

describe('bindDefinition', () => {
  it('derives each field in the order of the schema', () => {
    const { plan, idFields, selection } = bind('Car')
    const present = { nullable: false, undefinable: false }
    const field = (name: string, rest: object) => ({ name, optional: false, plan: { ...present, ...rest } })
    expect(plan).toEqual({
      kind: 'object',
      ...present,
      fields: [
        field('plate', { kind: 'string' }),
        field('makerId', { kind: 'number' }),
        field('colour', { kind: 'literal', values: ['RED', 'BLUE'] }),
        field('price', { kind: 'decimal', Decimal, nullable: true }),
        field('doors', { kind: 'bigint' }),
        field('photo', { kind: 'bytes', nullable: true }),
        field('extras', { kind: 'json', nullable: true }),
        field('tags', { kind: 'array', items: { kind: 'string', ...present } }),
        field('colours', { kind: 'array', items: { kind: 'literal', values: ['RED', 'BLUE'], ...present } }),
        field('built', { kind: 'date' }),
      ],
    })
    expect(idFields).toEqual(['plate'])
    expect(Object.keys(selection.select!)).toEqual(names(bind('Car')))
  })

  it('derives relations and counts at any depth', () => {
    const bound = bind('Maker', {
      select: {
        id: true,
        name: false,
        cars: { select: { plate: true, trips: { where: { number: 1 } } }, orderBy: { plate: 'asc' } },
        seal: true,
        _count: { select: { cars: { where: { colour: 'RED' } } } },
      },
    })
    expect(names(bound)).toEqual(['id', 'cars', 'seal', '_count'])
    const trip = { plate: true, day: true, number: true, code: true, note: true }
    expect(bound.selection).toEqual({
      select: {
        id: true,
        cars: {
          select: { plate: true, trips: { where: { number: 1 }, select: trip } },
          orderBy: { plate: 'asc' },
        },
        seal: { select: { makerId: true, text: true } },
        _count: { select: { cars: { where: { colour: 'RED' } } } },
      },
    })
    const [, cars, seal] = fieldsOf(bound)
    expect(cars!.plan).toMatchObject({ kind: 'array', nullable: false, items: { kind: 'object' } })
    // Nobody says that a maker has a seal; a seal always has its maker.
    expect(seal!.plan).toMatchObject({ kind: 'object', nullable: true })
    const [, maker] = fieldsOf(bind('Seal', { select: { makerId: true, maker: true } }))
    expect(maker!.plan).toMatchObject({ kind: 'object', nullable: false })
  })

  it("leaves out what the definition, the client's omit and the schema omit", () => {
    const omitting: SchemaFacts = {
      ...facts,
      omittedOf: (model) => (model === 'Car' ? { extras: true, photo: true } : undefined),
    }
    const omitted = (options: object) =>
      names(bind('Car')).filter((name) => !names(bind('Car', options, omitting)).includes(name))
    expect(omitted({})).toEqual(['photo', 'extras'])
    expect(omitted({ omit: { tags: true, photo: false } })).toEqual(['extras', 'tags'])
    expect(names(bind('Car', { select: { plate: true, photo: true } }, omitting))).toEqual(['plate', 'photo'])
    expect(names(bind('Seal', { include: { maker: true } }))).toEqual(['makerId', 'text', 'maker'])
    const { selection } = bind('Seal', { include: { maker: true } })
    expect(selection).toEqual({
      select: { makerId: true, text: true, maker: { select: { id: true, name: true } } },
    })
  })

  it('keeps fields with a misspelt mark out', () => {
    const marked = describeSchemaText(
      'model Car {\n id Int @id\n a String /// @Cache(omit)\n b String /// @cache omitted\n c String /// cached\n}',
    )
    expect(names(bind('Car', {}, marked))).toEqual(['id', 'c'])
  })

  it('replaces single fields by their types in refine', () => {
    const { plan } = bind('Car', { refine: { extras: type({ airbags: 'number' }) } })
    expect(fieldsOf({ plan })[6]).toMatchObject({ name: 'extras', plan: { kind: 'object', nullable: false } })
  })

  it('finds ids: `id`, the only unique key that can be one, or the one that is named', () => {
    expect(bind('Maker').idFields).toEqual(['id'])
    expect(bind('Seal').idFields).toEqual(['makerId'])
    expect(bind('Trip').idFields).toEqual(['plate', 'number'])
    expect(bind('Trip', { id: 'run' }).idFields).toEqual(['plate', 'number'])
    expect(bind('Coupon', { id: 'slug' }).idFields).toEqual(['slug'])
  })

  describe('finds ids that are dates', () => {
    const slotsOf = (provider: string, type: string) =>
      describeSchemaText(`
        datasource db {
          provider = "${provider}"
        }
        model Slot {
          at   DateTime @id ${type}
          room Int      @unique
        }`)

    it.each([
      ['postgresql', '', []],
      ['postgresql', '@db.Timestamptz(3)', []],
      ['postgresql', '@db.Timestamp(0)', []],
      ['postgresql', '@db.Date', ['at']],
      ['cockroachdb', '@db.Timestamp(3)', []],
      ['mysql', '', []],
      ['mysql', '@db.DateTime', []],
      ['mysql', '@db.DateTime(3)', []],
      ['mysql', '@db.Date', ['at']],
      ['sqlite', '', []],
    ])('on %s: DateTime %s', (provider, type, dayFields) => {
      const from = slotsOf(provider, type)
      expect(bind('Slot', { id: 'at' }, from)).toMatchObject({ idFields: ['at'], dayFields })
      expect(bind('Slot', { id: ['at'] }, from)).toMatchObject({ idFields: ['at'], dayFields })
      expect(() => bind('Slot', {}, from)).toThrow("choose one with `id`: 'at', 'room'.")
    })

    it.each([
      ['postgresql', '@db.Timestamptz'],
      ['postgresql', '@db.Timestamp(6)'],
      ['postgresql', '@db.Time(3)'],
      ['mysql', '@db.DateTime(6)'],
      ['mysql', '@db.Timestamp(3)'],
      ['sqlserver', ''],
    ])('unless several may be one Date, on %s: DateTime %s', (provider, type) => {
      const from = slotsOf(provider, type)
      const cause = `at is DateTime${type && ` ${type}`}, and ${provider} may hold several such values that are one Date.`
      for (const id of [undefined, 'at'])
        expect(() => bind('Slot', { id }, from)).toThrow(`'at' cannot, because ${cause}`)
      expect(() => bind('Slot', { id: ['at'] }, from)).toThrow(`"at" cannot be an id, because ${cause}`)
      expect(bind('Slot', { id: 'room' }, from).idFields).toEqual(['room'])
    })
  })

  it.each([
    ['an unknown model', () => bind('Cart'), /no model "Cart"; it has Car, Maker/],
    [
      'no client',
      () => bindDefinition(define('Car', { ttl: '1m' })),
      /"Car".*no Prisma client.*Give ModelCacheModule\.forRoot/,
    ],
    [
      'an unknown field',
      () => bind('Car', { select: { plat: true } }),
      /`select` has "plat", which Car lacks; it has plate, makerId.* or run `prisma generate` if the Prisma schema has it\.$/,
    ],
    [
      'an unknown field of a relation',
      () => bind('Car', { include: { maker: { omit: { nam: true } } } }),
      /`omit` has "nam", which Maker lacks/,
    ],
    [
      'a field that the schema keeps out',
      () => bind('Car', { select: { plate: true, pin: true } }),
      /Car\.pin is marked `\/\/\/ @cache\(omit\)`/,
    ],
    ['one that `omit` asks for', () => bind('Car', { omit: { pin: false } }), /Car\.pin is marked/],
    [
      'a `select` beside `include`, which would be ignored',
      () => bind('Car', { select: { plate: true }, include: { maker: true } }),
      /"Car": Prisma refuses `select` beside `include` for rows of Car; say with `select` alone what they have\.$/,
    ],
    [
      'a `select` beside `omit`, which would be ignored',
      () => bind('Car', { select: { plate: true, price: true }, omit: { price: true } }),
      /"Car": Prisma refuses `select` beside `omit` for rows of Car; say with `select` alone what they have\.$/,
    ],
    [
      'several keys',
      () => bind('Coupon'),
      /id is missing, and Coupon has several unique keys: choose one with `id`: 'code', 'slug'/,
    ],
    [
      'a key that rows may lack',
      () => bind('Trip', { id: 'note' }),
      /"note" is not a unique key of Trip that can be an id; those are 'run'\. 'code' cannot, because code is Decimal\. 'note' cannot, because rows may lack it\./,
    ],
    [
      'fields that cannot be an id',
      () => bind('Trip', { id: ['plate', 'code'] }),
      /cannot be an id, because code is Decimal\.$/,
    ],
    [
      'an unknown field in refine',
      () => bind('Car', { refine: { pric: type('string') } }),
      /`refine` has "pric"/,
    ],
    [
      'values in refine that no JSON has',
      () => bind('Car', { refine: { extras: type({ airbags: type({ testedAt: 'Date' }).array() }) } }),
      /`refine` gives "extras" dates, decimals, bigints or bytes, and Prisma returns JSON there/,
    ],
  ])('refuses %s', (_, binding, message) => {
    expect(binding).toThrow(message)
  })

  it('binds a definition once', () => {
    const bound = bind('Car')
    expect(bindDefinition(bound, facts)).toBe(bound)
  })

  it('has rows by hand whose id the Prisma schema does not have', () => {
    const defineByHand = (modelCaches().defineModelCache as unknown as () => (options: object) => never)()
    const schema = type({ id: 'number', extra: 'number' })
    const byHand = defineByHand({ model: 'Car', schema, id: ['extra'], ttl: '1m' })
    expect(bindDefinition(byHand, facts)).toMatchObject({ idFields: ['extra'], dayFields: [] })
  })

  it('has no id of which Prisma does not know the type', () => {
    const from = describeSchemaText(
      'model Doc {\n  id Int @id\n  name String\n  place Unsupported("point")\n  @@unique([name, place])\n}',
    )
    expect(bind('Doc', {}, from).idFields).toEqual(['id'])
    expect(() => bind('Doc', { id: 'name_place' }, from)).toThrow(
      /those are 'id'\. 'name_place' cannot, because Prisma Client lacks place\.$/,
    )
  })

  it('says that there is nothing to derive rows from, and which models there are', () => {
    expect(() => bind('Car', {}, { ...facts, models: new Map() })).toThrow(/there is no Prisma client/)
    const hidden = describeSchemaText(
      'model Car {\n  id Int @id\n}\nmodel Old {\n  id Int @id\n  @@ignore\n}',
    )
    for (const model of ['Old', 'Caar'])
      expect(() => bind(model, {}, hidden)).toThrow(unknownModelError(model, model, ['Car']))
  })

  it('wraps what is wrong with a selection, and no other error', () => {
    const select = { plat: true }
    expect(() => bind('Car', { select })).toThrow(expect.objectContaining({ code: 'E_INVALID_SELECTION' }))
    const failing = new Proxy(facts.models.get('Car')!, {
      get: (car, name) => {
        if (name === 'scalars') throw new TypeError('no scalars')
        return Reflect.get(car, name)
      },
    })
    const broken = { ...facts, models: new Map([['Car', failing]]) }
    expect(() => shapeOf(define('Car', { ttl: '1m' }), broken)).toThrow(new TypeError('no scalars'))
  })

  it('refuses a schema that it cannot read, and says where', () => {
    const broken = describeSchemaText('model Odd {\n  id Int @id\n  a  => b\n}')
    expect(() => bind('Odd', {}, broken)).toThrow(/"Odd".*cannot be derived.*model Odd cannot be read.*Give/s)
  })

  it('puts the fields of a schema by hand into the order of the Prisma schema', () => {
    const byHand = defineModelCache<{ built: Date; doors: bigint; extra: string; plate: string }>()({
      model: 'Car',
      schema: type({ built: 'Date', doors: 'bigint', extra: 'string', plate: 'string' }),
      id: 'plate',
      ttl: '1m',
    })
    expect(names(bindDefinition<never, never>(byHand as never, facts))).toEqual([
      'plate',
      'doors',
      'built',
      'extra',
    ])
    expect(names(bindDefinition<never, never>(byHand as never))).toEqual(['built', 'doors', 'extra', 'plate'])
  })

  it('distinguishes rows by the filters, orders and limits of their relations', () => {
    const versionOf = (cars: object | true, options: object = {}) =>
      bind('Maker', { select: { id: true, cars }, ...options }).version
    const ordered = versionOf({ orderBy: { plate: 'asc' } })
    expect(versionOf({ orderBy: { plate: 'asc' }, select: { plate: true } })).not.toBe(ordered)
    expect(versionOf({ orderBy: { plate: 'asc' } })).toBe(ordered)
    const others = [
      versionOf(true),
      versionOf(true, { version: 2 }),
      versionOf({ orderBy: { plate: 'desc' } }),
      versionOf({ orderBy: { plate: 'asc' } }, { version: 2 }),
      versionOf({ take: 3, orderBy: { plate: 'asc' } }),
      versionOf({ where: { doors: { gt: 3n }, built: { lt: new Date(0) } } }),
      versionOf({ where: { doors: { gt: 4n }, built: { lt: new Date(0) } } }),
      versionOf({ include: { trips: { take: 1 } } }),
      versionOf({ include: { trips: { take: 2 } } }),
    ]
    expect(new Set([ordered, ...others]).size).toBe(1 + others.length)
    expect(versionOf({ where: { makerId: 1, plate: 'x' } })).toBe(
      versionOf({ where: { plate: 'x', makerId: 1 } }),
    )
    const byHand = defineModelCache<{ id: number; seal: { text: string } | null }>()({
      model: 'Maker',
      schema: type({ id: 'number', seal: type({ text: 'string' }).or('null') }),
      id: 'id',
      select: { id: true, seal: { select: { text: true }, where: { text: 'x' } } },
      ttl: '1m',
      dependsOn: 'ttl',
    })
    expect(bindDefinition(byHand, facts).version).toMatch(/seal/)
  })

  it('has the fields of the id in its version, in their order', () => {
    const schema = type({ plate: 'string', number: 'number' })
    const byHand = (...id: readonly string[]) =>
      bindDefinition(createDefinition<never, never>({ model: 'Trip', id, schema, ttl: '1m' }), facts)
    const versions = [byHand('plate'), byHand('number'), byHand('plate', 'number'), byHand('number', 'plate')]
    expect(new Set(versions.map(({ version }) => version)).size).toBe(4)
    expect(byHand('plate', 'number').version).toMatch(/^\[null,\["plate","number"\],/)
  })

  describe('with a schema by hand', () => {
    const seal = type({ text: 'string' })
    const byHand = (schema: unknown, options: object = {}) =>
      defineModelCache<Record<string, never>>()({
        model: 'Maker',
        schema: schema as never,
        id: 'id' as never,
        ttl: '1m',
        dependsOn: 'ttl',
        ...(options as object),
      } as never)
    const selectionOf = (schema: unknown, options?: object) =>
      bindDefinition(byHand(schema, options)).selection

    it('selects what its options say, or the fields of the schema', () => {
      const rows = type({ name: 'string', id: 'number', 'seal?': seal })
      const select = { id: true, name: true }
      const include = { seal: true }
      expect(selectionOf(rows, { select })).toEqual({ select })
      expect(selectionOf(rows, { include })).toEqual({ include })
      expect(selectionOf(rows, { select, include })).toEqual({ select, include })
      expect(selectionOf(rows)).toEqual({ select: { id: true, name: true, seal: true } })
      const one = type({ id: 'number', kind: "'a'", text: 'string' }).or({
        id: 'number',
        kind: "'b'",
        size: 'number',
      })
      expect(selectionOf(one)).toEqual({ select: { id: true, kind: true, text: true, size: true } })
    })

    it('has what distinguishes its rows in its version', () => {
      const rows = type({ id: 'number' })
      const ordered = { select: { id: true, cars: { orderBy: { plate: 'asc' } } } }
      const versionOf = (options: object, from?: SchemaFacts) =>
        bindDefinition(byHand(rows, options), from).version
      expect([versionOf({}), versionOf({ version: 2 })]).toEqual(['[null,["id"],[],[]]', '[2,["id"],[],[]]'])
      expect(versionOf(ordered)).toMatch(/orderBy/)
      expect(versionOf({ version: 2, ...ordered })).toMatch(/^\[2,/)
      const names = '["Maker",["public","Maker"]],["Maker.id",["id"]]'
      expect(versionOf({}, facts)).toBe(`[null,["id"],[],[${names}]]`)
      // What a loader counts is up to it.
      const counted = type({ id: 'number', _count: { cars: 'number' } })
      const load = async () => new Map()
      expect(bindDefinition(byHand(counted, { load })).version).toBe('[null,["id"],[],[]]')
      expect(bindDefinition(byHand(counted, { load }), facts).version).toBe(`[null,["id"],[],[${names}]]`)
    })

    it('may have a relation as JSON', () => {
      expect(names(bindDefinition(byHand(type({ seal: 'object', id: 'number' })), facts))).toEqual([
        'id',
        'seal',
      ])
    })

    it('is put into the order of the Prisma schema at any depth', () => {
      const car = type({ makerId: 'number', plate: 'string' })
      const rows = type({
        cars: car.array(),
        seal: type({ makerId: 'number', text: 'string' }).or('null'),
        id: 'number',
      })
      const { plan } = bindDefinition(byHand(rows), facts)
      const keysOf = (of: WirePlan): unknown => {
        if (of.kind === 'array') return [keysOf(of.items)]
        return of.kind === 'object' ? of.fields.map((field) => [field.name, keysOf(field.plan)]) : of.kind
      }
      expect(keysOf(plan)).toEqual([
        ['id', 'number'],
        [
          'cars',
          [
            [
              ['plate', 'string'],
              ['makerId', 'number'],
            ],
          ],
        ],
        [
          'seal',
          [
            ['makerId', 'number'],
            ['text', 'string'],
          ],
        ],
      ])
    })
  })

  it('returns a bound definition as it is', () => {
    const bound = bind('Car')
    expect(bindDefinition(bound)).toBe(bound)
  })
})

describe('a bound definition, once the database has said more of its columns', () => {
  const said = (timeZone: string, collations: readonly object[] = []) => {
    const own = describeSchemaText(`
datasource db {
  provider = "postgresql"
}
model Event {
  at    DateTime @id @db.Timestamptz(3)
  title String
  start DateTime @db.Timestamptz(0)
}`)
    const bind = (options: object) =>
      bindDefinition(createDefinition({ model: 'Event', ttl: '1m', ...options } as never), own)
    const bound = [{ lists: { byTitle: { by: 'title' } } }, { lists: { byStart: { by: 'start' } } }].map(bind)
    own.database.learn({ timeZone, collations: collations as never })
    return bound.map((each) => () => each.verifyColumns())
  }
  const ci = { schema: 'public', table: 'Event', column: 'title', collation: 'ci' }

  it('is accepted if no value has become another', () => {
    for (const verify of said('UTC')) expect(verify).not.toThrow()
  })

  it('is refused if a collation takes other keys for equal', () => {
    expect(said('UTC', [ci])[0]).toThrow(
      /Event\.title in `by`, but the database compares it by the collation "ci"/,
    )
  })

  it('is refused if several moments are one date', () => {
    for (const verify of said('Europe/Berlin')) expect(verify).toThrow(/time zone Europe\/Berlin/)
  })
})
