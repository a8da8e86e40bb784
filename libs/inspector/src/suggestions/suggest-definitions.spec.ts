import {
  type BypassedQuery,
  describeSchemaText,
  type ModelQueries,
  queryText,
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

/** What is suggested: for how many queries, the first of which is `#1`, and how many more if they have few rows. */
function suggested(models: readonly ModelQueries[], options: Options = {}): readonly string[] {
  const { composed = ['default'], most, takesAnyRow = false } = options
  const { suggestions } = suggestDefinitions([{ composed, takesAnyRow, models }], facts, most)!
  const { answered, answeredThen, anyRow, definitions, rest, total } = suggestions
  const texts = models
    .flatMap(({ bypassed }) => bypassed)
    .map(({ action, args, model }) => `${model}.${args ? queryText(action, args) : `${action}(…)`}`)
  const numberOf = (model: string, query: string): string =>
    `#${1 + texts.findIndex((text) => text === query || text === `${model}.${query}`)}`
  return [
    `${answered}, then ${answeredThen} of ${total}${anyRow > 0 ? `, ${anyRow} of any row` : ''}`,
    ...definitions.flatMap(({ additions, cache, model }) =>
      additions.map(({ name, option, perhaps, query, queries, value }) => {
        const count = `${queries}${perhaps > 0 ? ` and ${perhaps} perhaps` : ''} as ${numberOf(model, query)}`
        const text = JSON.stringify(value).replaceAll('"', '')
        return `${count}: ${cache ?? `new ${model}`}, ${option} ${name} ${text}`
      }),
    ),
    ...rest.map(
      ({ model, queries, query, reason }) => `${queries} left as ${numberOf(model, query)}: ${reason}`,
    ),
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

/** Finds a lot with its team, by a strategy if it names one. */
const withTeam = (count: number, strategy?: string): Query => {
  const named = strategy === undefined ? {} : { relationLoadStrategy: strategy }
  return ['findUnique', { where: { id: '?' }, include: { team: true }, ...named }, count, 'relations']
}
/** A cache of some of the fields. */
const ofFields = (...fields: string[]) => ({ fields, exactFields: fields })

type Case = [string, ModelQueries | readonly ModelQueries[], readonly string[], Options?]

const cases: readonly Case[] = [
  [
    'unique keys',
    lot([
      ['findUnique', { where: { code: '?' } }, 7],
      ['findUnique', { where: { zone_spot: { zone: '?', spot: '?' } } }, 8],
    ]),
    ['0, then 15 of 15', '8 as #2: Lot, unique zoneSpot [zone,spot]', '7 as #1: Lot, unique code code'],
  ],
  [
    'nothing with which an application would not start',
    modelOf('Coupon', [['findMany', { where: { mark: '?' } }, 7]]),
    ['0, then 0 of 7', '7 left as #1: condition'],
  ],
  [
    'a list beside one that compares with constants',
    lot([['findMany', { where }, 7]], { lookups: [lookup({ where: null })] }),
    ['0, then 7 of 7', '7 as #1: Lot, lists ofTeam {by:teamId}'],
  ],
  [
    'fields that the cache omits',
    lot(
      [
        ['findUnique', { where: { id: '?' } }, 7, 'fields'],
        ['findUnique', { where: { id: '?' }, select: { secret: true } }, 2, 'fields'],
        ['findUnique', { where: { id: '?' }, select: { code: true } }, 2, 'fields'],
      ],
      ofFields('id', 'code'),
    ),
    [
      '0, then 0 of 11',
      '9 as #1: Lot, omit secret true',
      '7 as #1: Lot, omit zone true',
      '7 as #1: Lot, omit spot true',
      '7 as #1: Lot, omit title true',
      '7 as #1: Lot, omit teamId true',
      '7 as #1: Lot, omit createdAt true',
      '7 as #1: Lot, omit deletedAt true',
      '7 left as #1: fields',
      '2 left as #2: fields',
      '2 left as #3: fields',
    ],
  ],
  [
    'no fields that the client omits',
    lot([['findUnique', { where: { id: '?' } }, 7, 'fields']], ofFields('id', 'code'), {
      omitted: ['title', 'zone', 'spot', 'deletedAt', 'createdAt'],
    }),
    [
      '0, then 0 of 7',
      '7 as #1: Lot, omit secret true',
      '7 as #1: Lot, omit teamId true',
      '7 left as #1: fields',
    ],
  ],
  [
    'no fields that another cache has',
    lot(
      [
        ['findUnique', { where: { id: '?' } }, 7, 'fields'],
        ['findUnique', { where: { code: '?' } }, 3],
      ],
      {},
      { caches: [cacheOf('Lot', { name: 'Small', ...ofFields('id') }), cacheOf('Lot')] },
    ),
    ['0, then 3 of 10', '3 as #2: Lot, unique code code', '7 left as #1: fields'],
  ],
  [
    'a cache without fields that the schema keeps out',
    modelOf('Coupon', [
      ['findUnique', { where: { code: '?' } }, 4, 'no_cache'],
      ['findUnique', { where: { code: '?' }, select: { amount: true } }, 3, 'no_cache'],
    ]),
    ['0, then 3 of 7', '3 as #2: new Coupon, definition Coupon {}', '4 left as #1: no_cache'],
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
    [
      '0, then 13 of 14',
      '13 as #2: new Team, definition Team {}',
      '9 as #2: new Team, unique slug slug',
      '4 as #1: new Team, lists byName {by:name}',
      '9 as #2: new Lot, lists ofTeam {by:teamId}',
      '9 as #2: new Lot, definition Lot {}',
      '1 left as #3: condition',
    ],
  ],
  [
    'nothing for a list by text that there is',
    modelOf('Team', [['findMany', { where: { name: '?' } }, 4]], {
      caches: [cacheOf('Team', { lookups: [lookup({ by: ['name'] })] })],
    }),
    ['0, then 0 of 4', '4 left as #1: condition'],
  ],
  [
    'lists through relations',
    lot([
      ['findUnique', { where: { id: '?' }, include: { tags: true } }, 4, 'relations'],
      ['findMany', { where: { tags: { some: { id: '?' } } } }, 3],
    ]),
    [
      '0, then 7 of 7',
      '4 as #1: new Tag, lists withLots {through:lots}',
      '4 as #1: new Tag, definition Tag {}',
      '3 as #2: Lot, lists withTags {through:tags}',
    ],
  ],
  [
    'relations that queries join',
    lot([withTeam(4, 'join')]),
    ['0, then 4 of 4', '4 as #1: new Team, definition Team {}'],
    { composed: ['join'] },
  ],
  [
    'relations for the strategies that the client composes',
    lot([withTeam(4, 'join'), withTeam(3, 'query'), withTeam(2), withTeam(1, '?')]),
    [
      '0, then 3 of 10',
      '3 as #2: new Team, definition Team {}',
      '4 left as #1: relations',
      '2 left as #3: relations',
      '1 left as #4: relations',
    ],
    { composed: ['query'] },
  ],
  [
    'how many queries take any row',
    lot([
      ['findFirst', { where }, 4, 'order'],
      ['findFirstOrThrow', { where }, 3, 'order'],
      ['findMany', { where }, 20, 'order'],
      ['findFirst', { where: { title: '?' } }, 30, 'paging'],
      ['findFirst', { where, orderBy: { id: 'asc' } }, 40, 'order'],
      ['findFirst', undefined, 50, 'order'],
    ]),
    [
      '0, then 60 of 147, 37 of any row',
      '60 and 7 perhaps as #5: Lot, lists ofTeam {by:teamId}',
      '0 and 30 perhaps as #4: Lot, lists byTitle {by:title}',
      '50 left as #6: order',
      '30 left as #4: paging',
      '4 left as #1: order',
      '3 left as #2: order',
    ],
  ],
  [
    'no such number if any row is taken',
    lot([['findFirst', { where }, 4, 'order']]),
    ['0, then 4 of 4', '4 as #1: Lot, lists ofTeam {by:teamId}'],
    { takesAnyRow: true },
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
    ['13, then 18 of 20', '5 as #2: Lot, lists ofTeam {by:teamId}', '2 left as #1: condition'],
    { most: 1 },
  ],
  [
    'a whole list for a number that may be larger than a short one',
    lot([['count', { where }, 4, 'paging']], {
      lookups: [lookup({ orderBy: [{ createdAt: 'desc' }, { id: 'asc' }], limit: 5 })],
    }),
    ['0, then 4 of 4', '4 as #1: Lot, lists ofTeam {by:teamId}'],
  ],
  [
    'no cache of rows that have no id',
    modelOf('Blob', [['findMany', { where: { hash: '?' } }, 4, 'no_cache']]),
    ['0, then 0 of 4', '4 left as #1: no_cache'],
  ],
  [
    'no field that the client omits, if queries select it',
    lot([['findUnique', { where: { id: '?' }, select: { title: true } }, 7, 'fields']], ofFields('id'), {
      omitted: ['title'],
    }),
    ['0, then 0 of 7', '7 left as #1: fields'],
  ],
  [
    'no list for an order that ends with the id',
    lot([
      ['findMany', { where, ...newest, take: 20 }, 7],
      ['findMany', { where, orderBy: [{ createdAt: 'desc' }, { id: 'asc' }], take: 5 }, 9],
    ]),
    ['0, then 16 of 16', '16 as #2: Lot, lists first20OfTeam {by:teamId,orderBy:{createdAt:desc},limit:20}'],
  ],
  [
    'nothing for caches of a model that the schema lacks',
    modelOf('Gone', [['findMany', { where }, 7]], { caches: [cacheOf('Lot', { name: 'Gone' })] }),
    ['0, then 0 of 7', '7 left as #1: condition'],
  ],
  [
    'a list for the caches that can be planned',
    modelOf('Lot', [['findMany', { where }, 7]], {
      caches: [cacheOf('Lot'), cacheOf('Lot', { name: 'Old', idFields: ['gone'] })],
    }),
    ['0, then 7 of 7', '7 as #1: Lot, lists ofTeam {by:teamId}'],
  ],
]

describe('suggestions', () => {
  it.each(cases)('have %s', (_, models, lines, ...[options]) => {
    expect(suggested([models].flat(), options)).toEqual(lines)
  })

  it('are undefined without queries', () => {
    expect(suggestDefinitions([{}, null], facts)).toBeUndefined()
  })

  it('come with the queries of all processes', () => {
    const queries: readonly Query[] = [
      ['findMany', { where }, 7],
      ['count', undefined, 1, 'transaction'],
    ]
    const one = { composed: ['default'], takesAnyRow: false, models: [lot(queries)] }
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
