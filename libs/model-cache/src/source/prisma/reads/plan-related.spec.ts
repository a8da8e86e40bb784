import type { AnsweringCache, AnsweringLookup, CachedRow } from '../../read-caches.js'
import { describeSchemaText } from '../schema/describe-schema.js'
import { planRead } from './plan-read.js'
import { answerOf } from './read-answer.js'
import { cachesIn, planAt, type ReadPlan } from './read-plan.js'
import type { ReadPlanning } from './read-planning.js'
import { readModelsOf } from './readable-cache.js'
import { Selections } from './selections.js'

const facts = describeSchemaText(`
datasource db {
  provider = "postgresql"
}
model Team {
  id      Int      @id
  plan    String?
  members Member[]
  tags    Tag[]
}
model Member {
  teamId Int
  userId Int
  role   String?
  team   Team    @relation(fields: [teamId], references: [id])
  user   User    @relation(fields: [userId], references: [id])
  notes  Note[]
  @@id([teamId, userId])
}
model User {
  id      Int      @id
  email   String   @unique
  nick    String?
  bossId  Int?
  boss    User?    @relation("Boss", fields: [bossId], references: [id])
  reports User[]   @relation("Boss")
  members Member[]
  badge   Badge?
}
model Badge {
  id     Int   @id
  userId Int?  @unique
  user   User? @relation(fields: [userId], references: [id])
}
model Note {
  id     Int     @id
  teamId Int?
  userId Int?
  member Member? @relation(fields: [teamId, userId], references: [teamId, userId])
}
model Seat {
  id      Int      @id
  hall    Int
  row     Int
  tickets Ticket[]
  @@unique([hall, row])
}
model Ticket {
  id       Int   @id
  seatHall Int?
  seatRow  Int?
  seat     Seat? @relation(fields: [seatHall, seatRow], references: [hall, row])
}
model Tag {
  id    Int    @id
  word  String
  teams Team[]
}`)

/** Rows of each model, of which only the caches know. */
const rows: Readonly<Record<string, readonly CachedRow[]>> = {
  Team: [
    { id: 1, plan: 'pro' },
    { id: 2, plan: null },
    { id: 3, plan: 'free' },
  ],
  Member: [
    { teamId: 1, userId: 1, role: 'ADMIN' },
    { teamId: 1, userId: 2, role: null },
    { teamId: 2, userId: 2, role: 'GUEST' },
  ],
  User: [
    { id: 1, email: 'a@x', nick: 'a', bossId: null },
    { id: 2, email: 'b@x', nick: null, bossId: 1 },
    { id: 3, email: 'c@x', nick: 'c', bossId: 1 },
    { id: 4, email: 'd@x', nick: 'd', bossId: 99 },
  ],
  Badge: [
    { id: 7, userId: 1 },
    { id: 8, userId: null },
  ],
  Note: [
    { id: 1, teamId: 1, userId: 1 },
    { id: 2, teamId: null, userId: null },
  ],
  Seat: [{ id: 3, hall: 1, row: 2 }],
  Ticket: [
    { id: 1, seatHall: 1, seatRow: 2 },
    { id: 2, seatHall: 1, seatRow: null },
  ],
  Tag: [
    { id: 5, word: 'red' },
    { id: 6, word: 'blue' },
  ],
}
const teamsOfTags: Readonly<Record<number, readonly number[]>> = { 5: [1, 2], 6: [2] }

const textOf = (row: CachedRow, by: readonly string[]): string => by.map((field) => String(row[field])).join()

/** What caches were asked for, in one word each. */
let asked: string[] = []

interface Options {
  readonly limit?: number
  readonly orderBy?: readonly CachedRow[]
  readonly where?: CachedRow
}

function lookupOf(
  model: string,
  kind: 'unique' | 'list',
  by: readonly string[],
  options: Options = {},
): AnsweringLookup {
  const { limit, orderBy = [{ id: 'asc' }], where = {} } = options
  return {
    name: by.join(),
    kind,
    by,
    through: undefined,

    where,
    orderBy,
    limit,
    keyOf: (values) => textOf(values, by),
    findMany: async (keys) => {
      asked.push(`${model} by ${by} × ${keys.length}`)
      const fits = (row: CachedRow): boolean =>
        Object.keys(where).every((field) => row[field] === where[field])
      return keys.map((key) =>
        rows[model]!.filter((row) => textOf(row, by) === textOf(key, by) && fits(row))
          .slice(0, limit)
          .map((row) => ({ ...row })),
      )
    },
  }
}

const teamsByTag: AnsweringLookup = {
  ...lookupOf('Team', 'list', ['id']),
  through: 'tags',
  findMany: async (keys) => {
    asked.push(`Team through tags × ${keys.length}`)
    return keys.map(({ id }) =>
      rows.Team!.filter((team) => teamsOfTags[id as number]?.includes(team.id as number)),
    )
  },
}

const idsOf: Readonly<Record<string, readonly string[]>> = { Member: ['teamId', 'userId'] }

