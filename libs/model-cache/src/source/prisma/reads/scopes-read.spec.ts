import { describeSchemaText } from '../schema/describe-schema.js'
import { asGiven, scopesRead } from './scopes-read.js'

const { models } = describeSchemaText(`
  datasource db {
    provider = "postgresql"
  }
  model User {
    id     Int     @id
    email  String  @unique
    mode   String?
    teamId Int?
    team   Team?   @relation(fields: [teamId], references: [id])
    orders Order[]
  }
  model Team {
    id    Int    @id
    users User[]
  }
  model Order {
    id       Int     @id
    number   Int
    state    String?
    userId   Int
    user     User    @relation(fields: [userId], references: [id])
    items    Item[]
    labels   Label[]
    parentId Int?
    parent   Order?  @relation("parts", fields: [parentId], references: [id])
    parts    Order[] @relation("parts")
    @@unique([userId, number])
    @@unique([state, number])
  }
  model Item {
    id      Int   @id
    orderId Int
    order   Order @relation(fields: [orderId], references: [id])
  }
  model Label {
    id     Int     @id
    orders Order[]
  }
`)
const by = new Map([
  ['Order', ['userId', 'parentId', 'id']],
  ['User', ['id', 'mode']],
  ['Item', ['orderId']],
  ['Label', ['id']],
])

/** The values of each model, as `Order userId=5, User id=5`. */
const scopes = (model: string, action: string, args: object): string =>
  [...scopesRead(models, by, { model, action, args: args as Readonly<Record<string, unknown>> }, asGiven)]
    .map(([name, found]) => [name, ...found.map(({ field, value }) => `${field}=${String(value)}`)].join(' '))
    .join(', ')

it.each<[string, args: object, scopes: string, model?: string]>([
  ['a value', { where: { userId: 5, state: { in: ['sent'] } } }, 'Order userId=5'],
  ['an `equals`', { where: { userId: { equals: 5 } } }, 'Order userId=5'],
  ['the first of several fields', { where: { id: 1, userId: 5 } }, 'Order userId=5'],
  ['a key of several fields', { where: { userId_number: { userId: 5, number: 1 } } }, 'Order userId=5'],
  ['no value', { where: { state: 'sent' } }, ''],
  ['another key', { where: { state_number: { state: 'sent', number: 1 } } }, ''],
  ['null', { where: { userId: null } }, ''],
  [
    'an operator that a field is named after',
    { where: { email: { equals: 'a', mode: 'insensitive' } } },
    '',
    'User',
  ],
  ['several values', { where: { userId: { in: [5, 6] } } }, ''],
  ['a range', { where: { userId: { gt: 5 } } }, ''],
  ['one branch of an OR', { where: { OR: [{ userId: 5 }, { userId: 6 }] } }, ''],
  ['other rows than these', { where: { NOT: { userId: 5 } } }, ''],
  ['a cursor, whose row may be another one', { where: { userId: 5 }, cursor: { id: 9 } }, ''],
  ['no condition', {}, ''],
  [
    'rows of a relation, by what leads to them',
    { where: { id: 5 }, include: { orders: { include: { items: true } } } },
    'User id=5, Order userId=5',
    'User',
  ],
  [
    'a row that leads to others of a relation',
    { where: { id: 7 }, include: { items: true, parts: true } },
    'Order id=7 parentId=7, Item orderId=7',
  ],
  [
    'a row to which others lead',
    { where: { userId: 5 }, select: { user: { select: { email: true } } } },
    'Order userId=5, User id=5',
  ],
  [
    'counts',
    { where: { id: 5 }, select: { _count: { select: { orders: { where: { state: 'sent' } } } } } },
    'User id=5, Order userId=5',
    'User',
  ],
  ['all counts', { where: { id: 5 }, include: { _count: true } }, 'User id=5, Order userId=5', 'User'],
  [
    'counts that are left out',
    { where: { id: 5 }, select: { id: true, _count: false } },
    'User id=5',
    'User',
  ],
  ['rows that are selected twice, once any of them', { where: { userId: 5 }, include: { parent: true } }, ''],
  ['a join table', { where: { id: 7 }, include: { labels: true } }, 'Order id=7'],
  [
    'a join table, which may connect other rows of these values',
    {
      where: { id: 7 },
      include: { labels: { where: { id: 3 } }, _count: { select: { labels: { where: { id: 4 } } } } },
    },
    'Order id=7',
  ],
  [
    'a condition on any rows of a relation',
    { where: { userId: 5, items: { some: { id: 1 } }, user: { email: 'x' } } },
    'Order userId=5',
  ],
  [
    'a condition on rows that lead back to the model',
    { where: { userId: 5, user: { orders: { some: { state: 'sent' } } } } },
    '',
  ],
  ['a condition on other rows of the model', { where: { userId: 5, parent: { state: 'sent' } } }, ''],
  ['an order by a relation', { where: { userId: 5 }, orderBy: { user: { email: 'asc' } } }, 'Order userId=5'],
  [
    'an order by other rows of the model',
    { where: { userId: 5 }, orderBy: { parts: { _count: 'asc' } } },
    '',
  ],
  [
    'rows of a relation with a value of their own',
    { where: { id: 1 }, include: { users: { where: { id: 5 }, include: { orders: true } } } },
    'User id=5, Order userId=5',
    'Team',
  ],
])('finds the rows that a query reads by %s', (_, args, expected, ...[model = 'Order']) => {
  expect(scopes(model, 'findMany', args)).toBe(expected)
})

