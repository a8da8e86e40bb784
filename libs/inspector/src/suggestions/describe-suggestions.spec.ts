import { type ClientQueries, describeSchemaText } from 'model-cache/internal'
import type { SuggestionRules } from './suggestion-rules.js'
import type { Candidate, CandidateLookup } from './candidate.js'
import { describeSuggestions } from './describe-suggestions.js'

const facts = describeSchemaText(`
datasource db { provider = "postgresql" }
enum State {
  OPEN
  CLOSED
}
model Team {
  id   Int   @id
  lots Lot[]
}
model Lot {
  id        Int       @id
  code      String    @unique
  zone      Int
  spot      Int
  title     String?
  note      String?   @unique
  teamId    Int
  createdAt DateTime
  updatedAt DateTime  @updatedAt
  deletedAt DateTime?
  isHot     Boolean
  state     State
  team      Team      @relation(fields: [teamId], references: [id])
  place     Place     @relation(fields: [zone, spot], references: [zone, spot])
  tags      Tag[]
  @@unique([zone, spot])
  @@index([teamId, title, createdAt])
}
model Place {
  id   Int  @id
  zone Int
  spot Int
  lots Lot?
  @@unique([zone, spot])
}
model Tag {
  id    Int    @id
  token String @unique
  lots  Lot[]
}`)

const rules: SuggestionRules = {
  idOf: (model) =>
    model === 'Place' ? undefined : { fields: ['id'], option: model === 'Tag' ? 'id' : undefined },
  isPossible: () => true,
}
const nothing: ClientQueries = { composed: [], takesAnyRow: false, models: [] }
const example = {
  model: 'Lot',
  action: 'findMany',
  reason: 'condition',
  args: { take: 5 },
  count: 3,
} as const
const numbers = { total: 9, answered: 1, answeredThen: 4, anyRow: 2, rest: [] }

function described(candidates: readonly Candidate[], queries = nothing) {
  const suggestions = candidates.map((candidate) => ({ candidate, queries: 7, perhaps: 0, example }))
  return describeSuggestions({ ...numbers, joined: [], suggestions }, queries, facts, rules).definitions
}

const list = (by: readonly string[], options: Partial<CandidateLookup> = {}): CandidateLookup => ({
  kind: 'list',
  model: 'Lot',
  by,
  ...options,
})
const unique = (...by: readonly string[]): CandidateLookup => ({ kind: 'unique', model: 'Lot', by })
const orderBy = [{ createdAt: 'desc' }]

const cases: readonly (readonly [CandidateLookup, string, unknown, string, string | null])[] = [
  [unique('code'), 'code', 'code', 'code', null],
  [unique('zone', 'spot'), 'zoneSpot', ['zone', 'spot'], 'zone, spot', null],
  [list(['teamId']), 'ofTeam', { by: 'teamId' }, 'teamId', null],
  [list(['title']), 'byTitle', { by: 'title' }, 'title', '@@index([title])'],
  [
    list(['teamId', 'createdAt']),
    'byTeamIdCreatedAt',
    { by: ['teamId', 'createdAt'] },
    'teamId, createdAt',
    '@@index([teamId, createdAt])',
  ],
  [
    list(['teamId'], { orderBy }),
    'ofTeam',
    { by: 'teamId', orderBy: { createdAt: 'desc' } },
    'teamId, createdAt',
    null,
  ],
  [
    list(['teamId'], { orderBy, limit: 5 }),
    'first5OfTeam',
    { by: 'teamId', orderBy: { createdAt: 'desc' }, limit: 5 },
    'teamId, createdAt',
    '@@index([teamId, createdAt(sort: Desc)])',
  ],
  [
    list(['teamId'], { orderBy: [{ title: 'asc' }, { createdAt: 'asc' }], limit: 1 }),
    'first1OfTeam',
    { by: 'teamId', orderBy: [{ title: 'asc' }, { createdAt: 'asc' }], limit: 1 },
    'teamId, title, createdAt',
    null,
  ],
  [
    list(['teamId'], {
      orderBy: [{ createdAt: { sort: 'desc', nulls: 'last' } }, { id: { sort: 'asc' } }],
      limit: 1,
    }),
    'first1OfTeam',
    {
      by: 'teamId',
      orderBy: [{ createdAt: { sort: 'desc', nulls: 'last' } }, { id: { sort: 'asc' } }],
      limit: 1,
    },
    'teamId, createdAt, id',
    '@@index([teamId, createdAt(sort: Desc), id])',
  ],
  [list([], { through: 'tags' }), 'withTags', { through: 'tags' }, 'of tags', null],
  [
    list([], { through: 'tags', orderBy, limit: 5 }),
    'first5WithTags',
    { through: 'tags', orderBy: { createdAt: 'desc' }, limit: 5 },
    'of tags, each update of createdAt',
    null,
  ],
]