function cacheOf(
  model: string,
  lookups: readonly AnsweringLookup[],
  fields?: readonly string[],
): AnsweringCache {
  const idFields = idsOf[model] ?? ['id']
  const known = fields ?? [...facts.models.get(model)!.scalars.keys()]
  const find = (id: unknown): CachedRow | null => {
    const key = idFields.length === 1 ? { [idFields[0]!]: id } : (id as CachedRow)
    const row = rows[model]!.find((each) => textOf(each, idFields) === textOf(key, idFields))
    return row ? { ...row } : null
  }
  return {
    name: model,
    model,
    idFields,
    fields: known,
    exactFields: known,
    lookups,
    get: async (id: unknown) => find(id),
    getMany: async (ids: readonly unknown[]) => {
      asked.push(`${model} × ${ids.length}`)
      return ids.map(find)
    },
  } as unknown as AnsweringCache
}

const membersOfTeam = lookupOf('Member', 'list', ['teamId'])
const membersOfUser = lookupOf('Member', 'list', ['userId'])
const standard: readonly AnsweringCache[] = [
  cacheOf('Team', [teamsByTag]),
  cacheOf('Member', [membersOfTeam, membersOfUser]),
  cacheOf('User', [lookupOf('User', 'unique', ['email']), lookupOf('User', 'list', ['bossId'])]),
  cacheOf('Badge', [lookupOf('Badge', 'unique', ['userId'])]),
  cacheOf('Note', []),
  cacheOf('Ticket', []),
  cacheOf('Tag', []),
]

interface Change {
  /** Models without caches. */
  readonly without?: readonly string[]
  /** In place of those with the same model. */
  readonly caches?: readonly AnsweringCache[]
  readonly isComposed?: boolean
}

function planningWith({ caches = [], isComposed = true, without = [] }: Change): ReadPlanning {
  const models = readModelsOf(facts)
  const all = [...caches, ...standard.filter(({ model }) => !caches.some((cache) => cache.model === model))]
  return {
    isStrict: false,
    takesAnyRow: false,
    weighsCosts: true,
    composes: () => isComposed,
    modelOf: (name) =>
      without.includes(name)
        ? undefined
        : {
            caches: all
              .filter(({ model }) => model === name)
              .flatMap((cache) => models.readable(cache) ?? []),
            selections: new Selections({
              scalars: models.scalarsOf(name),
              relations: models.relationNamesOf(name),
              computed: undefined,
              omitted: undefined,
            }),
            relations: models.relationsOf(name),
          },
  }
}

const planOf = (model: string, action: string, args: object, change: Change = {}) =>
  planRead({ model, action, args }, planningWith(change))

/** The answer, or why there is none. */
async function ask(model: string, action: string, args: object, change: Change = {}): Promise<unknown> {
  const plan = planOf(model, action, args, change)
  if (typeof plan === 'string') return plan
  asked = []
  return await answerOf(plan, action)
}

/** The ids of all rows of a model that fulfil conditions, as the caches decide them; or why they do not. */
async function those(model: string, where: object, change: Change = {}): Promise<unknown> {
  const ids = rows[model]!.map(({ id }) => id)
  const found = await ask(model, 'findMany', { where: { id: { in: ids }, ...where } }, change)
  return Array.isArray(found) ? found.map(({ id }) => id as unknown) : found
}

const limited = cacheOf('Member', [lookupOf('Member', 'list', ['teamId'], { limit: 2 })])
const admins = cacheOf('Member', [lookupOf('Member', 'list', ['teamId'], { where: { role: 'ADMIN' } })])

