import { Decimal } from '@prisma/client/runtime/client'
import { canonicalIds } from './canonical-ids.js'
import type { Model, Scalar, SchemaFacts } from './schema-facts.js'

const scalar = (type: string, nativeType?: string): Scalar => ({
  column: 'any',
  type,
  nativeType,
  nativeArguments: [],
  isList: false,
  isNullable: false,
  isUpdatedAt: false,
  isKeptOut: false,
  databaseValues: undefined,
})
const scalars = new Map([
  ['id', scalar('String', 'Uuid')],
  ['email', scalar('String', 'Citext')],
  ['code', scalar('String', 'Char')],
  ['name', scalar('String', 'VarChar')],
  ['seat', scalar('Int')],
])
const ticket: Model = {
  name: 'Ticket',
  isVisible: true,
  table: undefined,
  primaryKey: ['id'],
  uniqueKeys: new Map(),
  nullableKeys: new Map(),
  scalars,
  relations: new Map(),
  relationTargets: new Map(),
  children: [],
  problem: undefined,
}
const facts: SchemaFacts = {
  provider: 'postgresql',
  models: new Map([['Ticket', ticket]]),
  omittedOf: () => undefined,
  Decimal,
}
const idsOf = (idFields: readonly string[], provider = 'postgresql') =>
  canonicalIds({ ...facts, provider }, 'Ticket', idFields)

const uuid = '0b9c1f5e-6d0f-4d7a-9b68-9e7c0f2f4c3a'

describe('canonicalOf', () => {
  it.each([uuid, uuid.toUpperCase(), `{${uuid}}`, uuid.replaceAll('-', '')])(
    'spells the UUID %s as the database does',
    (id) => {
      expect(idsOf(['id']).canonicalOf!(id)).toBe(uuid)
    },
  )

  it('leaves a value that is not a UUID as it is', () => {
    expect(idsOf(['id']).canonicalOf!('ABC')).toBe('ABC')
  })

  it('spells each field of a compound id, and drops other fields', () => {
    const id = { id: uuid.toUpperCase(), name: 'ABC', others: 1 }
    expect(idsOf(['name', 'id']).canonicalOf!(id)).toEqual({ id: uuid, name: 'ABC' })
  })

  it.each([[['email']], [['code']], [['id', 'email']]])(
    'returns undefined for %j, which only the database can compare',
    (idFields) => {
      expect(idsOf(idFields).canonicalOf!({})).toBeUndefined()
    },
  )

  it('is left out if ids have one spelling, or the schema does not say', () => {
    expect(idsOf(['name']).canonicalOf).toBeUndefined()
    expect(idsOf(['seat', 'name']).canonicalOf).toBeUndefined()
    expect(idsOf(['missing']).canonicalOf).toBeUndefined()
    expect(idsOf(['code'], 'mysql').canonicalOf).toBeUndefined()
  })
})

describe('isCanonical', () => {
  it('accepts the one spelling that the database returns', () => {
    const isCanonical = idsOf(['id']).isCanonical!
    expect([uuid, uuid.toUpperCase(), `{${uuid}}`].map(isCanonical)).toEqual([true, false, false])
  })

  it('is left out if the schema does not have the field', () => {
    expect(idsOf(['missing']).isCanonical).toBeUndefined()
  })
})
