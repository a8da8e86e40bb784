import { runInNewContext } from 'node:vm'
import { Decimal, DbNull, serializeJsonQuery, skip } from '@prisma/client/runtime/client'
import { unconnectedPostgres } from '../../../../../../test/support/sqlite-demo.js'
import { copyArguments } from './copy-arguments.js'

const string = { kind: 'scalar', type: 'String' }
const runtimeDataModel = {
  models: {
    Item: {
      fields: [
        { name: 'id', ...string },
        { name: 'meta', kind: 'scalar', type: 'Json' },
        { name: 'bids', kind: 'object', type: 'Bid', relationName: 'BidToItem' },
      ],
    },
    Bid: { fields: [{ name: 'id', ...string }] },
  },
  enums: {},
  types: {},
}

/** What Prisma sends of arguments, or why it refuses them. */
function sent(args: unknown, previewFeatures: string[] = []): unknown {
  const query = {
    modelName: 'Item',
    action: 'findMany',
    clientMethod: 'item.findMany',
    errorFormat: 'minimal',
    clientVersion: '7',
    globalOmit: { item: { meta: true } },
    args,
    runtimeDataModel,
    previewFeatures,
  }
  try {
    return JSON.parse(JSON.stringify(serializeJsonQuery(query as never)))
  } catch (error) {
    return String(error)
  }
}

/** The class of the refusal alone: its message shows the arguments. */
const withoutText = (outcome: unknown): unknown =>
  typeof outcome === 'string' ? outcome.split('\n')[0] : outcome

class Filter {
  id = 'a'
  name = undefined
  tags = new Set(['x'])
  get notAProperty(): string {
    return 'b'
  }
  method(): void {}
}
class Point {
  toJSON(): unknown {
    return { id: 'a', list: [1, null, { deep: true }], gone: undefined }
  }
}
class Exact extends Date {
  override toISOString(): string {
    return '2026-01-01T00:00:00.000123Z'
  }
}
class Later extends Date {
  override toISOString(): string {
    return '2030-01-01T00:00:00.000Z'
  }
}
const foreign = (code: string): unknown => runInNewContext(`(${code})`)
const inherited = Object.create({ id: 'inherited' }, { own: { value: 1, enumerable: true } }) as object
const hidden = Object.defineProperty({ id: 'a' }, 'secret', { value: 1 })
const decimalLike = { s: 1, e: 0, d: [1], toFixed: () => '1.5' }

/** Each as Prisma reads it, once as the arguments of a query, once as `where`, as a condition and in a list. */
const objects: Record<string, unknown> = {
  'a literal': { id: 'a' },
  'an object of a class': new Filter(),
  'an object without a prototype': Object.assign(Object.create(null), { id: 'a' }),
  'inherited properties': inherited,
  'properties that are not enumerable': hidden,
  'a getter': {
    get id() {
      return 'a'
    },
  },
  'a proxy': new Proxy({ id: 'a' }, {}),
  'a proxy of an object of a class': new Proxy(new Filter(), {}),
  'an object of another realm': foreign('{ id: "a", in: [1] }'),
  'an object of a class of another realm': foreign('new (class A { id = "a" })()'),
  'a symbol as a key': { [Symbol('s')]: 1, id: 'a' },
  undefined: { id: undefined },
  'Prisma.skip': { id: skip, not: 'a' },
  '__proto__ in JSON': JSON.parse('{ "id": "a", "__proto__": { "id": "b" } }'),
  'nothing but __proto__ in JSON': JSON.parse('{ "__proto__": { "id": "b" } }'),
  'a method of Prisma.skip': { ifUndefined: () => 1 },
  'a map': new Map([['id', 'a']]),
  'a set': new Set(['a']),
  'an iterable': { *[Symbol.iterator]() {}, id: 'a' },
  'an array-like': { 0: 'a', length: 1 },
  'a boxed string': new String('ab'),
  'a regular expression': /a/,
  'an error': new Error('a'),
  'a promise': Promise.resolve('a'),
  $type: { $type: 'DateTime', value: 'a' },
  toJSON: new Point(),
  'toJSON of a text': { toJSON: () => 'a' },
  'toJSON of a list': { toJSON: () => ['a', 1] },
  'a URL': new URL('https://a.example/'),
}
const values: Record<string, unknown> = {
  null: null,
  text: 'a',
  'a bigint': 1n,
  NaN,
  'a date': new Date(0),
  'an invalid date': new Date(NaN),
  'a date of another realm': foreign('new Date(0)'),
  'an invalid date of another realm': foreign('new Date(NaN)'),
  'a date that writes another one': new Later(0),
  'an object that says it is a date': new (class {
    [Symbol.toStringTag] = 'Date'
    toISOString = () => '2030-01-01T00:00:00.000Z'
  })(),
  'a decimal': new Decimal('1.50'),
  'an object like a decimal': decimalLike,
  'a decimal without a sign': { ...decimalLike, s: '1' },
  'a decimal without an exponent': { ...decimalLike, e: null },
  'a decimal without methods': new (class {
    s = 1
    e = 0
    d = [1]
  })(),
  'a field reference': unconnectedPostgres().guestUser.fields.name,
  'a buffer': Buffer.from('a'),
  bytes: new Uint8Array([1]),
  'bytes of another realm': foreign('new Uint8Array([1, 2])'),
  'a view': new DataView(new Uint8Array([1, 2, 3]).buffer, 1),
  words: new Uint16Array([1, 2]),
  'a null of Json': DbNull,
  'a function': () => 1,
  'a symbol': Symbol('s'),
  'a list': [1, ['a'], { id: 'a' }],
  'a list of another realm': foreign('["a", { id: 1 }]'),
  'a list of a class': Object.assign(new (class extends Array<unknown> {})(), ['a']),
  'a list with holes': Object.assign([], { 2: 1 }),
  'a list with Prisma.skip': [skip],
  'a list with undefined': [undefined],
}
const places: readonly ((value: unknown) => object)[] = [
  (value) => ({ where: value }),
  (value) => ({ where: { id: value } }),
  (value) => ({ where: { OR: [value, { meta: { equals: value } }] } }),
  (value) => ({ data: new Point2(value) }),
  (value) => ({ include: { bids: { where: value, take: 1 } } }),
]
class Point2 {
  constructor(readonly bids: unknown) {}
}
const selections: Record<string, unknown> = {
  null: null,
  false: false,
  'a literal': { id: true, meta: false, bids: undefined },
  'an object of a class': new (class Select {
    id = true
  })(),
  'inherited properties': Object.create({ id: true }),
  'Prisma.skip': skip,
  'a property that is Prisma.skip': { id: true, meta: skip },
  'a nested object of a class': {
    bids: new (class Bids extends Filter {
      where = new Filter()
    })(),
  },
  'a nested selection': { bids: { select: Object.create({ id: true }), omit: null } },
  'a number': { id: 1 },
  'null in it': { bids: null },
  'a list': ['id'],
  text: 'id',
}