describe('a condition on the rows of a relation', () => {
  it.each<[object, readonly number[]]>([
    [{ members: { some: {} } }, [1, 2]],
    [{ members: { none: {} } }, [3]],
    [{ members: { some: { role: 'ADMIN' } } }, [1]],
    [{ members: { none: { role: 'ADMIN' } } }, [2, 3]],
    // Null is neither equal nor different.
    [{ members: { every: { role: 'ADMIN' } } }, [1, 3]],
    [{ members: { every: { role: 'GUEST' } } }, [2, 3]],
    [{ members: { some: { role: null } } }, [1]],
    [{ members: { some: { role: { not: 'ADMIN' } } } }, [2]],
    [{ members: { some: { role: 'ADMIN' }, every: { role: 'ADMIN' } } }, [1]],
    [{ members: { some: { role: 'ADMIN' }, none: { role: 'ADMIN' } } }, []],
    [{ NOT: { members: { some: { role: 'ADMIN' } } } }, [2, 3]],
    [{ OR: [{ plan: 'free' }, { members: { some: { role: 'GUEST' } } }] }, [2, 3]],
    [{ plan: 'pro', members: { some: {} } }, [1]],
    [{ members: { some: { user: { nick: null } } } }, [1, 2]],
    [{ members: { some: { user: { boss: { is: { nick: 'a' } } } } } }, [1, 2]],
    [{ members: { every: { user: { boss: null } } } }, [3]],
  ])('%j', async (where, expected) => {
    expect(await those('Team', where)).toEqual(expected)
  })

  it.each<[object]>([
    [{ members: {} }],
    [{ members: null }],
    [{ members: [] }],
    [{ members: { is: {} } }],
    [{ members: { some: null } }],
    [{ members: { every: {} } }],
    [{ members: { some: { role: { contains: 'x' } } } }],
    [{ members: { some: {}, any: {} } }],
    [{ others: { some: {} } }],
    [{ tags: { some: {} } }],
  ])('is passed on: %j', async (where) => {
    expect(await those('Team', where)).toBe('condition')
  })

  it('is decided by one row if it names a unique key', async () => {
    const where = { members: { some: { userId: 2 } } }
    expect(await those('Team', where)).toEqual([1, 2])
    expect(asked).toEqual(['Team × 3', 'Member × 3'])
    expect(await those('Team', { members: { none: { userId: { equals: 2 } } } })).toEqual([3])
    expect(await those('Team', { members: { some: { userId: 2, role: 'GUEST' } } })).toEqual([2])
    // Unknown is not true, and so there is none.
    expect(await those('Team', { members: { none: { userId: 2, role: 'GUEST' } } })).toEqual([1, 3])
    expect(await those('Team', { members: { some: { userId: 'x' } } })).toBe('condition')
    expect(await those('Team', { members: { some: { userId: { in: [1, 2] } } } })).toEqual([1, 2])
    expect(asked).toEqual(['Team × 3', 'Member by teamId × 3'])
    expect(await those('Team', { members: { every: { userId: 2 } } })).toEqual([2, 3])
    expect(await those('Team', { members: { some: { role: 'GUEST', userId: 2 } } })).toEqual([2])
    expect(asked).toEqual(['Team × 3', 'Member × 3'])
    const unknown = { userId: 2, role: { contains: 'x' } }
    expect(await those('Team', { members: { some: unknown } })).toBe('condition')
    const reports = (some: object) => those('User', { id: { in: [1, 2, 3] }, reports: { some } })
    expect(await reports({ nick: 'c' })).toEqual([1])
    // Their own keys do not say whose they are.
    for (const key of [{ id: 2 }, { email: 'b@x' }]) expect(await reports(key)).toEqual([1])
  })

  it('is decided by lists of exactly its key', async () => {
    const decided = (by: readonly string[]) => {
      const where = { teamId: 1, userId: 1, notes: { some: {} } }
      return ask('Member', 'count', { where }, { caches: [cacheOf('Note', [lookupOf('Note', 'list', by)])] })
    }
    expect(await decided(['userId', 'teamId'])).toBe(1)
    expect(await decided(['teamId'])).toBe('condition')
    expect(await decided(['teamId', 'id'])).toBe('condition')
    const byId = [cacheOf('Tag', [lookupOf('Tag', 'list', ['id'])])]
    expect(await those('Team', { tags: { some: {} } }, { caches: byId })).toBe('condition')
  })

  it('is left to the database if rows are gone that others lead to, or have another key', async () => {
    const users = { ...cacheOf('User', []), getMany: async (ids: readonly unknown[]) => ids.map(() => null) }
    const where = { members: { some: { userId: 2, user: { nick: 'a' } } } }
    expect(await those('Team', where, { caches: [users] })).toBe('apart')
    const other = { teamId: 1, userId: 9, role: null }
    const members = {
      ...cacheOf('Member', []),
      getMany: async (ids: readonly unknown[]) => ids.map(() => other),
    }
    expect(await those('Team', { members: { some: { userId: 2 } } }, { caches: [members] })).toBe('id_value')
  })

  it('is decided by a list that has all rows of its conditions', async () => {
    expect(await those('Team', { members: { some: { role: 'ADMIN' } } }, { caches: [admins] })).toEqual([1])
    expect(await those('Team', { members: { some: {} } }, { caches: [admins] })).toBe('condition')
    expect(await those('Team', { members: { every: { role: 'ADMIN' } } }, { caches: [admins] })).toBe(
      'condition',
    )
  })

  it('is decided by a list with a limit as long as it has fewer rows', async () => {
    const one = { id: 2, members: { some: { role: 'GUEST' } } }
    expect(await ask('Team', 'findMany', { where: one }, { caches: [limited] })).toEqual([rows.Team![1]])
    expect(await those('Team', { members: { some: { role: 'GUEST' } } }, { caches: [limited] })).toBe(
      'paging',
    )
  })

  it('is looked at only for rows that fulfil the others', async () => {
    expect(await those('Team', { plan: 'free', members: { none: {} } })).toEqual([3])
    expect(asked).toEqual(['Team × 3', 'Member by teamId × 1'])
    expect(await those('Team', { plan: 'none', members: { none: {} } })).toEqual([])
    expect(asked).toEqual(['Team × 3'])
  })
})

