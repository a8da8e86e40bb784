import { describeSchemaText } from 'model-cache/internal'
import { suggestionRules } from './suggestion-rules.js'

const known = describeSchemaText(`
datasource db {
  provider = "postgresql"
}
model Car {
  id      Int      @id
  zone    Int      @unique
  spot    Int
  place   Place    @relation(fields: [zone, spot], references: [zone, spot])
  drivers Driver[]
}
model Place {
  id   Int   @id
  zone Int
  spot Int
  cars Car[]
  @@unique([zone, spot])
}
model Driver {
  id   Int   @id
  cars Car[]
}
model Coupon {
  code String @id
  slug String @unique
}
model Blob {
  hash Bytes @id
}
model Tick {
  at DateTime @id @db.Timestamptz(6)
}`)
const facts = {
  ...known,
  models: new Map([
    ...known.models,
    ['Broken', { ...known.models.get('Car')!, problem: 'a column is unknown' }],
  ]),
}

describe('what definitions of the models of a schema allow', () => {
  let rules: ReturnType<typeof suggestionRules>
  beforeEach(() => {
    rules = suggestionRules(facts)
  })

  it('is the id that a definition has without options, or else with the option `id`', () => {
    expect(rules.idOf('Car')).toEqual({ option: undefined, fields: ['id'] })
    expect(rules.idOf('Coupon')).toEqual({ option: 'code', fields: ['code'] })
  })

  it.each(['Blob', 'Tick', 'Broken', 'Unknown'])(
    'is no id of the model %s, whose rows cannot be cached',
    (name) => {
      expect(rules.idOf(name)).toBeUndefined()
      expect(rules.isPossible({ kind: 'unique', model: name, by: ['zone'] })).toBe(false)
    },
  )

  it('is a unique key with which an application would start', () => {
    expect(rules.isPossible({ kind: 'unique', model: 'Car', by: ['zone'] })).toBe(true)
    expect(rules.isPossible({ kind: 'unique', model: 'Car', by: ['spot'] })).toBe(false)
    expect(rules.isPossible({ kind: 'unique', model: 'Place', by: ['zone', 'spot'] })).toBe(true)
    expect(rules.isPossible({ kind: 'unique', model: 'Place', by: ['spot'] })).toBe(false)
  })

  it('is a list with which an application would start, with its options', () => {
    const list = (options: object) => rules.isPossible({ kind: 'list', model: 'Car', by: [], ...options })
    expect(list({ by: ['zone', 'spot'] })).toBe(true)
    expect(list({ by: ['nothing'] })).toBe(false)
    expect(list({ through: 'drivers' })).toBe(true)
    expect(list({ through: 'nothing' })).toBe(false)
    expect(list({ by: ['spot'], orderBy: { zone: 'asc' } })).toBe(true)
    expect(list({ by: ['spot'], orderBy: { nothing: 'asc' } })).toBe(false)
  })
})
