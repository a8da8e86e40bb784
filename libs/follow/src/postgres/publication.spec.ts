import { tableKey } from 'model-cache/internal'
import { type Asked, type ClientAnswers, postgresClient } from '../../../../test/support/answering-client.js'
import { followedTable } from '../../../../test/support/scripted-log.js'
import type { FollowedTable } from '../followed-tables.js'
import type { AdvisoryLock } from './advisory-lock.js'
import { FollowedPublication } from './followed-publication.js'
import { inspectPublication, publicationOf, publish, publishedVersions } from './publication.js'
import type { StandbyPrimary } from './standby-primary.js'

const place = (name: string) => ({ schema: 'public', name })
const lots = followedTable('lots', 'id')
const bids = followedTable('bids', 'id')

/** And of one of its partitions. */
const partition = (name: string, change: object = {}) => ({
  name,
  kind: 'r',
  persistence: 'p',
  identity: 'd',
  identityColumns: ['id'],
  ...change,
})

/** What the catalogue says of a table. */
const foundOf = (name: string, change: object = {}) => ({
  ...place(name),
  kind: 'r',
  persistence: 'p',
  identity: 'd',
  identityColumns: ['id'],
  partitions: [],
  ancestors: [],
  isInherited: false,
  ...change,
})

interface Published {
  readonly found?: readonly object[]
  /** The tables of the publication, and their filters. */
  readonly listed?: readonly (readonly [name: string, filter?: string])[]
  readonly known?: { readonly all?: boolean; readonly root?: boolean; readonly changes?: boolean } | null
}

/** A database with a publication. */
const answersOf = ({
  found = [foundOf('lots'), foundOf('bids')],
  known = {},
  listed = [],
}: Published): ClientAnswers => [
  ['relreplident AS identity', found],
  [
    'pg_publication_tables p WHERE',
    listed.map(([name, filter]) => ({ ...place(name), filter: filter ?? null })),
  ],
  ['puballtables', known ? [{ all: false, root: true, changes: true, ...known }] : []],
]
const valuesOf = (asked: readonly Asked[], text: string) =>
  asked.filter(([sql]) => sql.includes(text)).map(([, values]) => values)

async function problemsOf(table: FollowedTable, published: Published) {
  const { client } = postgresClient(answersOf(published))
  const { problems } = await inspectPublication(client, 'the publication', [table])
  return problems
}

describe('a publication', () => {
  it('is found with its tables', async () => {
    const { asked, client } = postgresClient(answersOf({ listed: [['lots'], ['bids', 'id > 1']] }))
    const { known, published } = await inspectPublication(client, 'shop', [lots, bids])
    expect(known).toEqual({ all: false, root: true, changes: true })
    expect([...published]).toEqual([
      [tableKey(lots), { ...place('lots'), filter: null }],
      [tableKey(bids), { ...place('bids'), filter: 'id > 1' }],
    ])
    expect(asked.map(([, values]) => values)).toEqual([
      [
        ['public', 'public'],
        ['lots', 'bids'],
      ],
      ['shop'],
      ['shop'],
    ])
  })

  it.each<[string, object]>([
    ['a table with a key', {}],
    ['a partitioned table', { kind: 'p', partitions: [partition('lots_1'), partition('lots_2')] }],
    [
      'a partition whose whole rows are logged',
      { kind: 'p', partitions: [partition('lots_1', { identity: 'f', identityColumns: [] })] },
    ],
    [
      'a partition with more in its key',
      { kind: 'p', partitions: [partition('lots_1', { identityColumns: ['code', 'id'] })] },
    ],
    [
      'a partition with another key, of a table whose whole rows are logged',
      {
        kind: 'p',
        identity: 'f',
        identityColumns: ['id'],
        partitions: [partition('lots_1', { identityColumns: ['code'] })],
      },
    ],
    [
      'a partition without what no cache needs',
      { kind: 'p', identityColumns: ['id', 'day'], partitions: [partition('lots_1')] },
    ],
    ['a partition of a table that is not published', { ancestors: [place('all_lots')] }],
    ['a table whose whole rows are logged', { identity: 'f', identityColumns: [] }],
  ])('has no problem with %s', async (_, change) => {
    expect(await problemsOf(lots, { found: [foundOf('lots', change)] })).toEqual([])
  })

  it.each<[string, Published, string]>([
    [
      'a table that is not there',
      { found: [foundOf('bids')] },
      'There is no table "public"."lots" in the database that is followed. Migrate the database, or give the URL of the one that has it.',
    ],
    [
      'partitions that are foreign tables',
      {
        found: [
          foundOf('lots', {
            partitions: [partition('lots_1', { kind: 'f', identityColumns: [] }), partition('lots_2')],
          }),
        ],
      },
      'The partitions lots_1 of "public"."lots" are foreign tables, so the log does not have their changes; caches of it cannot be followed. Detach them, or let writers call invalidate.',
    ],
  ])('has a problem with %s', async (_, published, message) => {
    const problems = await problemsOf(lots, published)
    expect(problems).toEqual([
      expect.objectContaining({ table: tableKey(lots), kind: 'table', message, isFollowed: false }),
    ])
    const [{ found, remedy }] = problems as [(typeof problems)[number]]
    expect(`${found} ${remedy}`).toBe(message)
  })

  it('names all partitions that lack a column of an id', async () => {
    const partitions = [
      partition('lots_1', { identityColumns: ['id'] }),
      partition('lots_2', { identityColumns: ['code'] }),
      partition('lots_3', { identityColumns: ['code', 'id'] }),
    ]
    const found = [foundOf('lots', { identityColumns: ['code', 'id'], partitions })]
    expect(await problemsOf(followedTable('lots', 'id', 'code'), { found })).toEqual([
      expect.objectContaining({
        found: expect.stringContaining(
          'The replica identities of the partitions lots_1, lots_2 of "public"."lots" lack "code", "id", which',
        ) as string,
      }),
    ])
  })

  it('is named after its namespace, in the letters that names of PostgreSQL have', () => {
    const long = 'a'.repeat(40)
    expect(['mc', 'shop_2', long].map(publicationOf)).toEqual([
      'model_cache_mc',
      'model_cache_shop_2',
      `model_cache_${long}`,
    ])
    expect(['Shop', 'shop-2', `${long}a`].map(publicationOf)).toEqual([
      expect.stringMatching(/^model_cache_shop_[0-9a-f]{8}$/),
      expect.stringMatching(/^model_cache_shop_2_[0-9a-f]{8}$/),
      expect.stringMatching(/^model_cache_a{31}_[0-9a-f]{8}$/),
    ])
  })
})