describe('the rows of a relation with conditions', () => {
  const membersOf = (members: object, caches: readonly AnsweringCache[] = [cacheOf('Member', [])]) =>
    ask('Team', 'findMany', { where: { id: { in: [1, 2, 3] } }, select: { id: true, members } }, { caches })
  const [admin, second, guest] = rows.Member as [CachedRow, CachedRow, CachedRow]
  const each = (...members: (CachedRow | undefined)[]) =>
    members.map((member, i) => ({ id: i + 1, members: member ? [member] : [] }))

  it('are one at most if these name a unique key, which needs no list', async () => {
    expect(await membersOf({ where: { userId: 2 } })).toEqual(each(second, guest, undefined))
    expect(asked).toEqual(['Team × 3', 'Member × 3'])
    expect(await membersOf({ where: { AND: { userId: { equals: 2 } } }, take: 1 })).toEqual(
      each(second, guest, undefined),
    )
    expect(await membersOf({ where: { userId: 2, role: 'GUEST' } })).toEqual(
      each(undefined, guest, undefined),
    )
    expect(await membersOf({ where: { role: { not: null }, userId: 1 }, orderBy: { role: 'asc' } })).toEqual(
      each(admin, undefined, undefined),
    )
    expect(await membersOf({ where: { userId: 2 }, skip: 1 })).toEqual(each(undefined, undefined, undefined))
    expect(await membersOf({ where: { userId: 2, user: { nick: null } } })).toEqual(
      each(second, guest, undefined),
    )
    const select = { id: true, members: { where: { userId: 2 } } }
    expect(planOf('Team', 'findUnique', { where: { id: 1 }, select })).toMatchObject({
      related: [{ selection: { test: undefined } }],
    })
    const counted = { select: { _count: { select: { members: { where: { userId: 2 } } } } } }
    expect(await ask('Team', 'findUnique', { where: { id: 2 }, ...counted })).toEqual({
      _count: { members: 1 },
    })
  })

  it('are otherwise those of a list, or left to the database', async () => {
    const where = { userId: { in: [1, 2] }, role: 'ADMIN' }
    expect(await membersOf({ where })).toBe('relations')
    expect(await membersOf({ where }, standard)).toEqual(each(admin, undefined, undefined))
    expect(await membersOf({ where: { userId: 2, role: { contains: 'x' } } })).toBe('relations')
    expect(await membersOf({ where: { userId: 'x' } })).toBe('relations')
    expect(await membersOf({ where: { userId: 2 }, take: -1 })).toBe('relations')
    const byTag = { select: { id: true, teams: { where: { id: 1 } } }, where: { id: { in: [5] } } }
    expect(await ask('Tag', 'findMany', byTag, { caches: [cacheOf('Team', [])] })).toBe('relations')
  })
})

