import type { WriteUnit } from '../../write-coordinator.js'
import type { Args } from '../internals.js'
import { describeSchemaText } from '../schema/describe-schema.js'
import { planWrite } from './plan-write.js'

const { models } = describeSchemaText(`
  datasource db {
    provider = "postgresql"
  }
  model Team {
    id      Int      @id
    name    String   @unique
    players Player[]
  }
  model Player {
    id      Int     @id
    number  Int     @unique
    name    String
    price   Decimal
    teamId  Int?
    team    Team?   @relation(fields: [teamId], references: [id], onDelete: Cascade)
    goals   Goal[]
    friends Player[] @relation("friends")
    friendOf Player[] @relation("friends")
  }
  model Goal {
    id       Int    @id
    playerId Int
    player   Player @relation(fields: [playerId], references: [id], onDelete: Cascade)
  }
  model Node {
    id       Int    @id
    parentId Int?
    parent   Node?  @relation("tree", fields: [parentId], references: [id], onDelete: SetNull)
    children Node[] @relation("tree")
  }
  model Branch {
    id       Int      @id
    parentId Int?
    parent   Branch?  @relation("tree", fields: [parentId], references: [id], onDelete: Cascade)
    children Branch[] @relation("tree")
    leaves   Leaf[]
  }
  model Leaf {
    id       Int    @id
    branchId Int
    branch   Branch @relation(fields: [branchId], references: [id], onDelete: Cascade)
  }
  model Price {
    amount  Decimal @id
    code    Int     @unique
    offers  Offer[]
  }
  model Offer {
    id     Int     @id
    amount Decimal
    price  Price   @relation(fields: [amount], references: [amount], onDelete: Cascade)
  }
  model Seat {
    row    Int
    number Int
    label  String @unique
    @@id([row, number])
  }
  model Route {
    length Decimal @id
    stops  Stop[]
  }
  model Stop {
    id     Int     @id
    length Decimal
    route  Route   @relation(fields: [length], references: [length], onDelete: Cascade)
  }
`)

interface Options {
  /** The id fields of the caches of each model. @default the id */
  readonly caches?: Record<string, string[][]>
  /** Whether the database returns what it has written, as PostgreSQL does and MySQL does not. */
  readonly returns?: boolean
}

const never = (): never => {
  throw new Error('planning begins nothing')
}

function builderOf(model: string, operation: string, args: Args, { caches, returns = true }: Options = {}) {
  const coordinator = {
    idFieldsOf: (name: string) => (caches ? (caches[name] ?? []) : [['id']]),
    lookupsOf: () => [],
    prepare: never,
    begin: never,
    within: never,
  }
  const planning = {
    models,
    coordinator,
    limit: 3,
    groupsPerQuery: 50,
    returnsCreated: returns,
    locksRows: true,
  }
  return planWrite(planning, model, operation, args)
}

/** What a query marks, and how it has to run. */
function planOf(...query: Parameters<typeof builderOf>) {
  const plan = builderOf(...query)
  if (!plan) return undefined
  const affected: unknown[] = []
  plan.affected.announceTo({
    markWritten: (name, rows) => affected.push([name, ...rows]),
    markAllWritten: (name, reason) => affected.push(`${name}: ${reason}`),
    markCreated: (name, reason) => affected.push(`${name} created: ${reason}`),
  } as Partial<WriteUnit> as WriteUnit)
  const { mode, unknown, claim } = plan
  return { affected, mode, unknown, ...(claim && { claim }) }
}
const restricted = { affected: [], mode: 'restricted', unknown: 'any' }
const onlyPlayers = { caches: { Player: [['id']] } }
const claimOf = (...[model, operation, args, options]: Parameters<typeof planOf>) =>
  planOf(model, operation, args, options)?.claim