describe('to publish tables', () => {
  /** The statements that change something, and the problems. */
  async function publishing(published: Published, tables = [lots, bids], failure?: Error) {
    const { asked, client } = postgresClient([
      ...(failure ? [['PUBLICATION "shop"', failure] as const] : []),
      ...answersOf(published),
    ])
    const problems = await publish(client, 'shop', tables)
    return {
      ran: asked.map(([sql]) => sql).filter((sql) => /^(CREATE|ALTER) /.test(sql)),
      problems: problems.map(({ isFollowed, message, table }) => [table, isFollowed, message]),
    }
  }
  const options = "publish = 'insert, update, delete, truncate', publish_via_partition_root = true"

  it.each<[string, Published, string[]]>([
    [
      'a publication is created without a partition of one of them',
      { known: null, found: [foundOf('lots'), foundOf('bids', { ancestors: [place('lots')] })] },
      [`CREATE PUBLICATION "shop" FOR TABLE "public"."lots" WITH (${options})`],
    ],
    [
      'an empty publication is created if there are none',
      { known: null, found: [] },
      [`CREATE PUBLICATION "shop" WITH (${options})`],
    ],
    ['nothing is done if it has them', { listed: [['lots'], ['bids']] }, []],
  ])('%s', async (_, published, ran) => {
    expect((await publishing(published)).ran).toEqual(ran)
  })

  it('fails for those that cannot be added', async () => {
    const { problems } = await publishing(
      { listed: [['lots']], found: [foundOf('lots', { identityColumns: ['code'] }), foundOf('bids')] },
      [lots, bids],
      new Error('not the owner'),
    )
    expect(problems).toEqual([
      [tableKey(lots), true, expect.stringContaining('lacks "id"')],
      [
        tableKey(bids),
        false,
        'model-cache: cannot set up the publication: not the owner. Run this, as a role that owns the publication and the tables: ' +
          'ALTER PUBLICATION "shop" ADD TABLE "public"."bids";',
      ],
    ])
  })

  it.each([
    ['42501', 'Run this, as a role that owns the publication and the tables: CREATE PUBLICATION "shop"'],
    ['25006', 'Run this on the primary, or give its address as `primary`, as a role'],
    ['55P03', 'Another statement has locked a table; it is tried again.'],
  ])('fails with the error %s of PostgreSQL', async (code, remedy) => {
    const failure = Object.assign(new Error('refused'), { code })
    await expect(publishing({ known: null }, [lots], failure)).rejects.toMatchObject({
      code: 'E_FOLLOW',
      cause: failure,
      message: expect.stringContaining(`cannot set up the publication: refused. ${remedy}`) as string,
    })
  })

  it('does not fail if another follower was faster', async () => {
    const failure = Object.assign(new Error('exists'), { code: '42710' })
    expect((await publishing({ known: null }, [lots], failure)).problems).toEqual([])
  })
})