describe('a suggested lookup', () => {
  it.each(cases)(
    'of %j has a name, a value, writes that fence it, and an index',
    (candidate, name, value, writes, index) => {
      expect(described([candidate])[0]!.additions).toEqual([
        {
          option: candidate.kind === 'unique' ? 'unique' : 'lists',
          name,
          value,
          writes: writes.startsWith('of ')
            ? `each connect, disconnect and set ${writes}`
            : `each create of Lot, each update of ${writes}`,
          index,
          queries: 7,
          perhaps: 0,
          query: 'findMany({ take: 5 })',
          cautions: expect.any(Array) as unknown,
        },
      ])
    },
  )

  it('has a name that is free', () => {
    const known = { kind: 'list', by: ['teamId'], where: {}, orderBy: [] } as const
    const lookups = ['ofTeam', 'ofTeam2', 'code'].map((name) => ({ ...known, name }))
    const cache = { name: 'Lots', idFields: ['id'], fields: [], exactFields: [], lookups }
    const queries = {
      ...nothing,
      models: [
        { model: 'Team', answered: 0, omitted: [], caches: [], bypassed: [] },
        { model: 'Lot', answered: 0, omitted: [], caches: [cache], bypassed: [] },
      ],
    }
    const given = [
      list(['teamId']),
      list(['teamId'], { orderBy }),
      list(['teamId'], { orderBy }),
      list(['teamId'], { orderBy: [{ createdAt: 'desc' }, { id: 'asc' }] }),
      list(['title']),
      list(['title'], { where: { deletedAt: null } }),
      unique('code'),
    ]
    const [definition] = described(given, queries)
    expect(definition!.cache).toBe('Lots')
    expect(definition!.additions.map(({ name }) => name)).toEqual([
      'ofTeam3',
      'ofTeamInCreatedAtOrder',
      'ofTeam4',
      'ofTeamInCreatedAtIdOrder',
      'byTitle',
      'byTitle2',
      'code2',
    ])
    expect(definition!.lines).toEqual([
      'unique: {',
      "  code2: 'code',",
      '},',
      'lists: {',
      "  ofTeam3: { by: 'teamId' },",
      "  ofTeamInCreatedAtOrder: { by: 'teamId', orderBy: { createdAt: 'desc' } },",
      "  ofTeam4: { by: 'teamId', orderBy: { createdAt: 'desc' } },",
      "  ofTeamInCreatedAtIdOrder: { by: 'teamId', orderBy: [{ createdAt: 'desc' }, { id: 'asc' }] },",
      "  byTitle: { by: 'title' },",
      "  byTitle2: { by: 'title', where: { deletedAt: null } },",
      '},',
    ])
  })
})