const cases = (given: Record<string, unknown>): [string, unknown][] => Object.entries(given)

describe('a copy of arguments', () => {
  it.each([...cases(objects), ...cases(values)])('is sent as the original, in each place: %s', (_, value) => {
    for (const at of places) {
      const args = copyArguments(at(value), false)
      expect(args).toBeDefined()
      expect(withoutText(sent(args))).toEqual(withoutText(sent(at(value))))
    }
  })

  it.each(cases(objects))('is sent as the original: %s as all arguments', (_, given) => {
    expect(withoutText(sent(copyArguments(given, false)))).toEqual(withoutText(sent(given)))
  })

  describe.each(['select', 'include', 'omit'])('with %s', (option) => {
    it.each(cases(selections))('is sent as the original: %s', (_, selection) => {
      class Given {
        where = { id: 'a' }
      }
      Object.defineProperty(Given.prototype, option, { get: () => selection })
      for (const given of [{ [option]: selection }, new Given()])
        expect(withoutText(sent(copyArguments(given, false)))).toEqual(withoutText(sent(given)))
    })
  })

  it('is none where only Prisma knows what it sends', () => {
    const opaque = [
      new Exact(0),
      { __prismaRawParameters__: true, values: { id: 'a' } },
      { toJSON: () => new Date(0) },
      { toJSON: () => ({ at: new Date(0) }) },
      { toJSON: () => [{ $type: 'Raw', value: 1 }] },
      { toJSON: () => ({ toJSON: () => 1 }) },
      { toJSON: () => Object.defineProperty({}, 'toJSON', { value: () => 1 }) },
      { toJSON: () => JSON.parse('{ "__proto__": { "deep": true } }') },
      { toJSON: () => undefined },
      { toJSON: () => [1n] },
    ]
    for (const where of opaque)
      for (const given of [{ where }, { data: [{ where }] }])
        expect(copyArguments(given, false)).toBeUndefined()
  })

  it('drops undefined if Prisma does, and keeps it for a strict one', () => {
    const given = {
      where: { id: undefined, OR: [{ id: undefined }] },
      take: undefined,
      select: { id: undefined },
    }
    expect(copyArguments(given, true)).toStrictEqual({
      where: { OR: [{}] },
      select: { id: undefined },
    })
    expect(copyArguments(given, false)).toStrictEqual(given)
    const strict = ['strictUndefinedChecks']
    expect(withoutText(sent(copyArguments(given, false), strict))).toEqual(withoutText(sent(given, strict)))
  })

  it('reads each property once', () => {
    let count = 0
    const counting = {
      get where() {
        return { id: ++count }
      },
    }
    expect(copyArguments({ where: { AND: [counting] }, data: counting }, false)).toEqual({
      where: { AND: [{ where: { id: 1 } }] },
      data: { where: { id: 2 } },
    })
    expect(copyArguments(counting, false)).toEqual({ where: { id: 3 } })
  })

  it('does not change when the caller changes the original, and shares what does not change', () => {
    const price = new Decimal(1)
    const row = { at: new Date(0), bytes: Buffer.from('a'), price, none: DbNull, tags: ['x'] }
    const like = { ...decimalLike }
    const given = { data: [{ ...row, like }], include: { bids: { where: { id: 'a' }, omit: { id: true } } } }
    const args = copyArguments(given, false)!
    row.at.setTime(1)
    row.bytes[0] = 0
    row.tags.push('y')
    like.toFixed = () => '9'
    given.data.length = 0
    given.include.bids.where.id = 'b'
    given.include.bids.omit.id = false
    expect(args['include']).toEqual({ bids: { where: { id: 'a' }, omit: { id: true } } })
    const [copy] = args['data'] as typeof given.data
    expect(copy).toStrictEqual({
      at: new Date(0),
      bytes: Buffer.from('a'),
      price,
      none: DbNull,
      tags: ['x'],
      like: new Decimal('1.5'),
    })
    expect([copy!.price === price, copy!.none === DbNull]).toEqual([true, true])
  })

  it('is none if a getter or toJSON throws, as it does for Prisma', () => {
    const failing = {
      get id() {
        throw new Error('not now')
      },
    }
    expect(copyArguments({ where: failing }, false)).toBeUndefined()
    expect(copyArguments({ where: { toJSON: () => failing.id } }, false)).toBeUndefined()
  })
})
