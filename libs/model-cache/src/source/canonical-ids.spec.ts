import { canonicalIdOf } from './canonical-ids.js'

const inlineSchema = `
model Ticket {
  id    String @id @db.Uuid
  email String @unique @db.Citext
  code  String @unique @db.Char(6)
  name  String @unique @db.VarChar(20)
  seat  Int    @unique
}
`
const types = { id: 'String', email: 'String', code: 'String', name: 'String', seat: 'Int' }
const fields = Object.entries(types).map(([name, type]) => ({ name, type, kind: 'scalar' }))
const clientOf = (provider: string): object => ({
  _runtimeDataModel: { models: { Ticket: { fields } } },
  _engineConfig: { inlineSchema },
  _activeProvider: provider,
})
const canonicalOf = (idFields: readonly string[], provider = 'postgresql') =>
  canonicalIdOf(clientOf(provider), 'Ticket', idFields)

const uuid = '0b9c1f5e-6d0f-4d7a-9b68-9e7c0f2f4c3a'

describe('the id as the database stores it', () => {
  it.each([uuid, uuid.toUpperCase(), `{${uuid}}`, uuid.replaceAll('-', '')])('is a UUID of %s', (id) => {
    expect(canonicalOf(['id'])!(id)).toBe(uuid)
  })

  it('is what it was where that is no UUID', () => {
    expect(canonicalOf(['id'])!('ABC')).toBe('ABC')
  })

  it('has each field of a compound id in its own form', () => {
    const id = { id: uuid.toUpperCase(), name: 'ABC', others: 1 }
    expect(canonicalOf(['name', 'id'])!(id)).toEqual({ id: uuid, name: 'ABC' })
  })

  it.each([[['email']], [['code']], [['id', 'email']]])('is unknown of %j', (idFields) => {
    expect(canonicalOf(idFields)!({})).toBeUndefined()
  })

  it('is taken as it is given where it has one spelling, or the schema does not tell', () => {
    expect(canonicalOf(['name'])).toBeUndefined()
    expect(canonicalOf(['seat', 'name'])).toBeUndefined()
    expect(canonicalOf(['missing'])).toBeUndefined()
    expect(canonicalOf(['code'], 'mysql')).toBeUndefined()
  })
})
