import { describeSchemaText } from 'model-cache/internal'
import { type Candidate, isLookup } from './candidate.js'
import { findCandidates } from './find-candidates.js'

const facts = describeSchemaText(`
datasource db { provider = "postgresql" }
enum State {
  OPEN
  CLOSED
}
model Team {
  id    Int    @id
  lots  Lot[]
  notes Note[]
  tags  Tag[]
}
model Person {
  id      Int      @id
  email   String?  @unique
  lots    Lot[]
  profile Profile?
}
model Profile {
  id       Int    @id
  personId Int    @unique
  person   Person @relation(fields: [personId], references: [id])
}
model Passport {
  lotId Int @id
  lot   Lot @relation(fields: [lotId], references: [id])
}
model Lot {
  id        Int       @id
  code      String    @unique
  zone      Int
  spot      Int
  title     String
  secret    String
  state     State
  isHot     Boolean
  teamId    Int
  ownerId   Int?
  createdAt DateTime
  deletedAt DateTime?
  team      Team      @relation(fields: [teamId], references: [id])
  owner     Person?   @relation(fields: [ownerId], references: [id])
  notes     Note[]
  tags      Tag[]
  passport  Passport?
  place     Place     @relation(fields: [zone, spot], references: [zone, spot])
  @@unique([zone, spot])
}
model Place {
  id   Int  @id
  zone Int
  spot Int
  lot  Lot?
  @@unique([zone, spot])
}
model Pair {
  one   Int @unique
  other Int
  third Int
  @@id([one, other])
  @@unique([one, third])
}
model Note {
  id      Int    @id
  text    String
  lotCode String
  teamId  Int
  lot     Lot    @relation(fields: [lotCode], references: [code])
  team    Team   @relation(fields: [teamId], references: [id])
}
model Tag {
  id   Int   @id
  name String
  lots Lot[]
  team Team   @relation(fields: [teamId], references: [id])
  teamId Int
}`)

function found(action: string, args: object, omitted: Readonly<Record<string, readonly string[]>> = {}) {
  const [model, name] = action.split('.') as [string, string]
  const query = { model, action: name, args: args as Readonly<Record<string, unknown>> }
  return findCandidates(query, facts, (each) => omitted[each] ?? [])
    .map(textOf)
    .join('; ')
}

/** `Lot` for a cache, `Lot.title` for a field, `unique Lot by code`, `Lot by teamId in order createdAt desc limit 5` for a list. */
function textOf(candidate: Candidate): string {
  const { kind, model } = candidate
  if (candidate.kind === 'field') return `${model}.${candidate.field}`
  if (!isLookup(candidate)) return model
  const { by, limit, orderBy, through, where } = candidate
  const order = orderBy?.flatMap((each) => Object.entries(each).map((entry) => entry.join(' ')))
  return [
    kind === 'unique' ? `unique ${model}` : model,
    ...(through === undefined ? [`by ${by.join('+')}`] : [`through ${through}`]),
    ...(where === undefined ? [] : [`where ${JSON.stringify(where)}`]),
    ...(order === undefined ? [] : [`in order ${order.join(', ')}`]),
    ...(limit === undefined ? [] : [`limit ${limit}`]),
  ].join(' ')
}

const newest = { orderBy: { createdAt: 'desc' } }
const byTeam = { where: { teamId: 1 } }
const inOrder = 'Lot; Lot by teamId; Lot by teamId in order createdAt desc'
const first = (limit: number, where?: string): string =>
  `Lot; Lot by teamId${where ? ` where ${where}` : ''} in order createdAt desc limit ${limit}; ${inOrder.slice(5)}`

