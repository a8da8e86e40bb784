/** What the generator of writes and the caches know of schema.prisma, with values that meet again and again. */
import { Decimal } from '@prisma/client/runtime/client'
import type { Random } from './random.ts'

export type FieldType =
  'Int' | 'BigInt' | 'Float' | 'String' | 'Boolean' | 'DateTime' | 'Decimal' | 'Bytes' | 'Json' | 'Role'

export interface Field {
  readonly type: FieldType
  readonly value: (random: Random) => unknown
  readonly isNullable: boolean
  readonly isList: boolean
  /** Whether a row can be created without it. */
  readonly isLeftOut: boolean
  /** Prisma takes it only beside foreign keys, not beside relations. */
  readonly isCounted: boolean
}

export interface Relation {
  readonly to: string
  /** The field at the other side. */
  readonly back: string
  readonly isList: boolean
  readonly isOptional: boolean
  /** The foreign key, on the side that has it. */
  readonly fields: readonly string[]
  readonly isJoinTable: boolean
}

export interface Model {
  readonly name: string
  readonly table: string
  readonly unique: readonly Unique[]
  readonly fields: Readonly<Record<string, Field>>
  readonly relations: Readonly<Record<string, Relation>>
  /** The id fields of each cache. */
  readonly caches: readonly (readonly string[])[]
  /** Set to the time by Prisma, so that two databases differ. */
  readonly timestamps: readonly string[]
}

/** Fields, and under which name `where` takes them together. */
export interface Unique {
  readonly fields: readonly string[]
  readonly name: string
}

type Values = (random: Random) => unknown