describe('deleteMany', () => {
  it('deletes the rows that were selected before, if its arguments do not name them', () => {
    const where = { name: 'a' }
    expect(planOf('Goal', 'deleteMany', { where: { playerId: 1 } })).toEqual(restricted)
    expect(planOf('Player', 'deleteMany', { where }, onlyPlayers)).toEqual(restricted)
    expect(planOf('Node', 'deleteMany', {})).toMatchObject({ mode: 'restricted', unknown: 'any' })
    expect(planOf('Route', 'deleteMany', { where: {} }, { caches: { Route: [['length']] } })).toEqual(
      restricted,
    )
  })

  it('runs as it is if its arguments name all rows', () => {
    expect(planOf('Goal', 'deleteMany', { where: { id: { in: [1, 2] } } })).toEqual({
      affected: [['Goal', { id: 1 }, { id: 2 }]],
      mode: 'plain',
      unknown: 'none',
    })
  })

  it('claims the rows whose children the database deletes with them', () => {
    const where = { name: 'a' }
    const claim = { where, pinned: undefined, showsIds: false, isSelfContained: true }
    expect(planOf('Player', 'deleteMany', { where })).toEqual({ ...restricted, claim })
    expect(claimOf('Player', 'deleteMany', { where, limit: 2 })).toMatchObject({ isSelfContained: false })
    expect(claimOf('Team', 'deleteMany', { where: { players: { some: {} } } })).toMatchObject({
      isSelfContained: false,
    })
    expect(planOf('Team', 'deleteMany', { where: { id: 1 } })).toMatchObject({
      affected: [['Team', { id: 1 }]],
      mode: 'restricted',
      unknown: 'none',
      claim: { where: { id: 1 }, isSelfContained: true },
    })
  })

  it('is one statement if the rows that the first one deletes decide what the next one matches', () => {
    const isOne = (model: string, where: Args, caches?: Options['caches']) =>
      builderOf(model, 'deleteMany', { where }, caches && { caches })!.isOneStatement
    expect(isOne('Player', { goals: { some: {} } }, onlyPlayers.caches)).toBe(true)
    expect(isOne('Player', { goals: { some: {} } })).toBe(true)
    expect(isOne('Player', { friends: { some: {} } }, onlyPlayers.caches)).toBe(true)
    expect(isOne('Branch', { id: { gt: 1 } })).toBe(true)
    // The database keeps the rows below.
    expect(isOne('Node', { id: { gt: 1 } })).toBe(false)
    // Their teams stay.
    expect(isOne('Player', { team: { name: 'a' } }, onlyPlayers.caches)).toBe(false)
    expect(planOf('Player', 'deleteMany', { where: { team: { name: 'a' } } }, onlyPlayers)).toEqual(
      restricted,
    )
  })

  it('affects all rows if those that are gone afterwards need not be the ones that matched', () => {
    const all = (...affected: readonly string[]) => ({ affected, mode: 'plain', unknown: 'none' })
    const where = { children: { some: {} } }
    expect(planOf('Branch', 'deleteMany', { where })).toEqual(all('Branch: cascade', 'Leaf: cascade'))
    expect(planOf('Node', 'deleteMany', { where })).toMatchObject(restricted)
    const limited = { where: { friends: { some: {} } }, limit: 2 }
    expect(planOf('Player', 'deleteMany', limited, onlyPlayers)).toEqual(all('Player: unknown'))
  })

  it('claims rows whose ids may change before it, if the database does not return them', () => {
    const claim = (where: Args, ...ids: string[]) =>
      claimOf(
        'Player',
        'deleteMany',
        { where },
        { caches: { Player: ids.map((id) => [id]) }, returns: false },
      )
    const where = { name: 'a' }
    expect(claim(where, 'number')).toMatchObject({ where, showsIds: true })
    expect(claim(where, 'id', 'number')).toMatchObject({ where, showsIds: true })
    expect(claim(where, 'id')).toBeUndefined()
    expect(claim({ number: { in: [1, 2] } }, 'number')).toBeUndefined()
  })

  it('claims rows by another unique key if a query does not find them again by their primary key', () => {
    const where = { code: { gt: 1 } }
    const ofOffers = { caches: { Offer: [['id']] } }
    expect(claimOf('Price', 'deleteMany', { where }, ofOffers)).toMatchObject({ where })
    const ofStops = { caches: { Stop: [['id']] } }
    expect(planOf('Route', 'deleteMany', { where: {} }, ofStops)).toEqual({
      affected: ['Stop: cascade'],
      mode: 'plain',
      unknown: 'none',
    })
  })
})

