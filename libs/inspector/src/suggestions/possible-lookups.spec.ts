import { describeSchemaText } from 'model-cache/internal'
import { possibleLookupsOf } from './possible-lookups.js'

const facts = describeSchemaText(`
datasource db {
  provider = "postgresql"
}
model Car {
  id      Int     @id
  zone    Int     @unique
  spot    Int
  place   Place   @relation(fields: [zone, spot], references: [zone, spot])
  formerId Int
  former  Place   @relation("Former", fields: [formerId], references: [id]) @ignore
  weight  Float   @unique
  drivers Driver[]
}
model Place {
  id     Int   @id
  zone   Int
  spot   Int
  cars   Car[]
  before Car[] @relation("Former")
  @@unique([zone, spot])
}
model Driver {
  id   Int   @id
  cars Car[]
}
model Log {
  hash  Bytes @id
  carId Int?  @unique
}`)
const possible = (name: string) => possibleLookupsOf(facts.models.get(name)!, facts)

describe('the lookups that a cache could have', () => {
  it('are its other unique keys, the foreign keys that the client has, and its many-to-many relations', () => {
    expect(possible('Car')).toEqual({
      unique: [{ name: 'zone', by: ['zone'] }],
      lists: [
        { name: 'ofPlace', by: ['zone', 'spot'] },
        { name: 'withDrivers', by: [], through: 'drivers' },
      ],
    })
    expect(possible('Place')).toEqual({ unique: [{ name: 'zone_spot', by: ['zone', 'spot'] }], lists: [] })
  })

  it('are none where no key can be an id', () => {
    expect(possible('Log')).toEqual({ unique: [], lists: [] })
  })
})

it('are folded where a collation compares the text of the key', () => {
  const { models, ...others } = describeSchemaText(`
datasource db {
  provider = "mysql"
}
model User {
  id    String @id
  email String @unique
  n     Int    @unique
  posts Post[]
  tags  Tag[]
}
model Post {
  id     Int    @id
  userId String
  user   User   @relation(fields: [userId], references: [id])
}
model Tag {
  name  String @id
  users User[]
}`)
  const found = (name: string) => possibleLookupsOf(models.get(name)!, { ...others, models })
  expect(found('User')).toEqual({
    unique: [
      { name: 'email', by: ['email'], fold: 'case' },
      { name: 'n', by: ['n'] },
    ],
    lists: [{ name: 'withTags', by: [], through: 'tags', fold: 'case' }],
  })
  expect(found('Post').lists).toEqual([{ name: 'ofUser', by: ['userId'], fold: 'case' }])
})
