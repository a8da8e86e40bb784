import { type } from 'arktype'
import { compilePlan } from '../codec/compile-plan.js'
import { describeSchemaText } from '../source/prisma/schema/describe-schema.js'
import { DatabaseNames } from './database-names.js'

const { models } = describeSchemaText(`
enum Colour {
  RED
  BLUE @map("blue")
  @@map("colours")
}
model Car {
  plate   String @id @map("number_plate")
  colour  Colour
  makerId Int    @map("maker_id")
  maker   Maker  @relation(fields: [makerId], references: [code])
  trips   Trip[]
  clubs   Club[]
  @@map("cars")
}
model Maker {
  id   Int    @id
  code Int    @unique @map("short")
  name String @map("title")
  cars Car[]
}
model Trip {
  id    Int    @id
  plate String @map("car")
  car   Car    @relation(fields: [plate], references: [plate])
}
model Club {
  id   Int   @id
  cars Car[]
}
`)
const named = (model = 'Car') => new DatabaseNames(models, model)
const keysOf = ({ found }: DatabaseNames) => found.map((entry) => (entry as [string, unknown])[0])

const car = ['Car', ['public', 'cars']]
const maker = ['Maker', ['public', 'Maker']]
const carMaker = ['Car.maker', ['Maker', 'cars', null, ['makerId'], ['code'], [], []]]
const makerId = ['Car.makerId', ['maker_id']]
const code = ['Maker.code', ['short']]

describe('the database names of a definition', () => {
  it('are those of its table, and of fields that it names', () => {
    expect(named().found).toEqual([car])
    expect(named().addQuery('Car', 'plate').found).toEqual([car, ['Car.plate', ['number_plate']]])
  })

  it('are in alphabetical order, however they were found', () => {
    const values = [
      ['BLUE', 'blue'],
      ['RED', 'RED'],
    ]
    const found = [car, ['Car.colour', ['colour', values]], ['Car.plate', ['number_plate']]]
    expect(named().addQuery('Car', ['plate', 'colour']).found).toEqual(found)
    expect(named().addQuery('Car', ['colour', 'plate']).found).toEqual(found)
  })

  it('have the keys of a relation, of both sides, and the table at the other one', () => {
    expect(named().addQuery('Car', 'maker').found).toEqual([car, carMaker, makerId, maker, code])
    expect(named('Maker').addQuery('Maker', 'cars').found).toEqual([
      car,
      makerId,
      maker,
      ['Maker.cars', ['Car', 'maker', null, [], [], ['makerId'], ['code']]],
      code,
    ])
  })

  it('have the join table of a relation', () => {
    const joinTable = expect.objectContaining({ name: '_CarToClub' })
    expect(named().addQuery('Car', { clubs: true }).found).toContainEqual([
      'Car.clubs',
      ['Club', 'cars', joinTable, [], [], [], []],
    ])
  })

  it('are found at any depth of a query, and pass by its values', () => {
    const query = {
      select: { plate: true, maker: { select: { name: true }, where: { name: null, code: undefined } } },
      where: { OR: [{ colour: 'RED' }, { makerId: 4 }] },
    }
    expect(keysOf(named().addQuery('Car', query))).toEqual(
      'Car Car.colour Car.maker Car.makerId Car.plate Maker Maker.code Maker.name'.split(' '),
    )
    expect(keysOf(named().addQuery('Plane', query))).toEqual(['Car'])
  })

  it('have all relations that `_count: true` counts, and no others', () => {
    const counted = keysOf(named().addQuery('Car', { _count: true }))
    expect(counted).toEqual(
      'Car Car.clubs Car.maker Car.makerId Car.plate Car.trips Club Maker Maker.code Trip Trip.plate'.split(
        ' ',
      ),
    )
    expect(keysOf(named().addQuery('Car', { _count: false, plate: true }))).toEqual(['Car', 'Car.plate'])
    expect(keysOf(named().addQuery('Car', { _count: { select: { trips: true } } }))).toEqual(
      'Car Car.plate Car.trips Trip Trip.plate'.split(' '),
    )
  })

  it('are those of all fields of rows, also of lists and unions', () => {
    const trip = type({ id: 'number', plate: 'string' })
    const rows = type({ plate: 'string', maker: { name: 'string' }, trips: trip.array(), extra: 'object' })
    expect(keysOf(named().addRows('Car', compilePlan(rows, 'Car')))).toEqual(
      'Car Car.maker Car.makerId Car.plate Car.trips Maker Maker.code Maker.name Trip Trip.id Trip.plate'.split(
        ' ',
      ),
    )
    const one = type({ colour: "'RED'", plate: 'string' }).or({ colour: "'BLUE'", makerId: 'number' })
    expect(keysOf(named().addRows('Car', compilePlan(one, 'Car')))).toEqual(
      'Car Car.colour Car.makerId Car.plate'.split(' '),
    )
    expect(keysOf(named().addRows('Plane', compilePlan(rows, 'Car')))).toEqual(['Car'])
  })
})