const cases: readonly (readonly [string, object, string])[] = [
  ['Unknown.findMany', {}, ''],
  ['Lot.findMany', { where: 1 }, ''],
  ['Lot.findMany', {}, 'Lot'],
  ['Lot.findMany', { where: { id: 1 } }, 'Lot'],
  ['Lot.findUnique', { where: { code: 'a' } }, 'Lot; unique Lot by code'],
  ['Lot.findUnique', { where: { zone_spot: { zone: 1, spot: 2 } } }, 'Lot; unique Lot by zone+spot'],
  ['Lot.findUniqueOrThrow', { where: { id: 1, teamId: 1 } }, 'Lot'],
  ['Lot.findMany', { where: { zone_spot: { zone: 1, spot: 2 } } }, 'Lot'],
  ['Lot.findUnique', { where: { teamId: 1 } }, 'Lot'],
  ['Lot.findFirst', { where: { zone: 1, spot: 2 } }, 'Lot; unique Lot by zone+spot'],
  ['Lot.findUniqueOrThrow', { where: { teamId: 1 } }, 'Lot'],
  ['Lot.findUniqueOrThrow', { where: { zone_spot: { zone: 1, spot: 2 } } }, 'Lot; unique Lot by zone+spot'],
  [
    'Lot.findUnique',
    { where: { zone_spot: { zone: 1, spot: 2 }, teamId: 1 } },
    'Lot; unique Lot by zone+spot',
  ],
  ['Pair.findMany', { where: { one: 1 } }, 'Pair; unique Pair by one'],
  ['Pair.findUnique', { where: { one_third: { one: 1, third: 2 } } }, 'Pair; unique Pair by one+third'],
  ['Pair.findMany', { where: { other: 1, one: 2 } }, 'Pair; unique Pair by one'],
  ['Lot.findMany', { where: { zone: 1, teamId: 1 } }, 'Lot; Lot by zone+teamId'],
  ['Lot.findMany', { where: { NOT: [{ code: 'a' }] } }, 'Lot'],
  ['Lot.findFirst', { where: { deletedAt: null }, ...newest }, 'Lot'],
  ['Lot.findFirst', { where: { teamId: 1, NOT: [{ deletedAt: null }] }, ...newest }, inOrder],
  [
    'Lot.findMany',
    { where: { team: { notes: { some: {} } } } },
    'Lot; Team; Team; Note; Note by teamId; Note; Team; Lot; Lot by teamId',
  ],
  ['Lot.findUnique', { where: { id: 1 }, include: { _count: {} } }, 'Lot'],
  ['Lot.findMany', { where: { zone: 1 } }, 'Lot; Lot by zone'],
  ['Lot.findMany', { where: { code: { in: ['a', 'b'] } } }, 'Lot; unique Lot by code'],
  ['Lot.findMany', { where: { code: null } }, 'Lot'],
  ['Lot.findMany', { where: { ownerId: { in: [1, null] } } }, 'Lot'],
  ['Lot.findMany', { where: { OR: [{ code: 'a' }, { code: 'b' }] } }, 'Lot; unique Lot by code'],
  ['Lot.findMany', { where: { OR: [{ code: 'a' }, { title: 'b' }] } }, 'Lot'],
  ['Lot.findMany', { where: { OR: [] } }, 'Lot'],
  ['Lot.findMany', { where: { OR: { code: 'a' } } }, 'Lot'],
  ['Lot.findMany', { where: { OR: [1, { code: 'a' }] } }, 'Lot'],
  ['Lot.findMany', { where: { NOT: [1, { team: { id: 1 } }] } }, 'Lot; Team; Team; Lot; Lot by teamId'],
  ['Lot.findMany', { where: { NOT: { code: 'a' } } }, 'Lot'],
  ['Person.findMany', { where: { email: 'a' } }, 'Person; unique Person by email'],
  ['Lot.findMany', { where: { title: { contains: 'a' } } }, 'Lot'],
  ['Lot.findMany', { where: { AND: [{ teamId: 1 }, { ownerId: 2 }] } }, 'Lot; Lot by ownerId'],
  ['Lot.findMany', { where: { ownerId: 2, teamId: 1 } }, 'Lot; Lot by ownerId'],
  ['Lot.findMany', { where: { ownerId: 2, teamId: 1, title: 'a' } }, 'Lot; Lot by ownerId+teamId+title'],
  [
    'Lot.findMany',
    { where: { zone: { in: [1] }, nothing: 1 }, ...newest, take: 5 },
    'Lot; Lot by zone; Lot by zone in order createdAt desc',
  ],
  ['Lot.findMany', { where: { teamId: 1, title: 'a' } }, 'Lot; Lot by teamId+title'],
  ['Lot.findMany', { where: { teamId: 1, state: 'OPEN', isHot: true } }, 'Lot; Lot by teamId'],
  ['Lot.findMany', { where: { state: 'OPEN', isHot: true } }, 'Lot; Lot by state+isHot'],
  ['Lot.findMany', { ...byTeam, ...newest }, inOrder],
  ['Lot.count', { ...byTeam, ...newest, take: 3 }, 'Lot; Lot by teamId'],
  ['Lot.findMany', { ...byTeam, skip: 0 }, 'Lot; Lot by teamId'],
  [
    'Lot.findMany',
    { ...byTeam, take: 3 },
    'Lot; Lot by teamId in order id asc limit 5; Lot by teamId; Lot by teamId in order id asc',
  ],
  ['Lot.findMany', { ...byTeam, cursor: { id: 1 } }, 'Lot; Lot by teamId; Lot by teamId in order id asc'],
  ['Lot.findMany', { ...byTeam, ...newest, take: 1 }, first(1)],
  ['Lot.findMany', { ...byTeam, ...newest, take: 2 }, first(5)],
  ['Lot.findMany', { ...byTeam, ...newest, take: 5, skip: 1 }, first(10)],
  ['Lot.findMany', { ...byTeam, ...newest, take: 1000 }, first(1000)],
  ['Lot.findMany', { ...byTeam, ...newest, take: 1001 }, inOrder],
  ['Lot.findMany', { ...byTeam, ...newest, take: '?' }, inOrder],
  ['Lot.findMany', { ...byTeam, ...newest, take: 5, skip: '?' }, inOrder],
  ['Lot.findMany', { ...byTeam, ...newest, take: 5, cursor: { id: 1 } }, inOrder],
  ['Lot.findFirst', { ...byTeam, ...newest }, first(1)],
  ['Lot.findFirstOrThrow', { ...byTeam, ...newest }, first(1)],
  ['Lot.findFirst', { where: { teamId: { in: [1, 2] } }, ...newest }, inOrder],
  ['Lot.findFirst', { where: { teamId: 1, OR: [{ deletedAt: null }] }, ...newest }, inOrder],
  ['Lot.findFirst', { where: { teamId: 1, deletedAt: null }, ...newest }, first(1, '{"deletedAt":null}')],
  [
    'Lot.findFirst',
    { where: { teamId: 1, deletedAt: { equals: null } }, ...newest },
    first(1, '{"deletedAt":null}'),
  ],
  [
    'Lot.findFirst',
    { where: { teamId: 1, deletedAt: { not: null } }, ...newest },
    first(1, '{"deletedAt":{"not":null}}'),
  ],
  ['Lot.findFirst', { where: { teamId: 1, deletedAt: { not: 1 } }, ...newest }, inOrder],
  ['Lot.findFirst', { where: { teamId: 1, deletedAt: { not: null, gt: 1 } }, ...newest }, inOrder],
  ['Lot.findFirst', { where: { teamId: 1, deletedAt: { gt: null } }, ...newest }, inOrder],
  [
    'Lot.findFirst',
    { where: { teamId: 1, title: 'a', AND: { teamId: 2 } }, orderBy: [{ createdAt: 'desc' }, { id: 'asc' }] },
    'Lot; Lot by teamId+title in order createdAt desc, id asc limit 1; Lot by teamId+title; Lot by teamId+title in order createdAt desc, id asc',
  ],
  ['Lot.findMany', { ...byTeam, orderBy: [{ createdAt: 'desc', id: 'asc' }] }, 'Lot; Lot by teamId'],
  ['Lot.findMany', { ...byTeam, orderBy: ['id', { id: 'asc' }] }, 'Lot; Lot by teamId'],
  ['Lot.findMany', { ...byTeam, orderBy: [] }, 'Lot; Lot by teamId'],
  ['Lot.findMany', { where: { team: { id: 1 } } }, 'Lot; Team; Team; Lot; Lot by teamId'],
  ['Lot.findMany', { where: { team: null } }, 'Lot'],
  ['Lot.findMany', { where: { team: { is: { id: 1 } } } }, 'Lot; Team; Team; Lot; Lot by teamId'],
  ['Lot.findMany', { where: { team: { is: null } } }, 'Lot'],
  [
    'Team.findMany',
    { where: { lots: { some: { code: 'a' }, none: { title: 'b' } } } },
    'Team; Lot; Lot by teamId; Lot; unique Lot by code; Team; Lot; Lot by teamId; Lot; Lot by title; Team',
  ],
  ['Team.findMany', { where: { OR: [{ lots: { some: {} } }] } }, 'Team; Lot; Lot by teamId; Lot; Team'],
  ['Team.findMany', { where: { AND: { lots: { some: {} } } } }, 'Team; Lot; Lot by teamId; Lot; Team'],
  ['Team.findMany', { where: { NOT: { lots: { some: {} } } } }, 'Team; Lot; Lot by teamId; Lot; Team'],
  [
    'Lot.findMany',
    { where: { tags: { every: { name: 'a' } } } },
    'Lot; Tag; Tag through lots; Tag; Tag by name; Lot; Lot through tags',
  ],
  ['Lot.findUnique', { where: { id: 1 }, include: { team: true, owner: false } }, 'Lot; Team'],
  [
    'Lot.findUnique',
    { where: { id: 1 }, select: { notes: true, title: true } },
    'Lot; Note; Note by lotCode',
  ],
  ['Lot.findUnique', { where: { id: 1 }, include: 1 }, 'Lot'],
  [
    'Lot.findUnique',
    { where: { id: 1 }, include: { notes: { where: { text: 'a' }, orderBy: { id: 'asc' }, take: 5 } } },
    'Lot; Note; Note by lotCode; Note by lotCode in order id asc',
  ],
  [
    'Team.findUnique',
    { where: { id: 1 }, include: { lots: { where: 1, ...newest, take: 5, include: { passport: true } } } },
    'Team; Lot; Lot by teamId in order createdAt desc limit 5; Lot by teamId; Lot by teamId in order createdAt desc; Passport',
  ],
  [
    'Team.findUnique',
    { where: { id: 1 }, include: { lots: { where: { deletedAt: null }, ...newest, take: 5 } } },
    'Team; Lot; Lot by teamId where {"deletedAt":null} in order createdAt desc limit 5; Lot by teamId; Lot by teamId in order createdAt desc',
  ],
  ['Note.findUnique', { where: { id: 1 }, include: { lot: true } }, 'Note; Lot; unique Lot by code'],
  [
    'Person.findUnique',
    { where: { id: 1 }, include: { profile: true } },
    'Person; Profile; unique Profile by personId',
  ],
  [
    'Lot.findUnique',
    { where: { id: 1 }, include: { tags: { orderBy: { name: 'asc' } } } },
    'Lot; Tag; Tag through lots; Tag through lots in order name asc',
  ],
  [
    'Lot.findUnique',
    { where: { id: 1 }, include: { tags: { include: { lots: true } } } },
    'Lot; Tag; Tag through lots; Lot; Lot through tags',
  ],
  ['Lot.findUnique', { where: { id: 1 }, include: { _count: true } }, 'Lot'],
  ['Lot.findUnique', { where: { id: 1 }, include: { _count: { select: 1 } } }, 'Lot'],
  [
    'Lot.findUnique',
    { where: { id: 1 }, include: { _count: { select: { notes: true, tags: false } } } },
    'Lot; Note; Note by lotCode',
  ],
  [
    'Team.findUnique',
    {
      where: { id: 1 },
      include: { _count: { select: { lots: { where: { deletedAt: null }, ...newest, take: 5 } } } },
    },
    'Team; Lot; Lot by teamId',
  ],
]

