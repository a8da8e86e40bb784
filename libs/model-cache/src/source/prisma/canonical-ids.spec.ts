import { describeSchemaText } from './schema/describe-schema.js'
import { isCanonicalUuid } from '../uuid.js'
import { canonicalIds } from './prisma-source.js'

const fields = `
  id    String @db.Uuid
  email String @db.Citext
  code  String @db.Char
  name  String @db.VarChar
  seat  Int
  small Int    @db.SmallInt
  short String @db.VarChar(8)`
const [facts, mysql] = ['postgresql', 'mysql'].map((provider) =>
  describeSchemaText(
    `datasource db {\n  provider = "${provider}"\n}\nmodel Ticket {${fields}\n  @@id([id])\n}`,
  ),
) as [ReturnType<typeof describeSchemaText>, ReturnType<typeof describeSchemaText>]
const idsOf = (idFields: readonly string[]) => canonicalIds(facts, 'Ticket', idFields)

const uuid = '0b9c1f5e-6d0f-4d7a-9b68-9e7c0f2f4c3a'

describe('canonicalOf', () => {
  it.each([uuid, uuid.toUpperCase(), `{${uuid}}`, uuid.replaceAll('-', '')])(
    'spells the UUID %s as the database does',
    (id) => {
      expect(idsOf(['id']).canonicalOf!(id)).toBe(uuid)
    },
  )

  it.each(['ABC', 7, `${uuid}0`, `0${uuid}`])('leaves %j, which is not a UUID, as it is', (id) => {
    expect(idsOf(['id']).canonicalOf!(id)).toBe(id)
  })

  it('spells each field of a compound id, and drops other fields', () => {
    const id = { id: uuid.toUpperCase(), name: 'ABC', others: 1 }
    expect(idsOf(['name', 'id']).canonicalOf!(id)).toEqual({ id: uuid, name: 'ABC' })
  })

  it.each([[['email']], [['code']], [['id', 'email']]])(
    'returns undefined for %j, which only the database can compare',
    (idFields) => {
      expect(idsOf(idFields).canonicalOf!({ id: uuid, email: 'a' })).toBeUndefined()
    },
  )

  it('is the value itself if ids have one spelling', () => {
    expect(idsOf(['name']).canonicalOf!('a')).toBe('a')
    expect(idsOf(['seat', 'name']).canonicalOf!({ seat: 1, name: 'a' })).toEqual({ seat: 1, name: 'a' })
  })

  it('is left out if the schema does not say', () => {
    expect(idsOf(['missing']).canonicalOf).toBeUndefined()
  })
})

describe('isCanonical', () => {
  it('accepts the one spelling that the database returns', () => {
    const isCanonical = idsOf(['id']).isCanonical!
    expect([uuid, uuid.toUpperCase(), `{${uuid}}`].map(isCanonical)).toEqual([true, false, false])
  })

  it.each([
    `${uuid}0`,
    `0${uuid}`,
    `${uuid} or so`,
    uuid.slice(1),
    uuid.slice(0, -1),
    uuid.replace('-4d7a-', '-'),
    uuid.replace('4d7a', '4d7'),
    uuid.replaceAll('-', ''),
    uuid.replaceAll(/[a-f]/g, 'g'),
    'ABC',
    7,
  ])('accepts no %s as a UUID', (id) => {
    expect(idsOf(['id']).isCanonical!(id)).toBe(false)
    expect(isCanonicalUuid(String(id))).toBe(false)
  })

  it('accepts all values that have one spelling, and no text of types that have several', () => {
    const ids: [string, boolean][] = [
      ['seat', true],
      ['small', true],
      ['name', true],
      ['code', false],
      ['email', false],
    ]
    for (const [field, expected] of ids) expect(idsOf([field]).isCanonical!('Abc')).toBe(expected)
    expect(canonicalIds(mysql, 'Ticket', ['name']).isCanonical!('Abc')).toBe(false)
  })

  it('accepts a compound id if it accepts each of its fields', () => {
    const isCanonical = idsOf(['id', 'seat']).isCanonical!
    expect([uuid, uuid.toUpperCase()].map((id) => isCanonical({ id, seat: 1 }))).toEqual([true, false])
    expect(idsOf(['seat', 'code']).isCanonical!({ seat: 1, code: 'a' })).toBe(false)
  })

  it('is left out if the schema does not have the field, or the model', () => {
    expect(idsOf(['missing']).isCanonical).toBeUndefined()
    expect(canonicalIds(facts, 'Missing', ['id'])).toEqual({})
  })
})

it('takes no id for canonical that is longer than its column', () => {
  const isCanonical = idsOf(['short']).isCanonical!
  expect(['', '12345678', '123456789', 123456789].map(isCanonical)).toEqual([true, true, false, true])
})
