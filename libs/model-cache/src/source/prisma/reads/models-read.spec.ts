import { describeSchemaText } from '../schema/describe-schema.js'
import { modelsRead } from './models-read.js'

const { models } = describeSchemaText(`
  datasource db {
    provider = "postgresql"
  }
  model User {
    id    Int    @id
    name  String
    meta  Json?
    posts Post[]
    team  Team?  @relation(fields: [teamId], references: [id])
    teamId Int?
  }
  model Team {
    id    Int    @id
    users User[]
  }
  model Post {
    id       Int   @id
    author   User  @relation(fields: [authorId], references: [id])
    authorId Int
    tags     Tag[]
  }
  model Tag {
    id    Int    @id
    posts Post[]
  }
`)

const read = (action: string, args: object): readonly string[] =>
  [...modelsRead(models, { model: 'User', action, args })].toSorted()

it.each<[args: object, models: readonly string[]]>([
  [{}, ['User']],
  [{ where: { name: 'x' }, orderBy: { name: 'asc' }, select: { id: true, _count: false } }, ['User']],
  [{ include: { posts: true } }, ['Post', 'User']],
  [{ select: { posts: { select: { tags: { where: { id: 1 } } } } } }, ['Post', 'Tag', 'User']],
  [{ where: { posts: { some: { tags: { none: { id: 1 } } } } } }, ['Post', 'Tag', 'User']],
  [{ where: { team: null } }, ['Team', 'User']],
  [{ where: { OR: [{ name: 'x' }, { NOT: [{ team: { is: { id: 1 } } }] }] } }, ['Team', 'User']],
  [{ orderBy: [{ name: 'asc' }, { team: { id: 'asc' } }] }, ['Team', 'User']],
  [{ orderBy: { posts: { _count: 'desc' } } }, ['Post', 'User']],
  [{ include: { _count: true } }, ['Post', 'User']],
  [
    { include: { _count: { select: { posts: { where: { tags: { some: {} } } } } } } },
    ['Post', 'Tag', 'User'],
  ],
  [{ select: { team: { select: { _count: true } } } }, ['Team', 'User']],
  // There may be more of them.
  [{ where: { meta: { equals: { team: 1 } } } }, ['Team', 'User']],
])('of %j', (args, expected) => {
  expect(read('findMany', args)).toEqual(expected)
})

it.each<[action: string, args: object, models: readonly string[]]>([
  ['aggregate', { _count: true, _max: { id: true }, where: { team: { id: 1 } } }, ['Team', 'User']],
  ['groupBy', { by: ['name'], _count: true, having: { id: { _max: { gt: 1 } } } }, ['User']],
  ['count', { select: { _all: true }, where: { posts: { every: { id: 1 } } } }, ['Post', 'User']],
  ['count', { cursor: { id: 1 }, orderBy: { team: { id: 'asc' } } }, ['Team', 'User']],
])('of %s %j', (action, args, expected) => {
  expect(read(action, args)).toEqual(expected)
})

it('of conditions and orders behind arguments that relations have as their names', () => {
  const { models } = describeSchemaText(`
    datasource db {
      provider = "postgresql"
    }
    model Party {
      id      Int   @id
      where   Place @relation(fields: [placeId], references: [id])
      placeId Int
      orderBy Guest @relation("orders", fields: [guestId], references: [id])
      guestId Int
      guests  Guest[] @relation("guests")
    }
    model Place {
      id      Int     @id
      parties Party[]
    }
    model Guest {
      id      Int     @id
      orders  Party[] @relation("orders")
      parties Party[] @relation("guests")
      homeId  Int
      home    Home    @relation(fields: [homeId], references: [id])
    }
    model Home {
      id     Int     @id
      guests Guest[]
    }
  `)
  const read = (args: object) =>
    [...modelsRead(models, { model: 'Party', action: 'findMany', args })].toSorted()
  const guests = { some: { home: { id: 1 } } }
  expect(read({ where: { id: 1 }, orderBy: { id: 'asc' } })).toEqual(['Party'])
  expect(read({ where: { guests } })).toEqual(['Guest', 'Home', 'Party'])
  expect(read({ where: { where: { parties: { every: { guests } } } } })).toEqual([
    'Guest',
    'Home',
    'Party',
    'Place',
  ])
  expect(read({ orderBy: { orderBy: { home: { id: 'asc' } } } })).toEqual(['Guest', 'Home', 'Party'])
  expect(read({ orderBy: { where: { id: 'asc' } } })).toEqual(['Party', 'Place'])
})
