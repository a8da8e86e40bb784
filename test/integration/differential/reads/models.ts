/** What schema.prisma says, and values of its types. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Decimal } from '@prisma/client/runtime/client'
import type { Random } from '../random.ts'

export interface Field {
  readonly name: string
  /** `'Int'`, or the name of the enum. */
  readonly type: string
  /** `'Uuid'`, as in `@db.Uuid`; undefined for the default of the type. */
  readonly native: string | undefined
  readonly isList: boolean
  readonly isNullable: boolean
  /** Whether `/// @cache(omit)` keeps it out of caches. */
  readonly isOmitted: boolean
}

export interface Relation {
  readonly name: string
  readonly to: string
  readonly isList: boolean
}

/** Fields, and under which name `where` takes them together. */
export interface Unique {
  readonly fields: readonly string[]
  readonly name: string
}

export interface Model {
  readonly name: string
  readonly fields: Readonly<Record<string, Field>>
  readonly relations: Readonly<Record<string, Relation>>
  /** The id is the first. */
  readonly unique: readonly Unique[]
}

const text = readFileSync(join(import.meta.dirname, 'schema.prisma'), 'utf8')
const blocks = [...text.matchAll(/^model (\w+) \{\n(.*?)^\}/gms)].map(([, name, body]) => ({
  name: name!,
  lines: body!.split('\n').map((line) => line.trim()),
}))
const modelNames = new Set(blocks.map(({ name }) => name))

export const models: Readonly<Record<string, Model>> = Object.fromEntries(
  blocks.map(({ name, lines }) => {
    const fields: Record<string, Field> = {}
    const relations: Record<string, Relation> = {}
    const unique: Unique[] = []
    const add = (key: Unique, isId: boolean): void => void (isId ? unique.unshift(key) : unique.push(key))
    for (const line of lines) {
      const [, field, type, list, rest] = /^(\w+)\s+(\w+)(\[\]|\?)?(.*)$/.exec(line) ?? []
      if (field === undefined || type === undefined) {
        const [, names, given] = /^@@(?:id|unique)\(\[([^\]]*)\](?:, name: "(\w+)")?/.exec(line) ?? []
        const parts = names?.split(', ')
        if (parts) add({ fields: parts, name: given ?? parts.join('_') }, line.startsWith('@@id'))
      } else if (modelNames.has(type)) {
        relations[field] = { name: field, to: type, isList: list === '[]' }
      } else {
        fields[field] = {
          name: field,
          type,
          native: /@db\.(\w+)/.exec(rest!)?.[1],
          isList: list === '[]',
          isNullable: list === '?',
          isOmitted: rest!.includes('@cache(omit)'),
        }
        const [, kind] = / @(id|unique)\b/.exec(rest!) ?? []
        if (kind) add({ fields: [field], name: field }, kind === 'id')
      }
    }
    return [name, { name, fields, relations, unique }]
  }),
)

/** The name of a model's delegate. */
export function delegateOf(model: string): string {
  return model.charAt(0).toLowerCase() + model.slice(1)
}

const person = (n: number): string => `5eed0000-0000-4000-a000-0000000000a${n}`

