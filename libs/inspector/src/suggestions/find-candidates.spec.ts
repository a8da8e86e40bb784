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
  return findCandidates(query, facts, (each) => omitted[each] ?? []).map(textOf)
}

function textOf(candidate: Candidate): string {
  const { kind, model } = candidate
  if (candidate.kind === 'field') return `field ${model}.${candidate.field}`
  if (!isLookup(candidate)) return `${kind} ${model}`
  const { by, limit, orderBy, through, where } = candidate
  return [
    `${kind} ${model} by ${by.join('+')}`,
    ...(through === undefined ? [] : [`through ${through}`]),
    ...(where === undefined ? [] : [`where ${JSON.stringify(where)}`]),
    ...(orderBy === undefined ? [] : [`order ${JSON.stringify(orderBy)}`]),
    ...(limit === undefined ? [] : [`limit ${limit}`]),
  ].join(' ')
}

const newest = { orderBy: { createdAt: 'desc' } }
const byTeam = { where: { teamId: 1 } }

const cases: readonly (readonly [string, object, readonly string[]])[] = [
  ['Unknown.findMany', {}, []],
  ['Lot.findMany', { where: 1 }, []],
  ['Lot.findMany', {}, ['cache Lot']],
  ['Lot.findMany', { where: { id: 1 } }, ['cache Lot']],
  ['Lot.findUnique', { where: { code: 'a' } }, ['cache Lot', 'unique Lot by code']],
  [
    'Lot.findUnique',
    { where: { zone_spot: { zone: 1, spot: 2 } } },
    ['cache Lot', 'unique Lot by zone+spot'],
  ],
  ['Lot.findUniqueOrThrow', { where: { id: 1, teamId: 1 } }, ['cache Lot']],
  ['Lot.findMany', { where: { zone_spot: { zone: 1, spot: 2 } } }, ['cache Lot']],
  ['Lot.findUnique', { where: { teamId: 1 } }, ['cache Lot']],
  ['Lot.findFirst', { where: { zone: 1, spot: 2 } }, ['cache Lot', 'unique Lot by zone+spot']],
  ['Lot.findUniqueOrThrow', { where: { teamId: 1 } }, ['cache Lot']],
  [
    'Lot.findUniqueOrThrow',
    { where: { zone_spot: { zone: 1, spot: 2 } } },
    ['cache Lot', 'unique Lot by zone+spot'],
  ],
  [
    'Lot.findUnique',
    { where: { zone_spot: { zone: 1, spot: 2 }, teamId: 1 } },
    ['cache Lot', 'unique Lot by zone+spot'],
  ],
  ['Pair.findMany', { where: { one: 1 } }, ['cache Pair', 'unique Pair by one']],
  [
    'Pair.findUnique',
    { where: { one_third: { one: 1, third: 2 } } },
    ['cache Pair', 'unique Pair by one+third'],
  ],
  ['Pair.findMany', { where: { other: 1, one: 2 } }, ['cache Pair', 'unique Pair by one']],
  ['Lot.findMany', { where: { zone: 1, teamId: 1 } }, ['cache Lot', 'list Lot by zone+teamId']],
  ['Lot.findMany', { where: { NOT: [{ code: 'a' }] } }, ['cache Lot']],
  ['Lot.findFirst', { where: { deletedAt: null }, ...newest }, ['cache Lot']],
  [
    'Lot.findFirst',
    { where: { teamId: 1, NOT: [{ deletedAt: null }] }, ...newest },
    ['cache Lot', 'list Lot by teamId', 'list Lot by teamId order [{"createdAt":"desc"}]'],
  ],
  [
    'Lot.findMany',
    { where: { team: { notes: { some: {} } } } },
    [
      'cache Lot',
      'cache Team',
      'cache Team',
      'cache Note',
      'list Note by teamId',
      'cache Note',
      'cache Team',
      'cache Lot',
      'list Lot by teamId',
    ],
  ],
  ['Lot.findUnique', { where: { id: 1 }, include: { _count: {} } }, ['cache Lot']],
  ['Lot.findMany', { where: { zone: 1 } }, ['cache Lot', 'list Lot by zone']],
  ['Lot.findMany', { where: { code: { in: ['a', 'b'] } } }, ['cache Lot', 'unique Lot by code']],
  ['Lot.findMany', { where: { code: null } }, ['cache Lot']],
  ['Lot.findMany', { where: { ownerId: { in: [1, null] } } }, ['cache Lot']],
  ['Lot.findMany', { where: { OR: [{ code: 'a' }, { code: 'b' }] } }, ['cache Lot', 'unique Lot by code']],
  ['Lot.findMany', { where: { OR: [{ code: 'a' }, { title: 'b' }] } }, ['cache Lot']],
  ['Lot.findMany', { where: { OR: [] } }, ['cache Lot']],
  ['Lot.findMany', { where: { OR: { code: 'a' } } }, ['cache Lot']],
  ['Lot.findMany', { where: { OR: [1, { code: 'a' }] } }, ['cache Lot']],
  [
    'Lot.findMany',
    { where: { NOT: [1, { team: { id: 1 } }] } },
    ['cache Lot', 'cache Team', 'cache Team', 'cache Lot', 'list Lot by teamId'],
  ],
  ['Lot.findMany', { where: { NOT: { code: 'a' } } }, ['cache Lot']],
  ['Person.findMany', { where: { email: 'a' } }, ['cache Person', 'unique Person by email']],
  ['Lot.findMany', { where: { title: { contains: 'a' } } }, ['cache Lot']],
  ['Lot.findMany', { where: { AND: [{ teamId: 1 }, { ownerId: 2 }] } }, ['cache Lot', 'list Lot by ownerId']],
  ['Lot.findMany', { where: { ownerId: 2, teamId: 1 } }, ['cache Lot', 'list Lot by ownerId']],
  [
    'Lot.findMany',
    { where: { ownerId: 2, teamId: 1, title: 'a' } },
    ['cache Lot', 'list Lot by ownerId+teamId+title'],
  ],
  [
    'Lot.findMany',
    { where: { zone: { in: [1] }, nothing: 1 }, ...newest, take: 5 },
    ['cache Lot', 'list Lot by zone', 'list Lot by zone order [{"createdAt":"desc"}]'],
  ],
  ['Lot.findMany', { where: { teamId: 1, title: 'a' } }, ['cache Lot', 'list Lot by teamId+title']],
  ['Lot.findMany', { where: { teamId: 1, state: 'OPEN', isHot: true } }, ['cache Lot', 'list Lot by teamId']],
  ['Lot.findMany', { where: { state: 'OPEN', isHot: true } }, ['cache Lot', 'list Lot by state+isHot']],
  [
    'Lot.findMany',
    { ...byTeam, ...newest },
    ['cache Lot', 'list Lot by teamId', 'list Lot by teamId order [{"createdAt":"desc"}]'],
  ],
  ['Lot.count', { ...byTeam, ...newest, take: 3 }, ['cache Lot', 'list Lot by teamId']],
  ['Lot.findMany', { ...byTeam, take: 3 }, ['cache Lot', 'list Lot by teamId']],
  [
    'Lot.findMany',
    { ...byTeam, ...newest, take: 1 },
    [
      'cache Lot',
      'list Lot by teamId order [{"createdAt":"desc"}] limit 1',
      'list Lot by teamId',
      'list Lot by teamId order [{"createdAt":"desc"}]',
    ],
  ],
  [
    'Lot.findMany',
    { ...byTeam, ...newest, take: 2 },
    [
      'cache Lot',
      'list Lot by teamId order [{"createdAt":"desc"}] limit 5',
      'list Lot by teamId',
      'list Lot by teamId order [{"createdAt":"desc"}]',
    ],
  ],
  [
    'Lot.findMany',
    { ...byTeam, ...newest, take: 5, skip: 1 },
    [
      'cache Lot',
      'list Lot by teamId order [{"createdAt":"desc"}] limit 10',
      'list Lot by teamId',
      'list Lot by teamId order [{"createdAt":"desc"}]',
    ],
  ],
  [
    'Lot.findMany',
    { ...byTeam, ...newest, take: 1000 },
    [
      'cache Lot',
      'list Lot by teamId order [{"createdAt":"desc"}] limit 1000',
      'list Lot by teamId',
      'list Lot by teamId order [{"createdAt":"desc"}]',
    ],
  ],
  [
    'Lot.findMany',
    { ...byTeam, ...newest, take: 1001 },
    ['cache Lot', 'list Lot by teamId', 'list Lot by teamId order [{"createdAt":"desc"}]'],
  ],
  [
    'Lot.findMany',
    { ...byTeam, ...newest, take: '?' },
    ['cache Lot', 'list Lot by teamId', 'list Lot by teamId order [{"createdAt":"desc"}]'],
  ],
  [
    'Lot.findMany',
    { ...byTeam, ...newest, take: 5, skip: '?' },
    ['cache Lot', 'list Lot by teamId', 'list Lot by teamId order [{"createdAt":"desc"}]'],
  ],
  [
    'Lot.findMany',
    { ...byTeam, ...newest, take: 5, cursor: { id: 1 } },
    ['cache Lot', 'list Lot by teamId', 'list Lot by teamId order [{"createdAt":"desc"}]'],
  ],
  [
    'Lot.findFirst',
    { ...byTeam, ...newest },
    [
      'cache Lot',
      'list Lot by teamId order [{"createdAt":"desc"}] limit 1',
      'list Lot by teamId',
      'list Lot by teamId order [{"createdAt":"desc"}]',
    ],
  ],
  [
    'Lot.findFirstOrThrow',
    { ...byTeam, ...newest },
    [
      'cache Lot',
      'list Lot by teamId order [{"createdAt":"desc"}] limit 1',
      'list Lot by teamId',
      'list Lot by teamId order [{"createdAt":"desc"}]',
    ],
  ],
  [
    'Lot.findFirst',
    { where: { teamId: { in: [1, 2] } }, ...newest },
    ['cache Lot', 'list Lot by teamId', 'list Lot by teamId order [{"createdAt":"desc"}]'],
  ],
  [
    'Lot.findFirst',
    { where: { teamId: 1, OR: [{ deletedAt: null }] }, ...newest },
    ['cache Lot', 'list Lot by teamId', 'list Lot by teamId order [{"createdAt":"desc"}]'],
  ],
  [
    'Lot.findFirst',
    { where: { teamId: 1, deletedAt: null }, ...newest },
    [
      'cache Lot',
      'list Lot by teamId where {"deletedAt":null} order [{"createdAt":"desc"}] limit 1',
      'list Lot by teamId',
      'list Lot by teamId order [{"createdAt":"desc"}]',
    ],
  ],
  [
    'Lot.findFirst',
    { where: { teamId: 1, deletedAt: { equals: null } }, ...newest },
    [
      'cache Lot',
      'list Lot by teamId where {"deletedAt":null} order [{"createdAt":"desc"}] limit 1',
      'list Lot by teamId',
      'list Lot by teamId order [{"createdAt":"desc"}]',
    ],
  ],
  [
    'Lot.findFirst',
    { where: { teamId: 1, deletedAt: { not: null } }, ...newest },
    [
      'cache Lot',
      'list Lot by teamId where {"deletedAt":{"not":null}} order [{"createdAt":"desc"}] limit 1',
      'list Lot by teamId',
      'list Lot by teamId order [{"createdAt":"desc"}]',
    ],
  ],
  [
    'Lot.findFirst',
    { where: { teamId: 1, deletedAt: { not: 1 } }, ...newest },
    ['cache Lot', 'list Lot by teamId', 'list Lot by teamId order [{"createdAt":"desc"}]'],
  ],
  [
    'Lot.findFirst',
    { where: { teamId: 1, deletedAt: { not: null, gt: 1 } }, ...newest },
    ['cache Lot', 'list Lot by teamId', 'list Lot by teamId order [{"createdAt":"desc"}]'],
  ],
  [
    'Lot.findFirst',
    { where: { teamId: 1, deletedAt: { gt: null } }, ...newest },
    ['cache Lot', 'list Lot by teamId', 'list Lot by teamId order [{"createdAt":"desc"}]'],
  ],
  [
    'Lot.findFirst',
    { where: { teamId: 1, title: 'a', AND: { teamId: 2 } }, orderBy: [{ createdAt: 'desc' }, { id: 'asc' }] },
    [
      'cache Lot',
      'list Lot by teamId+title order [{"createdAt":"desc"},{"id":"asc"}] limit 1',
      'list Lot by teamId+title',
      'list Lot by teamId+title order [{"createdAt":"desc"},{"id":"asc"}]',
    ],
  ],
  [
    'Lot.findMany',
    { ...byTeam, orderBy: [{ createdAt: 'desc', id: 'asc' }] },
    ['cache Lot', 'list Lot by teamId'],
  ],
  ['Lot.findMany', { ...byTeam, orderBy: ['id', { id: 'asc' }] }, ['cache Lot', 'list Lot by teamId']],
  ['Lot.findMany', { ...byTeam, orderBy: [] }, ['cache Lot', 'list Lot by teamId']],
  [
    'Lot.findMany',
    { where: { team: { id: 1 } } },
    ['cache Lot', 'cache Team', 'cache Team', 'cache Lot', 'list Lot by teamId'],
  ],
  ['Lot.findMany', { where: { team: null } }, ['cache Lot']],
  [
    'Lot.findMany',
    { where: { team: { is: { id: 1 } } } },
    ['cache Lot', 'cache Team', 'cache Team', 'cache Lot', 'list Lot by teamId'],
  ],
  ['Lot.findMany', { where: { team: { is: null } } }, ['cache Lot']],
  [
    'Team.findMany',
    { where: { lots: { some: { code: 'a' }, none: { title: 'b' } } } },
    [
      'cache Team',
      'cache Lot',
      'list Lot by teamId',
      'cache Lot',
      'unique Lot by code',
      'cache Team',
      'cache Lot',
      'list Lot by teamId',
      'cache Lot',
      'list Lot by title',
      'cache Team',
    ],
  ],
  [
    'Team.findMany',
    { where: { OR: [{ lots: { some: {} } }] } },
    ['cache Team', 'cache Lot', 'list Lot by teamId', 'cache Lot', 'cache Team'],
  ],
  [
    'Team.findMany',
    { where: { AND: { lots: { some: {} } } } },
    ['cache Team', 'cache Lot', 'list Lot by teamId', 'cache Lot', 'cache Team'],
  ],
  [
    'Team.findMany',
    { where: { NOT: { lots: { some: {} } } } },
    ['cache Team', 'cache Lot', 'list Lot by teamId', 'cache Lot', 'cache Team'],
  ],
  [
    'Lot.findMany',
    { where: { tags: { every: { name: 'a' } } } },
    [
      'cache Lot',
      'cache Tag',
      'list Tag by  through lots',
      'cache Tag',
      'list Tag by name',
      'cache Lot',
      'list Lot by  through tags',
    ],
  ],
  [
    'Lot.findUnique',
    { where: { id: 1 }, include: { team: true, owner: false } },
    ['cache Lot', 'cache Team'],
  ],
  [
    'Lot.findUnique',
    { where: { id: 1 }, select: { notes: true, title: true } },
    ['cache Lot', 'cache Note', 'list Note by lotCode'],
  ],
  ['Lot.findUnique', { where: { id: 1 }, include: 1 }, ['cache Lot']],
  [
    'Lot.findUnique',
    { where: { id: 1 }, include: { notes: { where: { text: 'a' }, orderBy: { id: 'asc' }, take: 5 } } },
    ['cache Lot', 'cache Note', 'list Note by lotCode', 'list Note by lotCode order [{"id":"asc"}]'],
  ],
  [
    'Team.findUnique',
    { where: { id: 1 }, include: { lots: { where: 1, ...newest, take: 5, include: { passport: true } } } },
    [
      'cache Team',
      'cache Lot',
      'list Lot by teamId order [{"createdAt":"desc"}] limit 5',
      'list Lot by teamId',
      'list Lot by teamId order [{"createdAt":"desc"}]',
      'cache Passport',
    ],
  ],
  [
    'Team.findUnique',
    { where: { id: 1 }, include: { lots: { where: { deletedAt: null }, ...newest, take: 5 } } },
    [
      'cache Team',
      'cache Lot',
      'list Lot by teamId where {"deletedAt":null} order [{"createdAt":"desc"}] limit 5',
      'list Lot by teamId',
      'list Lot by teamId order [{"createdAt":"desc"}]',
    ],
  ],
  [
    'Note.findUnique',
    { where: { id: 1 }, include: { lot: true } },
    ['cache Note', 'cache Lot', 'unique Lot by code'],
  ],
  [
    'Person.findUnique',
    { where: { id: 1 }, include: { profile: true } },
    ['cache Person', 'cache Profile', 'unique Profile by personId'],
  ],
  [
    'Lot.findUnique',
    { where: { id: 1 }, include: { tags: { orderBy: { name: 'asc' } } } },
    [
      'cache Lot',
      'cache Tag',
      'list Tag by  through lots',
      'list Tag by  through lots order [{"name":"asc"}]',
    ],
  ],
  [
    'Lot.findUnique',
    { where: { id: 1 }, include: { tags: { include: { lots: true } } } },
    ['cache Lot', 'cache Tag', 'list Tag by  through lots', 'cache Lot', 'list Lot by  through tags'],
  ],
  ['Lot.findUnique', { where: { id: 1 }, include: { _count: true } }, ['cache Lot']],
  ['Lot.findUnique', { where: { id: 1 }, include: { _count: { select: 1 } } }, ['cache Lot']],
  [
    'Lot.findUnique',
    { where: { id: 1 }, include: { _count: { select: { notes: true, tags: false } } } },
    ['cache Lot', 'cache Note', 'list Note by lotCode'],
  ],
  [
    'Team.findUnique',
    {
      where: { id: 1 },
      include: { _count: { select: { lots: { where: { deletedAt: null }, ...newest, take: 5 } } } },
    },
    ['cache Team', 'cache Lot', 'list Lot by teamId'],
  ],
]