it.each([
  ['count', { where: { userId: 5 }, select: { _all: true, state: true } }],
  ['aggregate', { where: { userId: 5 }, _sum: { number: true }, _count: true }],
  [
    'groupBy',
    { where: { userId: 5 }, by: ['state'], _count: { id: true }, having: { number: { _sum: { gt: 1 } } } },
  ],
])('finds those of %s', (action, args) => {
  expect(scopes('Order', action, args)).toBe('Order userId=5')
  expect(scopes('Order', action, { ...args, where: {} })).toBe('')
  expect(scopes('Order', action, { ...args, cursor: { id: 1 } })).toBe('')
})

it('knows no rows of a model that the client does not have', () => {
  expect(scopes('Missing', 'findMany', { where: { userId: 5 } })).toBe('')
})

describe('the values of rows', () => {
  const { models } = describeSchemaText(`
    datasource db {
      provider = "postgresql"
    }
    model Account {
      name    String  @id
      login   String  @unique @db.Citext
      code    String  @unique @db.Char(4)
      uuid    String  @unique @db.Uuid
      byName  Visit[] @relation("name")
      byLogin Visit[] @relation("login")
      byCode  Visit[] @relation("code")
      byUuid  Visit[] @relation("uuid")
      guests  Guest[]
    }
    model Visit {
      id      Int     @id
      name    String
      login   String
      code    String
      uuid    String
      ofName  Account @relation("name", fields: [name], references: [name])
      ofLogin Account @relation("login", fields: [login], references: [login])
      ofCode  Account @relation("code", fields: [code], references: [code])
      ofUuid  Account @relation("uuid", fields: [uuid], references: [uuid])
    }
    model Guest {
      name    String  @id @db.Citext
      account Account @relation(fields: [name], references: [name])
    }
  `)
  const by = new Map([
    ['Account', ['name']],
    ['Visit', ['name', 'login', 'code', 'uuid']],
    ['Guest', ['name']],
  ])
  const uuid = '5eed0000-0000-4000-a000-00000000000a'

  it.each<[string, model: string, args: Readonly<Record<string, unknown>>, scopes: string]>([
    ['text', 'Visit', { where: { name: 'Ada' } }, 'Visit name=Ada'],
    ['text without case', 'Guest', { where: { name: 'Ada' } }, ''],
    [
      'text that leads to several rows',
      'Account',
      { where: { name: 'Ada' }, include: { byName: true } },
      'Account name=Ada, Visit name=Ada',
    ],
    [
      'text that leads to one row',
      'Visit',
      { where: { name: 'Ada' }, include: { ofName: true } },
      'Visit name=Ada, Account name=Ada',
    ],
    [
      'text that leads to rows whose text is without case',
      'Account',
      { where: { name: 'Ada' }, include: { guests: true } },
      'Account name=Ada',
    ],
    // Rows of the relation have the text of the account, which the database finds by other spellings of it.
    [
      'text without case that leads on',
      'Account',
      { where: { login: 'Ada' }, include: { byLogin: true } },
      '',
    ],
    [
      'text without case that leads back',
      'Guest',
      { where: { name: 'Ada' }, include: { account: true } },
      '',
    ],
    ['text with spaces at its end', 'Account', { where: { code: 'Ada' }, include: { byCode: true } }, ''],
    ['a UUID', 'Account', { where: { uuid }, include: { byUuid: true } }, `Visit uuid=${uuid}`],
    ['a UUID in capitals', 'Account', { where: { uuid: uuid.toUpperCase() }, include: { byUuid: true } }, ''],
  ])('names the rows of %s only where they have the value of the query', (_, model, args, expected) => {
    const found = scopesRead(models, by, { model, action: 'findMany', args })
    const texts = [...found].map(([name, scopes]) =>
      [name, ...scopes.map(({ field, value }) => `${field}=${String(value)}`)].join(' '),
    )
    expect(texts.join(', ')).toBe(expected)
  })
})