describe('the versions of published tables', () => {
  it('are those that PostgreSQL has', async () => {
    let sql = ''
    const query = async (text: string) => {
      sql = text
      return { versions: { '["public" , "lots"]': 'first' } }
    }
    const versions = await publishedVersions(query, "shop's", [lots, followedTable("bids'")])
    expect(versions).toEqual(new Map([[tableKey(lots), 'first']]))
    expect(sql).toContain(
      "WHERE p.pubname = 'shop''s' AND (t.schemaname, t.tablename) IN (('public', 'lots'), ('public', 'bids'''))",
    )
  })

  it('are none without a publication, and none of no tables, for which nobody is asked', async () => {
    expect(await publishedVersions(async () => ({ versions: null }), 'shop', [lots])).toEqual(new Map())
    const refuse = () => Promise.reject(new Error('asked'))
    expect(await publishedVersions(refuse, 'shop', [])).toEqual(new Map())
  })
})

describe('the publication of a follower', () => {
  const versionsOf = (...names: string[]) => [
    { versions: Object.fromEntries(names.map((name) => [JSON.stringify(['public', name]), 'first'])) },
  ]
  const newPublication = (answers: ClientAnswers, primary?: Partial<StandbyPrimary>) => {
    const { asked, client } = postgresClient(answers)
    const run = (work: (one: typeof client) => unknown) => work(client)
    const lock = { run, ask: run } as unknown as AdvisoryLock
    return {
      asked,
      publication: new FollowedPublication('shop', lock, primary as StandbyPrimary | undefined),
    }
  }

  it('has the versions of its tables, and says whether they have changed', async () => {
    const current = { rows: versionsOf('lots', 'bids') }
    const { publication } = newPublication([
      ['json_object_agg', () => current.rows],
      ...answersOf({ listed: [['lots'], ['bids']] }),
    ])
    expect([publication.name, publication.versions, await publication.hasChanged()]).toEqual([
      'shop',
      new Map(),
      false,
    ])
    expect(await publication.follow([lots, bids])).toEqual([])
    expect(publication.versions).toEqual(
      new Map([
        [tableKey(lots), 'first'],
        [tableKey(bids), 'first'],
      ]),
    )
    expect(await publication.hasChanged()).toBe(false)
    current.rows = versionsOf('lots')
    expect(await publication.hasChanged()).toBe(true)
  })

  it.each<[string, Published]>([
    ['has not the changes of partitions', { known: { root: false } }],
    ['has not all changes', { known: { changes: false } }],
    ['is not there', { known: null }],
  ])('has no versions if it %s', async (_, published) => {
    const { publication } = newPublication([['json_object_agg', versionsOf('lots')], ...answersOf(published)])
    await publication.follow([lots])
    expect(publication.versions).toEqual(new Map())
  })

  it('says each problem once, of before and of after it was set up', async () => {
    const found = [
      [foundOf('lots', { identityColumns: [] })],
      [foundOf('lots', { identityColumns: ['code'] })],
    ]
    const asks = (): readonly object[] => (found.length > 1 ? found.shift()! : found[0]!)
    const problems = async () => {
      const { publication } = newPublication([
        ['json_object_agg', versionsOf('lots')],
        ['relreplident AS identity', asks],
        ...answersOf({}),
      ])
      return (await publication.follow([lots])).map(({ message }) => /lacks|has no/.exec(message)![0])
    }
    expect(await problems()).toEqual(['lacks', 'has no'])
    expect(await problems()).toEqual(['lacks'])
  })

  it('of a standby is set up by its primary, and waits until the standby has it', async () => {
    const written: string[] = []
    const has = [false, true]
    const { asked, publication } = newPublication(
      [
        ['pg_last_wal_replay_lsn', () => [{ has: has.shift() }]],
        ['json_object_agg', versionsOf('lots')],
        ...answersOf({ known: null }),
      ],
      { write: async (statement) => void written.push(statement), writtenTo: 0x1_0000_00ffn },
    )
    await publication.follow([lots])
    expect(written).toEqual([expect.stringMatching(/^CREATE PUBLICATION "shop"/)])
    const statements = asked.map(([sql]) => sql)
    expect(statements.some((sql) => sql.startsWith('CREATE'))).toBe(false)
    expect(valuesOf(asked, "'1/ff'::pg_lsn").length).toBe(2)
    // What it has is asked for afterwards.
    expect(statements.findIndex((sql) => sql.includes('json_object_agg'))).toBeGreaterThan(
      statements.findLastIndex((sql) => sql.includes('pg_lsn')),
    )
  })
})