/** `?` nullable, `[` list, `=` can be left out, `#` from a sequence. */
const field = (type: FieldType, marks: string, value: Values): Field => ({
  type,
  value,
  isNullable: marks.includes('?'),
  isList: marks.includes('['),
  isLeftOut: /[?[=#]/.test(marks),
  isCounted: marks.includes('#'),
})
const int = (most: number, marks = ''): Field => field('Int', marks, (random) => 1 + random.below(most))
const bigint = (most: number, marks = ''): Field =>
  field('BigInt', marks, (random) => {
    const value = 1 + random.below(most)
    return random.chance(50) ? BigInt(value) : value
  })
const text = (prefix: string, most: number, marks = ''): Field =>
  field('String', marks, (random) => prefix + (1 + random.below(most)))
const spelled = (marks: string, value: Values, other: (text: string) => string): Field =>
  field('String', marks, (random) => {
    const text = value(random) as string
    return random.chance(25) ? other(text) : text
  })
const decimal = (step: number, marks = ''): Field =>
  field('Decimal', marks, (random) => {
    const value = ((1 + random.below(16)) * step).toFixed(2)
    return random.pick<unknown>([new Decimal(value), Number(value), value])
  })
const uuid = (marks = ''): Field =>
  spelled(
    marks,
    (random) => `5eed0000-0000-4000-a000-0000000000${(171 + random.below(60)).toString(16)}`,
    (text) => text.toUpperCase(),
  )
const moment = (iso: (random: Random) => string, marks = ''): Field =>
  field('DateTime', marks, (random) => {
    const value = iso(random)
    return random.chance(75) ? new Date(value) : value
  })
const padded = (length: number, value: Values, marks = ''): Field =>
  spelled(marks, value, (text) => text.padEnd(length))
const relation = (to: string, back: string, marks = '', fields = ''): Relation => ({
  to,
  back,
  isList: marks.includes('['),
  isOptional: marks.includes('?'),
  isJoinTable: marks.includes('*'),
  fields: fields === '' ? [] : fields.split(' '),
})
const key = (fields: string, name?: string): Unique => {
  const names = fields.split(' ')
  return { fields: names, name: name ?? names.join('_') }
}

const at = (random: Random): string =>
  random.pick([
    // As tick() makes them, less their microseconds.
    `2025-03-01T00:00:0${1 + random.below(6)}.000Z`,
    '2025-03-01T00:00:01.000138Z',
    '2024-05-06T07:08:09.123+02:00',
  ])
const date = (random: Random): string =>
  `2024-${random.pick(['02', '03'])}-2${random.below(10)}T${random.pick(['00:00', '12:30'])}:00.000Z`
const role: Values = (random) => random.pick(['MEMBER', 'ADMIN', 'GUEST'])
const label: Values = (random) => `l${1 + random.below(20)}`

const described: Record<string, Omit<Model, 'name' | 'table' | 'timestamps'> & Partial<Model>> = {
  Account: {
    table: 'accounts',
    unique: [key('id'), key('email'), key('handle'), key('token')],
    caches: [['id'], ['email'], ['handle'], ['token']],
    timestamps: ['createdAt', 'updatedAt'],
    fields: {
      id: int(25, '#'),
      email: spelled(
        '',
        (random) => `a${1 + random.below(25)}@x.org`,
        (text) => text.toUpperCase(),
      ),
      handle: padded(6, (random) => `h${1 + random.below(25)}`, '?'),
      name: text('name ', 3, '='),
      role: field('Role', '=', role),
      roles: field('Role', '[', role),
      tags: text('t', 3, '['),
      scores: int(5, '['),
      balance: decimal(10.5, '='),
      avatar: field('Bytes', '?', (random) => {
        const bytes = [0, 255, random.below(256)]
        return random.chance(50) ? new Uint8Array(bytes) : Buffer.from(bytes)
      }),
      born: moment(date, '?'),
      data: field('Json', '?', (random) => ({ n: random.below(9), list: [1, { 'ä"': null }] })),
      views: bigint(9, '='),
      ratio: field('Float', '?', (random) => random.below(9) / 7),
      active: field('Boolean', '=', (random) => random.chance(50)),
      token: uuid('='),
      seenAt: moment(at, '='),
      createdAt: moment(at, '='),
      updatedAt: moment(at, '='),
      managerId: int(9, '?'),
    },
    relations: {
      manager: relation('Account', 'reports', '?', 'managerId'),
      reports: relation('Account', 'manager', '['),
      profile: relation('Profile', 'account', '?'),
      locker: relation('Locker', 'account', '?'),
      posts: relation('Post', 'author', '['),
      edited: relation('Post', 'editor', '['),
      events: relation('Event', 'host', '['),
      teams: relation('Team', 'accounts', '[*'),
      grants: relation('Grant', 'account', '['),
    },
  },
  Profile: {
    unique: [key('accountId')],
    caches: [['accountId']],
    fields: { accountId: int(9), bio: text('bio ', 3, '?') },
    relations: {
      account: relation('Account', 'profile', '', 'accountId'),
      badges: relation('Badge', 'profile', '['),
    },
  },
  Badge: {
    unique: [key('id'), key('profileId label')],
    caches: [['id'], ['profileId', 'label']],
    fields: { id: int(20, '#'), label: text('b', 12), profileId: int(6) },
    relations: { profile: relation('Profile', 'badges', '', 'profileId') },
  },
  Locker: {
    unique: [key('number'), key('accountId')],
    caches: [['number'], ['accountId']],
    fields: { number: int(20), code: text('code ', 3, '?'), accountId: int(9, '?') },
    relations: { account: relation('Account', 'locker', '?', 'accountId') },
  },
  Event: {
    unique: [key('at place', 'slot'), key('title')],
    caches: [['title']],
    fields: {
      at: moment(at, '='),
      place: field('String', '', (random) => random.pick(['hall', 'Yard'])),
      title: text('event ', 20),
      capacity: int(20, '='),
      hostId: int(9, '?'),
    },
    relations: {
      host: relation('Account', 'events', '?', 'hostId'),
      tickets: relation('Ticket', 'event', '['),
    },
  },
  Ticket: {
    unique: [key('id'), key('seat')],
    caches: [['id'], ['seat']],
    fields: {
      id: uuid('='),
      seat: text('s', 25, '?'),
      price: decimal(3.3, '='),
      soldAt: moment(at, '?'),
      eventAt: moment(at, '?'),
      eventPlace: field('String', '?', (random) => random.pick(['hall', 'Yard'])),
    },
    relations: { event: relation('Event', 'tickets', '?', 'eventAt eventPlace') },
  },
  Team: {
    unique: [key('code'), key('name')],
    caches: [['name']],
    fields: { code: decimal(1.25), name: text('team ', 16), motto: text('motto ', 3, '?') },
    relations: { accounts: relation('Account', 'teams', '[*') },
  },
  Post: {
    unique: [key('id'), key('authorId slug', 'address')],
    caches: [['id'], ['authorId', 'slug']],
    fields: {
      id: bigint(25, '#'),
      slug: text('p', 9),
      title: text('title ', 3, '='),
      authorId: int(9, '='),
      editorId: int(9, '?'),
    },
    relations: {
      author: relation('Account', 'posts', '', 'authorId'),
      editor: relation('Account', 'edited', '?', 'editorId'),
      comments: relation('Comment', 'post', '['),
      labels: relation('Label', 'posts', '[*'),
    },
  },
  Comment: {
    unique: [key('postId number')],
    caches: [['postId', 'number']],
    fields: { postId: bigint(9), number: int(9), body: text('body ', 3), parentNo: int(3, '?') },
    relations: {
      post: relation('Post', 'comments', '', 'postId'),
      parent: relation('Comment', 'replies', '?', 'postId parentNo'),
      replies: relation('Comment', 'parent', '['),
    },
  },
  Label: {
    unique: [key('name')],
    caches: [['name']],
    fields: {
      name: field('String', '', label),
      colour: field('String', '=', (random) => random.pick(['red', 'blue'])),
      parentName: field('String', '?', label),
    },
    relations: {
      parent: relation('Label', 'children', '?', 'parentName'),
      children: relation('Label', 'parent', '['),
      similar: relation('Label', 'similarTo', '[*'),
      similarTo: relation('Label', 'similar', '[*'),
      posts: relation('Post', 'labels', '[*'),
    },
  },
  Setting: {
    unique: [key('id'), key('scope key')],
    caches: [['id'], ['scope', 'key']],
    fields: {
      id: int(20, '#'),
      scope: text('scope', 3, '?'),
      key: text('k', 14),
      value: field('Json', '=', (random) =>
        random.pick<unknown>(['text', [1, {}], { deep: { er: random.below(9) } }]),
      ),
    },
    relations: {},
  },
  Grant: {
    unique: [key('accountId role')],
    caches: [['accountId', 'role']],
    fields: { accountId: int(9), role: field('Role', '', role), note: text('note ', 3, '=') },
    relations: { account: relation('Account', 'grants', '', 'accountId') },
  },
  Blob: {
    unique: [key('hash'), key('name')],
    caches: [['name']],
    fields: {
      hash: field('Bytes', '', (random) => new Uint8Array([0xab, 1 + random.below(20)])),
      name: padded(4, (random) => `b${1 + random.below(20)}`),
      size: int(9, '='),
    },
    relations: {},
  },
  Day: {
    unique: [key('date'), key('label')],
    caches: [['label'], ['date']],
    fields: { date: moment(date), label: text('day ', 16) },
    relations: { hours: relation('Hour', 'day', '[') },
  },
  Hour: {
    unique: [key('at'), key('label')],
    caches: [['label'], ['at']],
    fields: {
      // Rounded to seconds by the database.
      at: moment(
        (random) => `2024-02-28T${10 + random.below(12)}:00:00.${random.pick(['000', '400', '600'])}Z`,
      ),
      label: text('hour ', 20),
      date: moment(date, '?'),
    },
    relations: { day: relation('Day', 'hours', '?', 'date') },
  },
  Secret: {
    unique: [key('id'), key('code')],
    caches: [['id'], ['code']],
    fields: { id: int(20, '#'), code: text('c', 20), accountId: int(9) },
    // Prisma takes no nested writes where the other side is ignored.
    relations: {},
  },
}

export const models: Readonly<Record<string, Model>> = Object.fromEntries(
  Object.entries(described).map(([name, model]) => [name, { name, table: name, timestamps: [], ...model }]),
)
/** Tables of implicit relations. */
/** Relation fields over join tables, as `Post.labels`. */
export const joinRelations = Object.values(models).flatMap((model) =>
  Object.entries(model.relations).flatMap(([field, relation]) =>
    relation.isJoinTable ? [{ model, field, target: models[relation.to]! }] : [],
  ),
)
export const joinTables = ['_AccountToTeam', '_LabelToPost', '_Similar']

/** The name of a model's delegate. */
export function delegateOf(model: string): string {
  return model.charAt(0).toLowerCase() + model.slice(1)
}