/** Values of ids: most are in rows.sql, or are written. */
const ids: Readonly<Record<string, readonly unknown[]>> = {
  'Person.id': [1, 2, 3, 4, 5, 6, 7, 8, 9].map(person),
  'Person.email': [1, 2, 3, 4, 5, 6, 7, 8, 9].map((n) => `P${n}@x.org`),
  'Person.bossId': [1, 2, 3].map(person),
  'Article.id': [9, 3, -1, 4, 0, 5, 1, 2, 2_147_483_647, -2_147_483_648, 10, 100, 8, 77, 78],
  'Article.title': ['title 4', 'title 5', 'title 9', 'new'],
  'Article.created': [0, 1, 2].map((day) => new Date(`2024-01-0${day + 1}T10:00:00.123Z`)),
  'Article.isPublic': [true, false, true],
  'Article.authorId': [1, 2, 3].map(person),
  'Tag.name': ['red', 'Ünï', 'SHOUT', '', 'a b', 'straße', 'null', 'blue', 'new'],
  'Topic.id': [1, 2, 3, 4, 5, 6, 7],
  'TopicWord.number': [1, 2, 3, 4, 5, 6, 7],
  'Verdict.id': [9, 3, -1, 4, 0, 5, 1, 2],
  'Review.articleId': [0, 1, 2, 3, 4, 5, 9],
  'Review.personId': [1, 2, 3, 4].map(person),
  'Pass.number': [
    1n,
    2n,
    -3n,
    9_007_199_254_740_993n,
    9_223_372_036_854_775_807n,
    -9_223_372_036_854_775_808n,
    4n,
    5n,
  ],
  'Pass.photo': [new Uint8Array(), new Uint8Array([0, 255]), new Uint8Array([1]), Buffer.from([0, 255])],
  'Pass.holderId': [1, 2, 3, 5].map(person),
  'Seat.hall': ['A', 'a', 'B:', ''],
  'Seat.row': [1n, 2n, 3n, 9_007_199_254_740_993n],
  'Seat.place': [-1, 0, 1],
  'Seat.state': ['CALM', 'WILD', 'GREY'],
  'Seat.price': [
    new Decimal('1.0001'),
    new Decimal('2.0002'),
    new Decimal('3.0003'),
    new Decimal('1.5'),
    1.0001,
  ],
  'Seat.label': ['A2', 'a2', 'B:3'],
  'Word.text': ['a', 'b', 'A', 'a '],
  'Word.mood': ['CALM', 'WILD', 'GREY'],
  'Word.n': [1, 2, 3, 4, 5, 6, 7, 8],
  'Code.code': ['ab  ', 'ab', 'abcd', '    ', '', 'AB  ', 'new ', ' ab '],
  'Everything.id': [1, 2, 3, 4, 5, 6],
  'Everything.date': ['2024-02-29', '0001-01-01', '9999-12-31', '1582-10-10'].map((date) => new Date(date)),
  'Maybe.bool': [true, false],
  'Maybe.stamp': [
    new Date('2024-10-27T02:30:00Z'),
    new Date('2024-02-29T12:30:00.123Z'),
    new Date('+010000-01-01T00:00:00Z'),
  ],
  'Maybe.numeric': [new Decimal('1.5'), 2, new Decimal('1e30'), new Decimal('NaN')],
  'Maybe.stamptz': [
    new Date('2024-10-27T02:30:00Z'),
    new Date('2024-10-27T02:10:00Z'),
    new Date('2024-03-31T02:30:00Z'),
    new Date('2024-02-29T10:30:00.123Z'),
    new Date('0001-01-01T00:00:00Z'),
    new Date('9999-12-31T23:59:59.999Z'),
    new Date('0050-06-01T00:00:00Z'),
  ],
  'Maybe.id': [
    -5n,
    -6n,
    -7n,
    -8n,
    -9n,
    -10n,
    -11n,
    -12n,
    1n,
    2n,
    3n,
    4n,
    5n,
    9_007_199_254_740_993n,
    -1n,
    7n,
  ],
  'Team.name': ['Reds', 'reds', 'blues', 'BLUES', 'Ünï', 'new'],
  'Fan.id': [1, 2, 3, 4, 5, 6, 7],
  'Fan.teamName': ['Reds', 'reds', 'blues', 'BLUES', 'Ünï', 'new'],
  'Fan.paid': [new Decimal('1.5'), new Decimal('7.25'), 3],
  'Rate.id': [1, 2, 3, 4],
  'Rate.value': [new Decimal('1.5'), new Decimal('7.25'), 3],
  'Name.id': ['Ann', 'ANN', 'ann', 'bob', 'BOB', 'Émile', 'émile', 'zoé', 'new', 'NEW'],
  'Name.nick': ['Annie', 'annie', 'ANNIE', 'new'],
  'Lists.id': ['null', 'one 1', 'one 2', 'one 3', 'one 4', 'one 5', 'all', '', 'none'],
  'Unreadable.id': [1, 2, 3, 4],
  'Refused.id': [1, 2, 3, 4],
  'Uncached.id': [1, 2, 3, 4, 5],
}

const values: Readonly<Record<string, readonly unknown[]>> = {
  Int: [0, 1, 2, -1, 100],
  BigInt: [0n, 1n, -1n, 9_007_199_254_740_993n, 7],
  Float: [0, -0, 0.1, 1e300, -1.5],
  Decimal: [new Decimal('1.5'), '0.01', 3, new Decimal('-92233720368547758.08')],
  String: ['', 'x', 'text', 'title 1', 'note', "it's"],
  Boolean: [true, false],
  DateTime: [
    new Date('2024-02-29T12:30:00.123Z'),
    new Date('1969-12-31T23:59:59.999Z'),
    '2024-01-01T10:00:00.123Z',
    new Date('9999-12-31T00:00:00Z'),
    new Date('0001-01-01T00:00:00Z'),
  ],
  Json: [{ a: [1, null], b: '2024-01-01T00:00:00.000Z' }, [], 'text', 0, { z: 1, 1: 2 }],
  Bytes: [new Uint8Array([0, 255]), Buffer.from('abc'), new Uint8Array()],
  Mood: ['CALM', 'WILD', 'GREY'],
  Uuid: [person(1), '5EED0000-0000-4000-A000-0000000000C1', 'ffffffff-ffff-ffff-ffff-ffffffffffff'],
  Inet: ['10.0.0.1', '::1', '192.168.0.0/16'],
  Xml: ['<a/>', 'plain'],
  Bit: ['10101', '00000'],
  VarBit: ['1', ''],
  Money: [1.5, '0', new Decimal('100.01')],
  Char: ['x', 'ab'],
  Date: [new Date('2024-02-29T00:00:00Z'), new Date('0001-01-01T00:00:00Z')],
  Time: [new Date('1970-01-01T12:30:00.123Z')],
  Timetz: [new Date('1970-01-01T12:30:00.123Z')],
  Oid: [0, 1, 2_147_483_647],
}

/** A value that fits the field: often one that a row has. Null and lists are left to the caller. */
export function valueOf(random: Random, model: string, field: Field): unknown {
  return random.pick(ids[`${model}.${field.name}`] ?? values[field.native ?? ''] ?? values[field.type]!)
}
