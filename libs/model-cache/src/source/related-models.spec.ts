import { describeSchemaText } from './prisma/schema/describe-schema.js'
import { relatedModelsOf } from './related-models.js'
import type { Model, Models } from './schema-facts.js'

const model = (name: string, relationTargets: Record<string, string>): [string, Model] => [
  name,
  {
    name,
    isView: false,
    isVisible: true,
    table: { schema: 'public', name: 'T' },
    primaryKey: ['id'],
    uniqueKeys: new Map(),
    nullableKeys: new Map(),
    indexes: [],
    scalars: new Map(),
    hiddenFields: new Map(),
    relations: new Map(),
    relationTargets: new Map(Object.entries(relationTargets)),
    children: [],
    problem: undefined,
  },
]
const models: Models = new Map([
  model('Shop', { owner: 'Owner', shelves: 'Shelf' }),
  model('Shelf', { shop: 'Shop', books: 'Book' }),
  model('Owner', { shops: 'Shop' }),
  model('Book', {}),
])

describe('relatedModelsOf', () => {
  it('finds models at any depth of a select or an include', () => {
    expect(relatedModelsOf(models, 'Shop', { include: { shelves: { include: { books: true } } } })).toEqual([
      'Shelf',
      'Book',
    ])
    expect(
      relatedModelsOf(models, 'Shop', { select: { id: true, owner: { select: { id: true } } } }),
    ).toEqual(['Owner'])
  })

  it('finds models in filters, orders and counts', () => {
    const shelves = { where: { shop: { owner: { id: 1 } } }, orderBy: { books: { _count: 'asc' } } }
    expect(relatedModelsOf(models, 'Shop', { include: { shelves } })).toEqual([
      'Shelf',
      'Shop',
      'Owner',
      'Book',
    ])
    expect(relatedModelsOf(models, 'Shelf', { include: { _count: true } })).toEqual(['Shop', 'Book'])
  })

  it('counts relations that are lists', () => {
    const described = describeSchemaText(`
      model Shop {
        id      Int     @id
        ownerId Int
        owner   Owner   @relation(fields: [ownerId], references: [id])
        shelves Shelf[]
      }
      model Owner {
        id    Int    @id
        shops Shop[]
      }
      model Shelf {
        id     Int  @id
        shopId Int
        shop   Shop @relation(fields: [shopId], references: [id])
      }`).models
    expect(relatedModelsOf(described, 'Shop', { include: { _count: true } })).toEqual(['Shelf'])
  })

  it('finds models by keywords that relations have as their names', () => {
    const named: Models = new Map([
      model('Party', { where: 'Shop', some: 'Book', host: 'Owner' }),
      model('Shop', { parties: 'Party', shelves: 'Shelf' }),
      model('Shelf', {}),
    ])
    const host = { host: { shops: 1 } }
    const of = (part: object) => relatedModelsOf(named, 'Shop', { include: { parties: part } }).toSorted()
    expect(of({ where: host })).toEqual(['Owner', 'Party', 'Shop'])
    expect(of({ where: { OR: [host] } })).toEqual(['Owner', 'Party', 'Shop'])
    expect(of({ where: { where: { parties: { some: host } } } })).toEqual(['Book', 'Owner', 'Party', 'Shop'])
    expect(of({ include: { where: { include: { shelves: true } } } })).toEqual(['Party', 'Shelf', 'Shop'])
    const counts = { _count: { select: { parties: { where: host } } } }
    expect(relatedModelsOf(named, 'Shop', { select: counts })).toEqual(['Party', 'Shop', 'Owner'])
  })

  it('skips what is not selected, and models that the schema lacks', () => {
    expect(relatedModelsOf(models, 'Shop', { select: { owner: false, shelves: undefined } })).toEqual([])
    expect(relatedModelsOf(models, 'Missing', { select: { owner: true } })).toEqual([])
  })

  it('skips null, and counts no relations that the schema lacks or that are not counted', () => {
    expect(relatedModelsOf(models, 'Shop', { include: { owner: null } as never })).toEqual(['Owner'])
    expect(relatedModelsOf(models, 'Missing', { include: { _count: true } })).toEqual([])
    expect(relatedModelsOf(models, 'Shop', { include: { _count: { select: { owner: true } } } })).toEqual([
      'Owner',
    ])
  })
})