describe('candidates', () => {
  it.each(cases)('of %s %j are found', (action, args, candidates) => {
    expect(found(action, args)).toBe(candidates)
  })

  it.each<[string, object, string]>([
    ['asks for all', {}, 'Lot.secret; Lot.title'],
    ['selects one', { select: { title: true, secret: false } }, 'Lot.title'],
    ['omits one', { omit: { title: true, secret: false } }, 'Lot.secret'],
    ['omits them by what is no object', { omit: true, select: true }, 'Lot.secret; Lot.title'],
  ])('are the fields that caches omit if it %s', (_, args, fields) => {
    const omitted = { Lot: ['secret', 'title'], Note: ['text'] }
    const where = { id: 1 }
    expect(found('Lot.findUnique', { where, ...args }, omitted)).toBe(`Lot; ${fields}`)
  })

  it('are the fields that caches of a related model omit', () => {
    const args = { where: { id: 1 }, select: { notes: { omit: { lotCode: true } } } }
    expect(found('Lot.findUnique', args, { Note: ['text', 'lotCode'] })).toBe(
      'Lot; Note; Note.text; Note by lotCode',
    )
  })

  it('ignores a relation to a model that the schema does not have', () => {
    const models = new Map([...facts.models].filter(([name]) => name !== 'Team'))
    const query = { model: 'Lot', action: 'findUnique', args: { where: { id: 1 }, include: { team: true } } }
    expect(findCandidates(query, { ...facts, models }, () => [])).toEqual([{ kind: 'cache', model: 'Lot' }])
    const keyed = { model: 'Lot', action: 'findMany', args: { where: { ownerId: 1, teamId: 2 } } }
    expect(findCandidates(keyed, { ...facts, models }, () => [])[1]).toMatchObject({ by: ['teamId'] })
  })
})