describe('a suggested list', () => {
  const byTime = [{ ...example, args: { orderBy: { createdAt: 'desc' } } }] as const
  const cautionsOf = (candidate: CandidateLookup): readonly string[] =>
    described([candidate], {
      ...nothing,
      models: [{ model: 'Lot', answered: 0, omitted: [], bypassed: byTime }],
    })[0]!.additions[0]!.cautions
  const ofHistory =
    'has no limit, and may hold a whole history, as queries go by createdAt: paste it if few rows share a key'
  const ofFewKeys =
    'has few keys, of isHot, state: each list has a large part of the table, and most writes end one'

  const inOrder = 'has an order, in which queries without an `orderBy` then get their rows as well'

  it.each<[string, CandidateLookup, readonly string[]]>([
    ['of few keys, as a whole', list(['isHot', 'state']), [ofFewKeys, ofHistory]],
    ['of some keys', list(['isHot', 'teamId'], { orderBy, limit: 5 }), []],
    ['in an order, as a whole', list(['teamId'], { orderBy }), [ofHistory, inOrder]],
    ['through a relation that may be a history', list([], { through: 'tags' }), [ofHistory]],
    ['of rows that no query gets by a time', { kind: 'list', model: 'Team', by: ['id'] }, []],
    ['that is no list', unique('code'), []],
    [
      'by what may be secret',
      { kind: 'unique', model: 'Tag', by: ['token'] },
      ['token may be secret, and keys of the store have it in clear text without `atRest.hashKeys`'],
    ],
  ])('%s says what to mind', (_, candidate, cautions) => {
    expect(cautionsOf(candidate)).toEqual(cautions)
  })
})

describe('suggestions', () => {
  it('are by model, with the text of a definition that does not exist yet', () => {
    const definitions = described(
      [
        { kind: 'cache', model: 'Tag' },
        { kind: 'cache', model: 'Team' },
        { kind: 'field', model: 'Lot', field: 'title' },
        { kind: 'list', model: 'Tag', by: [], through: 'lots' },
        { kind: 'cache', model: 'Place' },
      ],
      { ...nothing, models: [{ model: 'Tag', answered: 0, omitted: [], bypassed: [] }] },
    )
    expect(definitions.map(({ cache, lines, model }) => [model, cache, lines])).toEqual([
      [
        'Tag',
        null,
        [
          "export const tagCache = defineModelCache('Tag', {",
          "  id: 'id',",
          "  ttl: '10m',",
          '  lists: {',
          "    withLots: { through: 'lots' },",
          '  },',
          '})',
        ],
      ],
      ['Team', null, ["export const teamCache = defineModelCache('Team', { ttl: '10m' })"]],
      ['Lot', null, ["export const lotCache = defineModelCache('Lot', { ttl: '10m' })"]],
      ['Place', null, ["export const placeCache = defineModelCache('Place', { ttl: '10m' })"]],
    ])
    const rest = { queries: 7, perhaps: 0, writes: null, index: null, cautions: [] }
    expect(definitions[1]!.additions).toEqual([
      { ...rest, option: 'definition', name: 'Team', value: {}, query: 'Lot.findMany({ take: 5 })' },
    ])
    expect(definitions[2]!.additions).toEqual([
      { ...rest, option: 'omit', name: 'title', value: true, query: 'findMany({ take: 5 })' },
    ])
  })

  it('have one line for a definition with an id of another name', () => {
    expect(described([{ kind: 'cache', model: 'Tag' }])[0]!.lines).toEqual([
      "export const tagCache = defineModelCache('Tag', { id: 'id', ttl: '10m' })",
    ])
  })

  it('have numbers, and what no definition answers', () => {
    const { args: _, ...argless } = example
    const rest = [example, { ...argless, count: 1 }]
    expect(
      describeSuggestions({ ...numbers, joined: [], rest, suggestions: [] }, nothing, facts, rules),
    ).toEqual({
      ...numbers,
      definitions: [],
      results: {
        queries: 3,
        joined: 0,
        models: [{ model: 'Lot', queries: 3, writes: 0, query: 'Lot.findMany({ take: 5 })' }],
        writtenOften: [],
        lines: ['results: {', "  Lot: '10m',", '},'],
      },
      rest: [
        { model: 'Lot', reason: 'condition', queries: 3, query: 'findMany({ take: 5 })' },
        { model: 'Lot', reason: 'condition', queries: 1, query: 'findMany(…)' },
      ],
    })
  })
})
