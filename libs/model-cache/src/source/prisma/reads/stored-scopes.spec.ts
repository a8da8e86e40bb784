import { describeSchemaText } from '../schema/describe-schema.js'
import { storedScopesOf } from './stored-scopes.js'

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
  ['text without case that leads on', 'Account', { where: { login: 'Ada' }, include: { byLogin: true } }, ''],
  ['text without case that leads back', 'Guest', { where: { name: 'Ada' }, include: { account: true } }, ''],
  ['text with spaces at its end', 'Account', { where: { code: 'Ada' }, include: { byCode: true } }, ''],
  ['a UUID', 'Account', { where: { uuid }, include: { byUuid: true } }, `Visit uuid=${uuid}`],
  ['a UUID in capitals', 'Account', { where: { uuid: uuid.toUpperCase() }, include: { byUuid: true } }, ''],
])('names the rows of %s only where they have the value of the query', (_, model, args, expected) => {
  const found = storedScopesOf(models, by, { model, action: 'findMany', args })
  const texts = [...found].map(([name, scopes]) =>
    [name, ...scopes.map(({ field, value }) => `${field}=${String(value)}`)].join(' '),
  )
  expect(texts.join(', ')).toBe(expected)
})