describe('relations that a query asks for', () => {
  const team = rows.Team![0]!
  const counted = (members: number) => ({ ...team, _count: { members } })

  it.each<[object, unknown]>([
    [{ _count: { select: { members: true } } }, counted(2)],
    [{ _count: { select: { members: true, tags: false } } }, counted(2)],
    [{ _count: { select: { members: { where: { role: 'ADMIN' } } } } }, counted(1)],
    [{ _count: { select: { members: {} } } }, counted(2)],
    [{ _count: true }, 'relations'],
    [{ _count: {} }, 'relations'],
    [{ _count: { select: true } }, 'relations'],
    [{ _count: { select: {} } }, 'relations'],
    [{ _count: { select: { members: false } } }, 'relations'],
    [{ _count: { select: { members: true }, where: {} } }, 'relations'],
    [{ _count: { select: { members: 1 } } }, 'relations'],
    [{ _count: { select: { members: { where: {}, take: 1 } } } }, 'relations'],
    [{ _count: { select: { members: { take: 1 } } } }, 'relations'],
    [{ _count: { select: { members: true, tags: true } } }, 'relations'],
    [{ members: { where: 1 } }, 'condition'],
    [{ members: { where: { role: { contains: 'x' } } } }, 'condition'],
    [{ members: { relationLoadStrategy: 'query' } }, 'argument'],
    [{ members: { other: 1 } }, 'argument'],
    [{ members: { select: { other: true } } }, 'relations'],
    [{ members: { include: { user: { where: {} } } } }, 'relations'],
    [{ others: true }, 'relations'],
    [{ tags: true }, 'relations'],
  ])('%j', async (include, expected) => {
    expect(await ask('Team', 'findUnique', { where: { id: 1 }, include })).toEqual(expected)
  })

  it('have no arguments where there is one row', async () => {
    const asUser = (boss: object, change?: Change) =>
      ask('User', 'findUnique', { where: { id: 2 }, select: { boss } }, change)
    expect(await asUser({ select: { id: true } })).toEqual({ boss: { id: 1 } })
    for (const args of [
      { where: {} },
      { orderBy: { id: 'asc' } },
      { take: 1 },
      { skip: 0 },
      { cursor: { id: 1 } },
    ])
      expect(await asUser({ ...args, select: { id: true } })).toBe('relations')
  })

  it('are left to the database with a query by a list, or through another relation, as by a key', async () => {
    const include = { members: { where: { role: { contains: 'x' } } } }
    expect(await ask('User', 'findMany', { where: { bossId: 1 }, include })).toBe('condition')
    expect(await ask('User', 'findMany', { where: { boss: { id: 1 } }, include })).toBe('condition')
    const members = { where: { id: 1 }, include: { members: true } }
    expect(await ask('Team', 'findUnique', members, { without: ['Member'] })).toBe('relations')
    expect(await ask('Team', 'findUnique', members, { isComposed: false })).toBe('relations')
    const count = { where: { id: 2 }, include: { _count: { select: { boss: true } } } }
    expect(await ask('User', 'findUnique', count)).toBe('relations')
  })

  it('need the fields of both sides in the caches', async () => {
    const withFields = (model: string, ...fields: string[]) => ({ caches: [cacheOf(model, [], fields)] })
    const boss = { where: { id: 2 }, select: { boss: { select: { nick: true } } } }
    expect(await ask('User', 'findUnique', boss, withFields('User', 'id', 'nick'))).toBe('fields')
    expect(await ask('User', 'findUnique', boss, withFields('User', 'id', 'bossId'))).toBe('fields')
    expect(await ask('User', 'findUnique', boss, withFields('User', 'id', 'bossId', 'nick'))).toEqual({
      boss: { nick: 'a' },
    })
    const member = { where: { id: 1 }, select: { member: true } }
    const note = withFields('Note', 'id', 'teamId')
    expect(await ask('Note', 'findUnique', member, note)).toBe('fields')
  })

  it('are found in the plan by what the fluent API calls', () => {
    const select = { members: { select: { user: { select: { id: true } }, role: true } }, id: true }
    const plan = planOf('Team', 'findUnique', { where: { id: 1 }, select }) as ReadPlan
    expect(planAt(plan, ['select', 'members']).readable.cache.model).toBe('Member')
    expect(planAt(plan, ['select', 'members', 'select', 'user']).readable.cache.model).toBe('User')
    expect(planAt(plan, [])).toBe(plan)
    expect(cachesIn(plan).map(({ model }) => model)).toEqual(['Team', 'Member', 'User'])
    const counts = { where: { id: 1 }, select: { _count: { select: { members: true } } } }
    const found = cachesIn(planOf('Team', 'findUnique', counts) as ReadPlan)
    expect(found.map(({ model }) => model)).toEqual(['Team', 'Member'])
  })

  it('come from the list that is certain to have them, has fewer rows, or fewer conditions to check', async () => {
    const named = (name: string, options: Options): AnsweringLookup => {
      const lookup = lookupOf('Member', 'list', ['teamId'], options)
      const findMany: AnsweringLookup['findMany'] = async (keys) => {
        const found = await lookup.findMany(keys)
        asked.push(name)
        return found
      }
      return { ...lookup, findMany }
    }
    const best = async (action: object, ...lookups: readonly AnsweringLookup[]) => {
      const used: (string | undefined)[] = []
      for (const order of [lookups, lookups.toReversed()]) {
        await ask(
          'Team',
          'findUnique',
          { where: { id: 1 }, select: action },
          { caches: [cacheOf('Member', order)] },
        )
        used.push(asked.at(-1))
      }
      return used
    }
    const orderBy = [{ userId: 'asc' }, { teamId: 'asc' }]
    const all = named('all', { orderBy })
    const ten = named('ten', { limit: 10, orderBy })
    const five = named('five', { limit: 5, orderBy })
    const admins = named('admins', { where: { role: 'ADMIN' }, orderBy })
    expect(await best({ _count: { select: { members: true } } }, all, ten)).toEqual(['all', 'all'])
    expect(await best({ members: { take: 3, orderBy } }, all, ten, five)).toEqual(['five', 'five'])
    expect(await best({ members: { where: { role: 'ADMIN' } } }, all, admins)).toEqual(['admins', 'admins'])
    expect(await best({ members: true }, all, admins)).toEqual(['all', 'all'])
  })
})

describe('the row of a relation', () => {
  it('is found by a unique key of several fields, the id or one that a cache declares, in any order', async () => {
    const args = { where: { id: { in: [1, 2] } }, include: { member: true } }
    const expected = [
      { ...rows.Note![0], member: rows.Member![0] },
      { ...rows.Note![1], member: null },
    ]
    expect(await ask('Note', 'findMany', args)).toEqual(expected)
    const seat = { where: { id: { in: [1, 2] } }, include: { seat: true } }
    const seats = (by: readonly string[]) => [cacheOf('Seat', [lookupOf('Seat', 'unique', by)])]
    for (const by of [
      ['hall', 'row'],
      ['row', 'hall'],
    ])
      expect(await ask('Ticket', 'findMany', seat, { caches: seats(by) })).toEqual([
        { ...rows.Ticket![0], seat: rows.Seat![0] },
        { ...rows.Ticket![1], seat: null },
      ])
    expect(await ask('Ticket', 'findMany', seat, { caches: [cacheOf('Seat', [])] })).toBe('relations')
  })
})

