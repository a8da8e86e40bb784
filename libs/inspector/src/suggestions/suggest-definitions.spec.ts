import {
  type BypassedQuery,
  describeSchemaText,
  type ModelQueries,
  type ReportedCache,
  type ReportedLookup,
} from 'model-cache/internal'
import { suggestDefinitions } from './suggest-definitions.js'

const facts = describeSchemaText(`
datasource db { provider = "postgresql" }
model Team {
  id   Int    @id
  name String @db.Citext
  slug String @unique
  lots Lot[]
}
model Lot {
  id        Int       @id
  code      String    @unique
  zone      Int
  spot      Int
  title     String
  secret    String
  teamId    Int
  createdAt DateTime
  deletedAt DateTime?
  team      Team      @relation(fields: [teamId], references: [id])
  tags      Tag[]
  @@unique([zone, spot])
  @@index([teamId, title, createdAt])
  @@index([title, teamId])
}
model Coupon {
  code   String @id
  hidden String /// @cache(omit)
  amount Int
  mark   Bytes
}
model Blob {
  hash Bytes @id
}
model Tag {
  id   Int   @id
  lots Lot[]
}`)

const scalarsOf = (name: string): readonly string[] => [...facts.models.get(name)!.scalars.keys()]
const cacheOf = (model: string, change: Partial<ReportedCache> = {}): ReportedCache => ({
  name: model,
  idFields: facts.models.get(model)!.primaryKey,
  fields: scalarsOf(model),
  exactFields: scalarsOf(model),
  lookups: [],
  ...change,
})

type Query = readonly [action: string, args: object | undefined, count: number, reason?: string]

function modelOf(model: string, queries: readonly Query[], change: Partial<ModelQueries> = {}): ModelQueries {
  return {
    model,
    answered: 0,
    omitted: [],
    bypassed: queries.map(
      ([action, args, count, reason = 'condition']) =>
        ({ model, action, reason, count, ...(args && { args }) }) as BypassedQuery,
    ),
    ...change,
  }
}

interface Options {
  readonly composed?: readonly string[]
  readonly most?: number
  readonly takesAnyRow?: boolean
}

function suggested(models: readonly ModelQueries[], options: Options = {}): readonly string[] {
  const { composed = ['default'], most, takesAnyRow = false } = options
  const queries = { composed, takesAnyRow, models }
  const { suggestions } = suggestDefinitions([queries], facts, most)!
  const { answered, answeredThen, anyRow, definitions, rest, total } = suggestions
  return [
    `${answered}, then ${answeredThen} of ${total}, ${anyRow} any row`,
    ...definitions.flatMap(({ additions, cache, model }) =>
      additions.map(({ name, option, perhaps, query, queries, value }) => {
        const what = `${option} ${name} ${JSON.stringify(value)}`
        return `${queries}${perhaps > 0 ? ` and ${perhaps} perhaps` : ''} ${model} of ${cache}: ${what} for ${query}`
      }),
    ),
    ...rest.map(({ model, queries, query, reason }) => `${queries} left by ${reason}: ${model}.${query}`),
  ]
}

function lot(
  queries: readonly Query[],
  change: Partial<ReportedCache> = {},
  model: Partial<ModelQueries> = {},
): ModelQueries {
  return modelOf('Lot', queries, { caches: [cacheOf('Lot', change)], ...model })
}

function lookup(change: Partial<ReportedLookup>): ReportedLookup {
  const orderBy = [{ id: 'asc' }]
  return { name: 'known', kind: 'list', by: ['teamId'], where: {}, orderBy, ...change }
}

const where = { teamId: '?' }
const newest = { orderBy: { createdAt: 'desc' } }

