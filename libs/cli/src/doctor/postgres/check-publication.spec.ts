import type pg from 'pg'
import type { FollowedTable, FollowedTables } from '@model-cache/follow/internal'
import type { DescribedCache } from 'model-cache/internal'
import { findingLines } from '../../../../../test/support/answering-node.js'
import { checkPublication } from './check-publication.js'

const table = (name: string): FollowedTable => ({
  schema: 'public',
  name,
  models: [],
  relations: [],
  columns: new Set(),
  idColumns: new Set(['id']),
})
const asItShouldBe = {
  schema: 'public',
  kind: 'r',
  persistence: 'p',
  identity: 'd',
  identityColumns: ['id'],
  partitions: [],
  ancestors: [],
  isInherited: false,
}

interface Database {
  /** The tables there are, and what is not as it should be. */
  readonly tables: Readonly<Record<string, object>>
  readonly published: readonly { readonly name: string; readonly filter?: string }[]
  /** Undefined if there is no publication. */
  readonly known: { readonly all?: boolean; readonly root?: boolean; readonly changes?: boolean } | undefined
  readonly isStandby?: boolean
  readonly may?: boolean
}

/** What is found of a publication in a database that answers so, and what it was asked of rights. */
async function check(
  { isStandby = false, known, may = true, published, tables }: Database,
  wanted: readonly string[],
  unknown: readonly string[] = [],
): Promise<{ readonly lines: string[]; readonly meanings: (string | undefined)[]; readonly asked: unknown }> {
  let asked: unknown
  const answers: Record<string, readonly object[]> = {
    pg_index: Object.entries(tables).map(([name, changed]) => ({ ...asItShouldBe, name, ...changed })),
    pg_publication_tables: published.map(({ filter = null, name }) => ({ schema: 'public', name, filter })),
    puballtables: known ? [{ all: false, root: true, changes: true, ...known }] : [],
    pg_is_in_recovery: [{ isStandby, may }],
  }
  const client = {
    async query(statement: string, values: unknown) {
      const [words, rows] = Object.entries(answers).find(([words]) => statement.includes(words))!
      if (words === 'pg_is_in_recovery') asked = values
      return { rows }
    },
  } as unknown as pg.Client
  const followed: FollowedTables = {
    tables: new Map(wanted.map((name) => [name, table(name)])),
    unknown: unknown.map((name) => ({ name }) as DescribedCache),
  }
  const findings = await checkPublication(client, 'shop', followed)
  return { lines: findingLines(findings), meanings: findings.map(({ meaning }) => meaning), asked }
}

const all = "publish = 'insert, update, delete, truncate', publish_via_partition_root = true"
const whole = 'ok postgres.publication: The publication shop has all tables of the caches.'
const [Lot, User] = [{ name: 'Lot' }, { name: 'User' }]
const both = { Lot: {}, User: {} }

describe('checkPublication', () => {
  it.each<readonly [title: string, known: Database['known']]>([
    ['changes of partitions under their own names', { root: false }],
    ['both, also if it has all tables', { root: false, changes: false, all: true }],
  ])('gives the statement for one that has %s', async (_, known) => {
    const { lines } = await check({ tables: both, published: [Lot, User], known }, ['Lot', 'User'])
    expect(lines).toEqual([
      'warning postgres.publication: The publication shop leaves out some changes, or has those of partitions under their own names. → ' +
        `ALTER PUBLICATION "shop" SET (${all});`,
    ])
  })

  const lacks = 'The publication shop lacks Lot, Bid.'
  const add = 'ALTER PUBLICATION "shop" ADD TABLE "public"."Lot", "public"."Bid";'
  it.each<readonly [title: string, rights: Partial<Database>, expected: string]>([
    ['may change it', {}, `note postgres.publication: ${lacks} → ${add}`],
    [
      'may not change it',
      { may: false },
      `error postgres.publication: ${lacks} The role may not change that. → Run as the owner of the tables: ${add}`,
    ],
    [
      'is connected to a standby',
      { isStandby: true, may: false },
      `warning postgres.publication: ${lacks} → Give followPostgres the \`primary\`, or run there as the owner of the tables: ${add}`,
    ],
  ])('names the tables that it lacks, to a role that %s', async (_, rights, expected) => {
    const tables = { ...both, Bid: {} }
    const { asked, lines } = await check({ tables, published: [User], known: {}, ...rights }, [
      'Lot',
      'User',
      'Bid',
    ])
    expect(lines).toEqual([expected])
    expect(asked).toEqual(['shop', ['public', 'public'], ['Lot', 'Bid']])
  })

  it('gives the statement that creates it', async () => {
    const missing = { tables: both, published: [], known: undefined }
    expect((await check(missing, ['Lot'])).lines).toEqual([
      'note postgres.publication: There is no publication shop. → ' +
        `CREATE PUBLICATION "shop" FOR TABLE "public"."Lot" WITH (${all});`,
    ])
    expect((await check(missing, [])).lines).toEqual([
      `note postgres.publication: There is no publication shop. → CREATE PUBLICATION "shop" WITH (${all});`,
    ])
  })

  it('names the caches whose tables are unknown', async () => {
    const { lines } = await check({ tables: {}, published: [], known: {} }, [], ['users', 'lots'])
    expect(lines).toEqual([
      expect.stringContaining(
        'warning postgres.unknown-tables: The tables of the cache users are unknown. →',
      ),
      expect.stringContaining('warning postgres.unknown-tables: The tables of the cache lots are unknown. →'),
      whole,
    ])
  })
})