describe('a condition on the row of a relation', () => {
  it.each<[object, readonly number[] | string]>([
    [{ boss: { nick: 'a' } }, [2, 3]],
    [{ boss: { is: { nick: 'a' } } }, [2, 3]],
    [{ boss: { isNot: { nick: 'a' } } }, [1]],
    [{ boss: { isNot: { nick: 'x' } } }, [1, 2, 3]],
    [{ boss: { is: {} } }, [2, 3]],
    [{ boss: { isNot: {} } }, [1]],
    [{ boss: { is: { nick: 'a' }, isNot: { email: 'a@x' } } }, []],
    [{ NOT: { boss: { nick: 'a' } } }, [1]],
    [{ badge: null }, [2, 3]],
    [{ badge: { is: null } }, [2, 3]],
    [{ badge: { isNot: null } }, [1]],
    [{ badge: { id: 7 } }, [1]],
    [{ badge: { isNot: { id: 7 } } }, [2, 3]],
    [{ boss: {} }, 'condition'],
    [{ boss: { is: { nick: 'a' }, nick: 'a' } }, 'condition'],
    [{ boss: { is: 1 } }, 'condition'],
    [{ boss: [] }, 'condition'],
  ])('%j', async (where, expected) => {
    expect(await those('User', { id: { in: [1, 2, 3] }, ...where })).toEqual(expected)
  })

  it('that is null is decided by the foreign key', async () => {
    expect(await those('User', { boss: null })).toEqual([1])
    expect(asked).toEqual(['User × 4'])
    expect(await those('User', { boss: { is: null } })).toEqual([1])
    expect(await those('User', { boss: { isNot: null } })).toEqual([2, 3, 4])
    // Of several fields, all have to be null for Prisma.
    expect(await those('Note', { member: null })).toEqual([2])
    expect(await those('Note', { member: { isNot: null } })).toEqual([1])
    const seats = { caches: [cacheOf('Seat', [])] }
    expect(await those('Ticket', { seat: null }, seats)).toEqual([])
    expect(await those('Ticket', { seat: { isNot: null } }, seats)).toEqual([1, 2])
    expect(await those('Note', { member: { is: {} } })).toEqual([1])
    // Prisma refuses null for a row that always exists.
    const where = { teamId: 1, userId: 1, team: null }
    expect(await ask('Member', 'findFirst', { where })).toBe('condition')
  })

  it('is unknown where a value is null, which is not true, and its negation neither', async () => {
    const ofBoss = (condition: object) =>
      ask('User', 'count', { where: { id: 3, boss: { boss: condition } } })
    expect(await ask('Badge', 'count', { where: { id: 7, user: { nick: { not: 'x' } } } })).toBe(1)
    expect(await ofBoss({ nick: 'x' })).toBe(0)
    expect(await ask('Member', 'count', { where: { teamId: 1, userId: 2, user: { nick: 'x' } } })).toBe(0)
    expect(
      await ask('Member', 'count', { where: { teamId: 1, userId: 2, NOT: { user: { nick: 'x' } } } }),
    ).toBe(0)
    expect(
      await ask('Member', 'count', { where: { teamId: 1, userId: 2, user: { isNot: { nick: 'x' } } } }),
    ).toBe(0)
  })

  it('is left to the database if a foreign key leads to no row', async () => {
    const users = cacheOf('User', [])
    const getMany = async (ids: readonly unknown[]) =>
      (await users.getMany(ids)).map((row) => (row!.id === 1 ? null : row))
    const where = { teamId: 1, userId: 2, user: { boss: { nick: 'a' } } }
    expect(await ask('Member', 'count', { where }, { caches: [{ ...users, getMany }] })).toBe('apart')
    expect(await those('User', { boss: { nick: 'a' } })).toBe('apart')
  })

  it('needs the foreign key in the cache, and a cache with its key', async () => {
    const caches = [cacheOf('User', [], ['id', 'email', 'nick'])]
    const query = { where: { id: 1, boss: { nick: 'a' } }, select: { id: true } }
    expect(await ask('User', 'findMany', query, { caches })).toBe('condition')
    expect(await those('User', { badge: null }, { caches: [cacheOf('Badge', [])] })).toBe('condition')
    expect(await those('User', { badge: { is: {} } }, { without: ['Badge'] })).toBe('condition')
    expect(await those('Team', { members: { some: {} } }, { without: ['Member'] })).toBe('condition')
    const notes = [cacheOf('Note', [], ['id', 'teamId'])]
    const ofNote = { where: { id: 1, member: { is: {} } }, select: { id: true } }
    expect(await ask('Note', 'findMany', ofNote, { caches: notes })).toBe('condition')
  })
})