const cases: readonly (readonly [string, readonly ModelQueries[], Options, readonly string[]])[] = [
  [
    'a whole list rather than short ones, for each order',
    [
      lot([
        ['findMany', { where }, 5],
        ['findMany', { where, ...newest, take: 5 }, 7],
        ['count', { where }, 1],
      ]),
    ],
    {},
    [
      '0, then 13 of 13, 0 any row',
      '13 Lot of Lot: lists ofTeam {"by":"teamId"} for findMany({ where: { teamId: ? }, orderBy: { createdAt: \'desc\' }, take: 5 })',
    ],
  ],
  [
    'the longest of short lists',
    [
      lot([
        ['findMany', { where, ...newest, take: 5 }, 7],
        ['findMany', { where, ...newest, take: 20 }, 9],
      ]),
    ],
    {},
    [
      '0, then 16 of 16, 0 any row',
      '16 Lot of Lot: lists first20OfTeam {"by":"teamId","orderBy":{"createdAt":"desc"},"limit":20} for findMany({ where: { teamId: ? }, orderBy: { createdAt: \'desc\' }, take: 20 })',
    ],
  ],
  [
    'a short list with conditions',
    [
      lot([
        [
          'findFirst',
          { where: { ...where, deletedAt: null }, orderBy: [{ createdAt: 'desc' }, { title: 'asc' }] },
          7,
        ],
      ]),
    ],
    {},
    [
      '0, then 7 of 7, 0 any row',
      '7 Lot of Lot: lists first1OfTeam {"by":"teamId","where":{"deletedAt":null},"orderBy":[{"createdAt":"desc"},{"title":"asc"}],"limit":1} for findFirst({ where: { teamId: ?, deletedAt: null }, orderBy: [{ createdAt: \'desc\' }, { title: \'asc\' }] })',
    ],
  ],
  [
    'no short list of several keys',
    [
      lot([
        [
          'findFirst',
          { where: { teamId: { in: ['?'] } }, orderBy: [{ createdAt: 'desc' }, { title: 'asc' }] },
          7,
        ],
      ]),
    ],
    {},
    [
      '0, then 0 of 7, 0 any row',
      "7 left by condition: Lot.findFirst({ where: { teamId: { in: [?] } }, orderBy: [{ createdAt: 'desc' }, { title: 'asc' }] })",
    ],
  ],
  [
    'unique keys',
    [
      lot([
        ['findUnique', { where: { code: '?' } }, 7],
        ['findUnique', { where: { zone_spot: { zone: '?', spot: '?' } } }, 8],
      ]),
    ],
    {},
    [
      '0, then 15 of 15, 0 any row',
      '8 Lot of Lot: unique zoneSpot ["zone","spot"] for findUnique({ where: { zone_spot: { zone: ?, spot: ? } } })',
      '7 Lot of Lot: unique code "code" for findUnique({ where: { code: ? } })',
    ],
  ],
  [
    'nothing with which an application would not start',
    [modelOf('Coupon', [['findMany', { where: { mark: '?' } }, 7]])],
    {},
    ['0, then 0 of 7, 0 any row', '7 left by condition: Coupon.findMany({ where: { mark: ? } })'],
  ],
  [
    'nothing that is declared',
    [lot([['findMany', { where }, 7]], { lookups: [lookup({})] })],
    {},
    ['0, then 0 of 7, 0 any row', '7 left by condition: Lot.findMany({ where: { teamId: ? } })'],
  ],
  [
    'a list beside one that compares with constants',
    [lot([['findMany', { where }, 7]], { lookups: [lookup({ where: null })] })],
    {},
    [
      '0, then 7 of 7, 0 any row',
      '7 Lot of Lot: lists ofTeam {"by":"teamId"} for findMany({ where: { teamId: ? } })',
    ],
  ],
  [
    'a list with a name that is free',
    [
      lot([['findMany', { where }, 7]], {
        lookups: [
          lookup({ name: 'ofTeam', where: { deletedAt: null } }),
          lookup({ name: 'ofTeam2', where: { deletedAt: null } }),
        ],
      }),
    ],
    {},
    [
      '0, then 7 of 7, 0 any row',
      '7 Lot of Lot: lists ofTeam3 {"by":"teamId"} for findMany({ where: { teamId: ? } })',
    ],
  ],
  [
    'fields that the cache omits',
    [
      lot(
        [
          ['findUnique', { where: { id: '?' } }, 7, 'fields'],
          ['findUnique', { where: { id: '?' }, select: { secret: true } }, 2, 'fields'],
          ['findUnique', { where: { id: '?' }, select: { code: true } }, 2, 'fields'],
        ],
        { fields: ['id', 'code'], exactFields: ['id', 'code'] },
      ),
    ],
    {},
    [
      '0, then 0 of 11, 0 any row',
      '9 Lot of Lot: omit secret true for findUnique({ where: { id: ? } })',
      '7 Lot of Lot: omit zone true for findUnique({ where: { id: ? } })',
      '7 Lot of Lot: omit spot true for findUnique({ where: { id: ? } })',
      '7 Lot of Lot: omit title true for findUnique({ where: { id: ? } })',
      '7 Lot of Lot: omit teamId true for findUnique({ where: { id: ? } })',
      '7 Lot of Lot: omit createdAt true for findUnique({ where: { id: ? } })',
      '7 Lot of Lot: omit deletedAt true for findUnique({ where: { id: ? } })',
      '7 left by fields: Lot.findUnique({ where: { id: ? } })',
      '2 left by fields: Lot.findUnique({ where: { id: ? }, select: { secret: true } })',
      '2 left by fields: Lot.findUnique({ where: { id: ? }, select: { code: true } })',
    ],
  ],
  [
    'no fields that the client omits',
    [
      lot(
        [['findUnique', { where: { id: '?' } }, 7, 'fields']],
        { fields: ['id', 'code'], exactFields: ['id', 'code'] },
        { omitted: ['title', 'zone', 'spot', 'deletedAt', 'createdAt'] },
      ),
    ],
    {},
    [
      '0, then 0 of 7, 0 any row',
      '7 Lot of Lot: omit secret true for findUnique({ where: { id: ? } })',
      '7 Lot of Lot: omit teamId true for findUnique({ where: { id: ? } })',
      '7 left by fields: Lot.findUnique({ where: { id: ? } })',
    ],
  ],
  [
    'no fields that another cache has',
    [
      lot(
        [
          ['findUnique', { where: { id: '?' } }, 7, 'fields'],
          ['findUnique', { where: { code: '?' } }, 3],
        ],
        {},
        { caches: [cacheOf('Lot', { name: 'Small', fields: ['id'], exactFields: ['id'] }), cacheOf('Lot')] },
      ),
    ],
    {},
    [
      '0, then 3 of 10, 0 any row',
      '3 Lot of Lot: unique code "code" for findUnique({ where: { code: ? } })',
      '7 left by fields: Lot.findUnique({ where: { id: ? } })',
    ],
  ],
  [
    'a cache without fields that the schema keeps out',
    [
      modelOf('Coupon', [
        ['findUnique', { where: { code: '?' } }, 4, 'no_cache'],
        ['findUnique', { where: { code: '?' }, select: { amount: true } }, 3, 'no_cache'],
      ]),
    ],
    {},
    [
      '0, then 3 of 7, 0 any row',
      '3 Coupon of null: definition Coupon {} for findUnique({ where: { code: ? }, select: { amount: true } })',
      '4 left by no_cache: Coupon.findUnique({ where: { code: ? } })',
    ],
  ],
  [
    'caches of several models',
    [
      modelOf('Team', [
        ['findMany', { where: { name: '?' } }, 4, 'no_cache'],
        [
          'findUnique',
          { where: { slug: '?' }, include: { lots: { where: { deletedAt: null } } } },
          9,
          'no_cache',
        ],
      ]),
      modelOf('Unknown', [['findMany', {}, 1]]),
    ],
    {},
    [
      '0, then 13 of 14, 0 any row',
      '13 Team of null: definition Team {} for findUnique({ where: { slug: ? }, include: { lots: { where: { deletedAt: null } } } })',
      '9 Team of null: unique slug "slug" for findUnique({ where: { slug: ? }, include: { lots: { where: { deletedAt: null } } } })',
      '4 Team of null: lists byName {"by":"name"} for findMany({ where: { name: ? } })',
      '9 Lot of null: lists ofTeam {"by":"teamId"} for Team.findUnique({ where: { slug: ? }, include: { lots: { where: { deletedAt: null } } } })',
      '9 Lot of null: definition Lot {} for Team.findUnique({ where: { slug: ? }, include: { lots: { where: { deletedAt: null } } } })',
      '1 left by condition: Unknown.findMany({})',
    ],
  ],
  [
    'nothing for a list by text that there is',
    [
      modelOf('Team', [['findMany', { where: { name: '?' } }, 4]], {
        caches: [cacheOf('Team', { lookups: [lookup({ by: ['name'] })] })],
      }),
    ],
    {},
    ['0, then 0 of 4, 0 any row', '4 left by condition: Team.findMany({ where: { name: ? } })'],
  ],
  [
    'lists through relations',
    [
      lot([
        ['findUnique', { where: { id: '?' }, include: { tags: true } }, 4, 'relations'],
        ['findMany', { where: { tags: { some: { id: '?' } } } }, 3],
      ]),
    ],
    {},
    [
      '0, then 7 of 7, 0 any row',
      '4 Tag of null: lists withLots {"through":"lots"} for Lot.findUnique({ where: { id: ? }, include: { tags: true } })',
      '4 Tag of null: definition Tag {} for Lot.findUnique({ where: { id: ? }, include: { tags: true } })',
      '3 Lot of Lot: lists withTags {"through":"tags"} for findMany({ where: { tags: { some: { id: ? } } } })',
    ],
  ],
  [
    'no relations where the client does not compose them',
    [lot([['findUnique', { where: { id: '?' }, include: { tags: true } }, 4, 'relations']])],
    { composed: [] },
    [
      '0, then 0 of 4, 0 any row',
      '4 left by relations: Lot.findUnique({ where: { id: ? }, include: { tags: true } })',
    ],
  ],
  [
    'relations that queries join',
    [
      lot([
        [
          'findUnique',
          { where: { id: '?' }, include: { team: true }, relationLoadStrategy: 'join' },
          4,
          'relations',
        ],
      ]),
    ],
    { composed: ['join'] },
    [
      '0, then 4 of 4, 0 any row',
      "4 Team of null: definition Team {} for Lot.findUnique({ where: { id: ? }, include: { team: true }, relationLoadStrategy: 'join' })",
    ],
  ],
  [
    'relations for the strategies that the client composes',
    [
      lot([
        [
          'findUnique',
          { where: { id: '?' }, include: { team: true }, relationLoadStrategy: 'join' },
          4,
          'relations',
        ],
        [
          'findUnique',
          { where: { id: '?' }, include: { team: true }, relationLoadStrategy: 'query' },
          3,
          'relations',
        ],
        ['findUnique', { where: { id: '?' }, include: { team: true } }, 2, 'relations'],
        [
          'findUnique',
          { where: { id: '?' }, include: { team: true }, relationLoadStrategy: '?' },
          1,
          'relations',
        ],
      ]),
    ],
    { composed: ['query'] },
    [
      '0, then 3 of 10, 0 any row',
      "3 Team of null: definition Team {} for Lot.findUnique({ where: { id: ? }, include: { team: true }, relationLoadStrategy: 'query' })",
      "4 left by relations: Lot.findUnique({ where: { id: ? }, include: { team: true }, relationLoadStrategy: 'join' })",
      '2 left by relations: Lot.findUnique({ where: { id: ? }, include: { team: true } })',
      '1 left by relations: Lot.findUnique({ where: { id: ? }, include: { team: true }, relationLoadStrategy: ? })',
    ],
  ],
  [
    'how many queries take any row',
    [
      lot([
        ['findFirst', { where }, 4, 'order'],
        ['findFirstOrThrow', { where }, 3, 'order'],
        ['findMany', { where }, 20, 'order'],
        ['findFirst', { where: { title: '?' } }, 30, 'paging'],
        ['findFirst', { where, orderBy: { id: 'asc' } }, 40, 'order'],
        ['findFirst', undefined, 50, 'order'],
      ]),
    ],
    {},
    [
      '0, then 60 of 147, 37 any row',
      '60 and 7 perhaps Lot of Lot: lists ofTeam {"by":"teamId"} for findFirst({ where: { teamId: ? }, orderBy: { id: \'asc\' } })',
      '0 and 30 perhaps Lot of Lot: lists byTitle {"by":"title"} for findFirst({ where: { title: ? } })',
      '50 left by order: Lot.findFirst(\u2026)',
      '30 left by paging: Lot.findFirst({ where: { title: ? } })',
      '4 left by order: Lot.findFirst({ where: { teamId: ? } })',
      '3 left by order: Lot.findFirstOrThrow({ where: { teamId: ? } })',
    ],
  ],
  [
    'no such number if any row is taken',
    [lot([['findFirst', { where }, 4, 'order']])],
    { takesAnyRow: true },
    [
      '0, then 4 of 4, 0 any row',
      '4 Lot of Lot: lists ofTeam {"by":"teamId"} for findFirst({ where: { teamId: ? } })',
    ],
  ],
  [
    'what the most frequent queries need',
    [
      lot(
        [
          ['findMany', { where: { title: '?' } }, 2],
          ['findMany', { where }, 5],
        ],
        {},
        { answered: 10 },
      ),
      modelOf('Team', [], { answered: 3 }),
    ],
    { most: 1 },
    [
      '13, then 18 of 20, 0 any row',
      '5 Lot of Lot: lists ofTeam {"by":"teamId"} for findMany({ where: { teamId: ? } })',
      '2 left by condition: Lot.findMany({ where: { title: ? } })',
    ],
  ],
  [
    'nothing for what is not kept by its shape',
    [
      lot([
        ['findMany', undefined, 2, 'transaction'],
        ['findUnique', { where: { id: '?' } }, 3, 'error'],
        ['findMany', { where: { title: { contains: '?' } } }, 4],
      ]),
    ],
    {},
    [
      '0, then 0 of 9, 0 any row',
      '4 left by condition: Lot.findMany({ where: { title: { contains: ? } } })',
      '3 left by error: Lot.findUnique({ where: { id: ? } })',
      '2 left by transaction: Lot.findMany(\u2026)',
    ],
  ],
  [
    'a list for a number of rows without an order, which it answers if it has no others',
    [
      lot(
        [
          ['findMany', { where, take: 5 }, 4, 'paging'],
          ['count', { where, take: 3, ...newest }, 4, 'paging'],
        ],
        { lookups: [lookup({ orderBy: [{ createdAt: 'desc' }, { id: 'asc' }], limit: 5 })] },
      ),
    ],
    {},
    [
      '0, then 0 of 8, 0 any row',
      '0 and 4 perhaps Lot of Lot: lists ofTeam {"by":"teamId"} for findMany({ where: { teamId: ? }, take: 5 })',
      '4 left by paging: Lot.findMany({ where: { teamId: ? }, take: 5 })',
      "4 left by paging: Lot.count({ where: { teamId: ? }, take: 3, orderBy: { createdAt: 'desc' } })",
    ],
  ],
  [
    'a whole list for a number that may be larger than a short one',
    [
      lot([['count', { where }, 4, 'paging']], {
        lookups: [lookup({ orderBy: [{ createdAt: 'desc' }, { id: 'asc' }], limit: 5 })],
      }),
    ],
    {},
    [
      '0, then 4 of 4, 0 any row',
      '4 Lot of Lot: lists ofTeam {"by":"teamId"} for count({ where: { teamId: ? } })',
    ],
  ],
  [
    'a whole list for the number of rows of a relation whose first row is read as well',
    [
      modelOf(
        'Team',
        [
          [
            'findMany',
            {
              where: { id: { in: ['?'] } },
              select: {
                lots: { orderBy: { createdAt: 'desc' }, take: 1 },
                _count: { select: { lots: true } },
              },
            },
            4,
          ],
        ],
        { caches: [cacheOf('Team')] },
      ),
      lot([]),
    ],
    {},
    [
      '0, then 4 of 4, 0 any row',
      '4 Lot of Lot: lists ofTeam {"by":"teamId"} for Team.findMany({ where: { id: { in: [?] } }, select: { lots: { orderBy: { createdAt: \'desc\' }, take: 1 }, _count: { select: { lots: true } } } })',
    ],
  ],
  [
    'a whole list for a condition on a relation of which a short one has too few rows',
    [
      modelOf('Team', [['findMany', { where: { id: '?', lots: { none: { title: '?' } } } }, 4]], {
        caches: [cacheOf('Team')],
      }),
      lot([], {
        lookups: [lookup({ by: ['teamId'], orderBy: [{ createdAt: 'desc' }, { id: 'asc' }], limit: 1 })],
      }),
    ],
    {},
    [
      '0, then 4 of 4, 0 any row',
      '4 Lot of Lot: lists ofTeam {"by":"teamId"} for Team.findMany({ where: { id: ?, lots: { none: { title: ? } } } })',
    ],
  ],
  [
    'no fields that the client omits, in a new cache',
    [
      modelOf('Lot', [['findUnique', { where: { id: '?' }, select: { secret: true } }, 7, 'no_cache']], {
        omitted: ['secret'],
      }),
    ],
    {},
    [
      '0, then 0 of 7, 0 any row',
      '7 left by no_cache: Lot.findUnique({ where: { id: ? }, select: { secret: true } })',
    ],
  ],
  [
    'no cache of rows that have no id',
    [modelOf('Blob', [['findMany', { where: { hash: '?' } }, 4, 'no_cache']])],
    {},
    ['0, then 0 of 4, 0 any row', '4 left by no_cache: Blob.findMany({ where: { hash: ? } })'],
  ],
  [
    'no field that the client omits, if queries select it',
    [
      lot(
        [['findUnique', { where: { id: '?' }, select: { title: true } }, 7, 'fields']],
        { fields: ['id'], exactFields: ['id'] },
        { omitted: ['title'] },
      ),
    ],
    {},
    [
      '0, then 0 of 7, 0 any row',
      '7 left by fields: Lot.findUnique({ where: { id: ? }, select: { title: true } })',
    ],
  ],
  [
    'no list for an order that ends with the id',
    [
      lot([
        ['findMany', { where, ...newest, take: 20 }, 7],
        ['findMany', { where, orderBy: [{ createdAt: 'desc' }, { id: 'asc' }], take: 5 }, 9],
      ]),
    ],
    {},
    [
      '0, then 16 of 16, 0 any row',
      '16 Lot of Lot: lists first20OfTeam {"by":"teamId","orderBy":{"createdAt":"desc"},"limit":20} for findMany({ where: { teamId: ? }, orderBy: [{ createdAt: \'desc\' }, { id: \'asc\' }], take: 5 })',
    ],
  ],
  [
    'what a schema answers that lacks fields of a cache',
    [
      lot(
        [
          ['findMany', { where, select: { id: true } }, 7],
          ['findUnique', { where: { id: '?' }, select: { code: true } }, 2, 'fields'],
        ],
        {
          fields: ['gone', 'id', 'teamId'],
          exactFields: ['gone', 'id', 'teamId'],
          lookups: [lookup({ name: 'gone', by: ['gone'] })],
        },
      ),
    ],
    {},
    [
      '0, then 7 of 9, 0 any row',
      '7 Lot of Lot: lists ofTeam {"by":"teamId"} for findMany({ where: { teamId: ? }, select: { id: true } })',
      '2 Lot of Lot: omit code true for findUnique({ where: { id: ? }, select: { code: true } })',
      '2 left by fields: Lot.findUnique({ where: { id: ? }, select: { code: true } })',
    ],
  ],
  [
    'nothing for caches of a model that the schema lacks',
    [modelOf('Gone', [['findMany', { where }, 7]], { caches: [cacheOf('Lot', { name: 'Gone' })] })],
    {},
    ['0, then 0 of 7, 0 any row', '7 left by condition: Gone.findMany({ where: { teamId: ? } })'],
  ],
  [
    'nothing for caches whose id the schema lacks',
    [lot([['findMany', { where }, 7]], { idFields: ['gone'] })],
    {},
    ['0, then 0 of 7, 0 any row', '7 left by condition: Lot.findMany({ where: { teamId: ? } })'],
  ],
  [
    'a list for the caches that can be planned',
    [
      lot(
        [['findMany', { where }, 7]],
        {},
        { caches: [cacheOf('Lot'), cacheOf('Lot', { name: 'Old', idFields: ['gone'] })] },
      ),
    ],
    {},
    [
      '0, then 7 of 7, 0 any row',
      '7 Lot of Lot: lists ofTeam {"by":"teamId"} for findMany({ where: { teamId: ? } })',
    ],
  ],
]