describe('updateMany', () => {
  const data = { name: 'b' }

  it('has the database return the rows, or updates those that were selected before', () => {
    const args = { where: { name: 'a' }, data }
    expect(planOf('Player', 'updateMany', args)).toEqual({ ...restricted, mode: 'update-returning' })
    expect(planOf('Player', 'updateMany', args, { returns: false })).toEqual(restricted)
    expect(planOf('Player', 'updateManyAndReturn', args)).toEqual({ ...restricted, mode: 'returning' })
  })

  it('runs as it is if its arguments name all rows', () => {
    for (const returns of [true, false]) {
      expect(planOf('Player', 'updateMany', { where: { id: 1 }, data }, { returns })).toEqual({
        affected: [['Player', { id: 1 }]],
        mode: 'plain',
        unknown: 'none',
      })
    }
  })

  it('affects all rows if it filters by rows that it changes, and the database does not return them', () => {
    const where = { friends: { some: { name: 'a' } } }
    expect(planOf('Player', 'updateMany', { where, data }, { returns: false })).toEqual({
      affected: ['Player: unknown'],
      mode: 'plain',
      unknown: 'none',
    })
    const byTeam = { where: { team: { name: 'a' } }, data }
    expect(planOf('Player', 'updateMany', byTeam, { returns: false })).toEqual(restricted)
    // The database changes the offers with their prices.
    const raise = (where: Args) => {
      const raised = { where, data: { amount: { increment: 1 } } }
      return planOf('Price', 'updateMany', raised, { caches: { Price: [['amount']] }, returns: false })
    }
    expect(raise({ offers: { some: {} } })).toMatchObject({ affected: ['Price: unknown'], mode: 'plain' })
    expect(raise({ code: { gt: 1 } })).toMatchObject(restricted)
  })

  it('affects all rows if it changes their ids and their keys, and the database does not return them', () => {
    const plan = (data: Args) =>
      planOf('Seat', 'updateMany', { data }, { caches: { Seat: [['label']] }, returns: false })
    const increment = { increment: 1 }
    expect(plan({ number: increment, label: 'a' })).toMatchObject({
      affected: ['Seat: unknown'],
      mode: 'plain',
    })
    expect(plan({ label: 'a' })).toMatchObject({ ...restricted, claim: { showsIds: true } })
  })

  it('claims rows whose ids change, and says whether they match by their own fields', () => {
    const caches = { Player: [['number']] }
    const claim = (args: Args) =>
      claimOf('Player', 'updateMany', { data: { number: { increment: 1 } }, ...args }, { caches })
    const where = { name: 'a' }
    expect(claim({ where })).toEqual({ where, pinned: undefined, showsIds: true, isSelfContained: true })
    expect(claim({})).toMatchObject({ where: {}, isSelfContained: true })
    expect(claim({ where, limit: 1 })).toMatchObject({ isSelfContained: false })
    expect(claim({ where: { team: { name: 'a' } } })).toMatchObject({ isSelfContained: false })
    expect(claim({ where, data: { number: 5 } })).toMatchObject({ showsIds: true })
  })

  it('writes nothing without values', () => {
    for (const nothing of [{}, { name: undefined }])
      expect(planOf('Player', 'updateMany', { where: {}, data: nothing })).toBeUndefined()
    const some = { where: {}, data: { ...data, number: undefined } }
    expect(planOf('Player', 'updateManyAndReturn', some)).toMatchObject({ mode: 'returning' })
  })

  it('has the rows returned if its arguments name only some of them', () => {
    const where = { OR: [{ id: 1 }, { name: 'a' }] }
    expect(planOf('Player', 'updateMany', { where, data })).toEqual({
      ...restricted,
      mode: 'update-returning',
    })
  })

  it('affects all rows if ids change and a query does not find the rows again by any key', () => {
    const args = { where: { length: { gt: 1 } }, data: { length: { increment: 1 } } }
    expect(planOf('Route', 'updateMany', args, { caches: { Route: [['length']] } })).toEqual({
      affected: ['Route: unknown'],
      mode: 'plain',
      unknown: 'none',
    })
  })
})

