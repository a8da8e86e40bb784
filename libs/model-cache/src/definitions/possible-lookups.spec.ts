import { describeSchemaText } from '../source/prisma/schema/describe-schema.js'
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