describe('rows to which others lead', () => {
  it.each<[string, object, readonly number[] | string]>([
    ['User', { boss: { email: 'a@x' } }, [2, 3]],
    ['User', { boss: { is: { id: 1 } }, nick: 'c' }, [3]],
    ['User', { boss: { id: 1, nick: 'z' } }, []],
    ['User', { boss: { boss: { email: 'a@x' } } }, []],
    ['Team', { members: { some: { userId: 2 } } }, [1, 2]],
    ['Team', { members: { some: { userId: 2, role: 'GUEST' } } }, [2]],
    ['Team', { members: { some: { user: { email: 'b@x' } } } }, [1, 2]],
    ['Team', { tags: { some: { id: 5, word: 'red' } } }, [1, 2]],
    ['Team', { tags: { some: { id: 5, word: 'blue' } } }, []],
    ['Badge', { user: { email: 'a@x' } }, [7]],
    ['User', { badge: { id: 7 } }, [1]],
    ['User', { badge: { id: 8 } }, []],
    ['User', { boss: { isNot: { id: 1 } } }, 'condition'],
    ['Team', { members: { every: { userId: 2 } } }, 'condition'],
    ['Team', { members: { none: { userId: 2 } } }, 'condition'],
    ['Team', { members: { some: { role: 'x' } } }, 'condition'],
    ['Team', { members: { some: { userId: 2 }, none: { userId: 1 } } }, 'condition'],
    // A team with both tags would be found twice.
    ['Team', { tags: { some: { OR: [{ id: 5 }, { id: 6 }] } } }, 'condition'],
    ['Team', { tags: { some: { word: 'red' } } }, 'condition'],
  ])('%s of %j', async (model, where, expected) => {
    const found = await ask(model, 'findMany', { where })
    expect(Array.isArray(found) ? found.map(({ id }) => id as unknown) : found).toEqual(expected)
  })

  it('are found once, and read together', async () => {
    const members = {
      some: {
        OR: [
          { teamId: 1, userId: 1 },
          { teamId: 1, userId: 2 },
        ],
      },
    }
    expect(await ask('Team', 'findMany', { where: { members } })).toEqual([rows.Team![0]])
    expect(asked).toEqual(['Member × 2', 'Team × 1'])
    const boss = { OR: [{ id: 1 }, { id: 4 }] }
    expect(await ask('User', 'count', { where: { boss } })).toBe(2)
    expect(asked).toEqual(['User × 2', 'User by bossId × 2'])
  })

  it('fulfil further conditions, also on relations, and have any order if there is one', async () => {
    const found = async (where: object, args: object = {}) => {
      const users = await ask('User', 'findMany', { where, ...args })
      return Array.isArray(users) ? users.map(({ id }) => id as unknown) : users
    }
    expect(await found({ bossId: 1, badge: null })).toEqual([2, 3])
    expect(await found({ bossId: 1, badge: { isNot: null } })).toEqual([])
    expect(await found({ badge: { id: 7 }, boss: null })).toEqual([1])
    expect(await found({ badge: { id: 7 }, reports: { none: {} } })).toEqual([])
    expect(await found({ badge: { id: 7 }, nick: { contains: 'a' } })).toBe('condition')
    expect(await found({ badge: { id: 7 } }, { orderBy: { nick: 'asc' } })).toEqual([1])
  })

  it('need the fields of both sides in the caches, and a cache with their key', async () => {
    const ofBadge = { where: { badge: { id: 7 } } }
    expect(await ask('User', 'findMany', ofBadge, { caches: [cacheOf('Badge', [], ['id'])] })).toBe(
      'condition',
    )
    const ofNote = { where: { notes: { some: { id: 1 } } } }
    expect(await ask('Member', 'findMany', ofNote)).toEqual([rows.Member![0]])
    const notes = [cacheOf('Note', [], ['id', 'teamId'])]
    expect(await ask('Member', 'findMany', ofNote, { caches: notes })).toBe('condition')
    const ofTicket = { where: { tickets: { some: { id: 1 } } } }
    const seats = (...lookups: AnsweringLookup[]) => ({ caches: [cacheOf('Seat', lookups)] })
    expect(await ask('Seat', 'findMany', ofTicket, seats())).toBe('condition')
    const byPlace = lookupOf('Seat', 'unique', ['hall', 'row'])
    expect(await ask('Seat', 'findMany', ofTicket, seats(byPlace))).toEqual(rows.Seat)
  })

  it('have an order, and pages in it', async () => {
    const page = (args: object) =>
      ask('Team', 'findMany', { where: { members: { some: { userId: 2 } } }, ...args })
    expect(await page({ orderBy: { id: 'desc' }, take: 1 })).toEqual([rows.Team![1]])
    expect(await page({ take: 1 })).toEqual([rows.Team![0]])
    expect(await page({ take: 2 })).toHaveLength(2)
    const first = (where: object) => ask('Team', 'findFirst', { where })
    expect(await first({ members: { some: { teamId: 2, userId: 2 } } })).toEqual(rows.Team![1])
    expect(await first({ members: { some: { userId: 2 } } })).toBe('order')
    expect(await first({ plan: null, members: { some: { userId: 2 } } })).toEqual(rows.Team![1])
  })

  it('are not found by findUnique, nor by a list that may lack some', async () => {
    expect(await ask('User', 'findUnique', { where: { boss: { id: 1 } } })).toBe('condition')
    const bossed = (limit: number) => [cacheOf('User', [lookupOf('User', 'list', ['bossId'], { limit })])]
    const query = { where: { boss: { id: 1 } }, orderBy: { id: 'asc' } }
    expect(await ask('User', 'findMany', { ...query, take: 2 }, { caches: bossed(2) })).toHaveLength(2)
    expect(await ask('User', 'findMany', { ...query, take: 3 }, { caches: bossed(2) })).toBe('paging')
    const several = { where: { boss: { OR: [{ id: 1 }, { id: 2 }] } }, orderBy: { id: 'asc' }, take: 2 }
    expect(await ask('User', 'findMany', several, { caches: bossed(2) })).toBe('condition')
  })

  it('leave a row to the database whose own one is gone', async () => {
    const caches = [
      { ...cacheOf('Team', []), getMany: async (ids: readonly unknown[]) => ids.map(() => null) },
    ]
    expect(await ask('Team', 'findMany', { where: { members: { some: { userId: 2 } } } }, { caches })).toBe(
      'apart',
    )
  })
})