describe('createMany', () => {
  const rows = (...ids: readonly (number | undefined)[]) => ({
    data: ids.map((id) => ({ ...(id !== undefined && { id }), playerId: 1 })),
  })

  it('marks the rows whose ids it is given', () => {
    expect(planOf('Goal', 'createMany', rows(1, 2, 3))).toEqual({
      affected: [['Goal', { id: 1 }, { id: 2 }, { id: 3 }]],
      mode: 'plain',
      unknown: 'none',
    })
  })

  it('has the database return the others, or affects what is not known of them', () => {
    expect(planOf('Goal', 'createMany', rows(1, undefined))).toEqual({
      affected: [],
      mode: 'create-returning',
      unknown: 'created',
    })
    expect(planOf('Goal', 'createManyAndReturn', rows(undefined))).toMatchObject({ mode: 'returning' })
    expect(planOf('Goal', 'createMany', rows(1, undefined), { returns: false })).toEqual({
      affected: ['Goal created: unknown'],
      mode: 'plain',
      unknown: 'none',
    })
  })

  it('counts more rows than the limit as unknown new ones', () => {
    for (const ids of [
      [1, 2, 3, 4],
      [1, 2, undefined, 4],
    ]) {
      expect(planOf('Goal', 'createMany', rows(...ids))).toEqual({
        affected: ['Goal created: unbounded'],
        mode: 'plain',
        unknown: 'none',
      })
    }
    expect(planOf('Goal', 'createMany', rows(1, 2, undefined))).toMatchObject({ mode: 'create-returning' })
  })

  it('looks at none of the rows if there are more than the limit, so that its time does not grow with them', () => {
    let looks = 0
    const row = new Proxy({}, { ownKeys: () => ((looks += 1), []), get: () => void (looks += 1) })
    const data = Array.from({ length: 4 }, () => row)
    expect(planOf('Player', 'createMany', { data })?.affected).toEqual(['Player created: unbounded'])
    const goals = { createMany: { data } }
    expect(planOf('Player', 'create', { data: { id: 1, goals } })?.affected).toEqual([
      ['Player', { id: 1 }],
      'Goal created: unbounded',
    ])
    expect(looks).toBe(0)
    planOf('Player', 'createMany', { data: data.slice(1) })
    expect(looks).toBeGreaterThan(0)
  })
})

describe('a write to a model that only caches of other models depend on', () => {
  const caches = { Goal: [[]] }

  it.each([
    ['createMany', { data: [{ playerId: 1 }] }],
    ['createMany', { data: [1, 2, 3, 4].map((id) => ({ id })) }],
    ['createManyAndReturn', { data: [{ playerId: 1 }] }],
    ['updateMany', { data: { playerId: 2 } }],
    ['updateMany', { where: { id: { in: [1, 2, 3, 4] } }, data: { playerId: 2 } }],
    ['deleteMany', {}],
  ])('marks the model, whichever rows it writes: %s', (operation, args) => {
    expect(planOf('Goal', operation, args, { caches })).toEqual({
      affected: [['Goal', {}]],
      mode: 'plain',
      unknown: 'none',
    })
  })
})

describe('a write to a model whose ids a load computes', () => {
  it.each([
    ['create', { data: { id: 1, playerId: 1 } }],
    ['createMany', { data: [{ id: 1, playerId: 1 }] }],
    ['update', { where: { id: 1 }, data: { playerId: 2 } }],
    ['updateMany', { where: { id: 1 }, data: { playerId: 2 } }],
    ['deleteMany', { where: { id: 1 } }],
    ['delete', { where: { id: 1 } }],
  ])('affects all rows: %s', (operation, args) => {
    for (const idFields of [['score'], ['id', 'score']]) {
      for (const returns of [true, false]) {
        expect(planOf('Goal', operation, args, { caches: { Goal: [idFields] }, returns })).toEqual({
          affected: ['Goal: unknown'],
          mode: 'plain',
          unknown: 'none',
        })
      }
    }
  })
})

describe('a write of one row', () => {
  const number = { number: 1 }

  it('claims the row that it deletes if the database does not return it', () => {
    const claim = (where: Args, returns: boolean) => claimOf('Goal', 'delete', { where }, { returns })
    const where = { playerId: 1 }
    expect(claim(where, false)).toMatchObject({ where, showsIds: true })
    expect(claim(where, true)).toBeUndefined()
    expect(claim({ id: 1 }, false)).toBeUndefined()
  })

  it('that finds or creates it returns it, whichever it is', () => {
    const args = { where: number, update: { name: 'b' }, create: { ...number, name: 'a' } }
    expect(planOf('Player', 'upsert', args)).toEqual({ affected: [], mode: 'returning', unknown: 'any' })
  })

  it('affects all rows below it if no query finds it again', () => {
    const caches = { Route: [['length']], Stop: [['id']] }
    const where = { length: 1 }
    const returning = { mode: 'returning', unknown: 'any' }
    expect(planOf('Route', 'delete', { where }, { caches })).toEqual({
      affected: ['Stop: cascade'],
      ...returning,
    })
    const stops = { deleteMany: {} }
    expect(planOf('Route', 'update', { where, data: { stops } }, { caches })).toEqual({
      affected: ['Stop: nested'],
      ...returning,
    })
  })
})