describe('suggestions', () => {
  it.each(cases)('have %s', (_, models, options, lines) => {
    expect(suggested(models, options)).toEqual(lines)
  })

  it('are undefined without queries', () => {
    expect(suggestDefinitions([{}, null], facts)).toBeUndefined()
  })

  it('come with the queries of all processes', () => {
    const one = {
      composed: ['default'],
      takesAnyRow: false,
      models: [
        lot([
          ['findMany', { where }, 7],
          ['count', undefined, 1, 'transaction'],
        ]),
      ],
    }
    const { models, suggestions } = suggestDefinitions([one, one], facts)!
    expect(suggestions.total).toBe(16)
    expect(models[0]!.bypassed.map(({ count, query }) => [count, query])).toEqual([
      [14, 'findMany({ where: { teamId: ? } })'],
      [2, 'count(…)'],
    ])
  })
})

it('suggests results of queries whose rows come from several lookups, not of those from one', () => {
  const queries: readonly Query[] = [
    ['findMany', { where: { teamId: '?' }, include: { team: true } }, 30, 'relations'],
    ['findUnique', { where: { code: '?' } }, 50],
  ]
  const models = [lot(queries), modelOf('Team', [], { caches: [cacheOf('Team')] })]
  const given = { composed: ['default'], takesAnyRow: false, models }
  const { answeredThen, results } = suggestDefinitions([given], facts)!.suggestions
  expect(answeredThen).toBe(80)
  expect(results).toMatchObject({ queries: 0, joined: 30 })
  expect(results.lines).toEqual(['results: {', "  Lot: '10m',", "  Team: '10m',", '},'])
})