describe('candidates', () => {
  it.each(cases)('of %s %j are found', (action, args, candidates) => {
    expect(found(action, args)).toEqual(candidates)
  })

  it.each<[string, object, readonly string[]]>([
    ['asks for all', {}, ['field Lot.secret', 'field Lot.title']],
    ['selects one', { select: { title: true, secret: false } }, ['field Lot.title']],
    ['omits one', { omit: { title: true, secret: false } }, ['field Lot.secret']],
    [
      'omits them by what is no object',
      { omit: true, select: true },
      ['field Lot.secret', 'field Lot.title'],
    ],
  ])('are the fields that caches omit if it %s', (_, args, fields) => {
    const omitted = { Lot: ['secret', 'title'], Note: ['text'] }
    const where = { id: 1 }
    expect(found('Lot.findUnique', { where, ...args }, omitted)).toEqual(['cache Lot', ...fields])
  })

  it('are the fields that caches of a related model omit', () => {
    const args = { where: { id: 1 }, select: { notes: { omit: { lotCode: true } } } }
    expect(found('Lot.findUnique', args, { Note: ['text', 'lotCode'] })).toEqual([
      'cache Lot',
      'cache Note',
      'field Note.text',
      'list Note by lotCode',
    ])
  })

  it('ignores a relation to a model that the schema does not have', () => {
    const models = new Map([...facts.models].filter(([name]) => name !== 'Team'))
    const query = { model: 'Lot', action: 'findUnique', args: { where: { id: 1 }, include: { team: true } } }
    expect(findCandidates(query, { ...facts, models }, () => [])).toEqual([{ kind: 'cache', model: 'Lot' }])
    const keyed = { model: 'Lot', action: 'findMany', args: { where: { ownerId: 1, teamId: 2 } } }
    expect(findCandidates(keyed, { ...facts, models }, () => [])[1]).toMatchObject({ by: ['teamId'] })
  })
})