it('has caches of several models answer only if these may make up a result', async () => {
  const where = { id: 1, members: { some: { userId: 1 } } }
  expect(await ask('Team', 'findUnique', { where }, { isComposed: false })).toBe('condition')
  expect(await ask('User', 'findMany', { where: { boss: { id: 1 } } }, { isComposed: false })).toBe(
    'condition',
  )
})

it('begins a page at a row that its id names', async () => {
  const from = (cursor: unknown) =>
    ask('Team', 'findMany', {
      where: { id: { in: [3, 1, 2] } },
      orderBy: { id: 'asc' },
      select: { id: true },
      cursor,
    })
  expect(await from({ id: 2 })).toEqual([{ id: 2 }, { id: 3 }])
  for (const cursor of [{ id: 9 }, { id: 'x' }, { plan: 'pro' }, { id: 2, plan: null }, {}, 2, null])
    expect([cursor, await from(cursor)]).toEqual([cursor, 'paging'])
  const key = { teamId: 1, userId: 2 }
  const args = { where: key, orderBy: { userId: 'asc' }, cursor: { teamId_userId: key } }
  expect(await ask('Member', 'findMany', args)).toBe('paging')
  expect(await ask('Member', 'findMany', { ...args, cursor: { teamId: 1 } })).toBe('paging')
  for (const action of ['findFirst', 'findFirstOrThrow'])
    expect(await ask('Team', action, { where: { id: 1 }, take: 2 })).toBe('paging')
})

it('names as many keys of a list as one statement has parameters for, with the values of other conditions', () => {
  const planned = (keys: number, others = {}) => {
    const bossId = { in: Array.from({ length: keys }, (_, n) => n) }
    return typeof planOf('User', 'findMany', { where: { bossId, ...others } })
  }
  expect(planned(32_750)).toBe('object')
  expect(planned(32_751)).toBe('string')
  const others = { nick: { in: ['a', 'b'] } }
  expect(planned(32_748, others)).toBe('object')
  expect(planned(32_749, others)).toBe('string')
})

it('takes values of other unique keys beside the one of findUnique, but no operators, and not null', async () => {
  const caches = [cacheOf('User', []), cacheOf('Badge', [])]
  const user = (where: object) =>
    ask('User', 'findUnique', { where: { id: 1, ...where }, select: { id: true } }, { caches })
  expect(await user({ email: 'a@x' })).toEqual({ id: 1 })
  expect(await user({ email: 'b@x' })).toBeNull()
  expect(await user({ email: null })).toBe('condition')
  expect(await user({ email: { equals: 'a@x' } })).toBe('condition')
  expect(await user({ AND: { email: { equals: 'a@x' } } })).toEqual({ id: 1 })
  expect(await user({ nick: { equals: 'a' } })).toEqual({ id: 1 })
  expect(await user({ nick: null })).toBeNull()
  expect(await ask('Badge', 'findUnique', { where: { id: 8, userId: null } }, { caches })).toBe('condition')
})

it('says which caches decide', () => {
  const named = (model: string, where: object) => {
    const plan = planOf(model, 'findMany', { where })
    return typeof plan === 'string' ? plan : cachesIn(plan).map(({ name }) => name)
  }
  expect(named('Team', { id: 1 })).toEqual(['Team'])
  expect(named('Team', { id: 1, plan: 'pro' })).toEqual(['Team'])
  expect(named('Team', { id: 1, members: { some: { user: { badge: null } } } })).toEqual([
    'Team',
    'Member',
    'User',
    'Badge',
  ])
  expect(named('Badge', { user: { email: 'a@x', boss: { is: {} } } })).toEqual(['Badge', 'User', 'User'])
})

it('counts the values of all conditions, as a statement takes only so many', () => {
  const userId = { in: Array.from({ length: 20_000 }, (_, n) => n) }
  const many = { members: { some: { userId } } }
  expect(planOf('Team', 'findMany', { where: { id: 1, ...many } })).toMatchObject({ ids: [1] })
  expect(planOf('Team', 'findMany', { where: { id: 1, AND: [many, many] } })).toBe('too_many_ids')
})
