import { jest } from '@jest/globals'
import { type DescribedCache, tableKey } from 'model-cache/internal'
import { manualClock } from '../../../test/support/manual-clock.js'
import type { FollowProblem, Leadership, OpenLog } from './database-log.js'
import type { FollowContext } from './follow-context.js'
import { JoinedTables } from './joined-tables.js'

afterEach(() => jest.restoreAllMocks())

const place = (name: string) => ({ schema: 'public', name })
const keyOf = (name: string): string => tableKey(place(name))

/** A cache of a model whose rows are in the table of the same name, and depend on those of others. */
function cacheOf(model: string, ...dependsOn: string[]): DescribedCache {
  const models = [model, ...dependsOn].map((name, i) => ({
    model: name,
    ...place(name),
    columns: i === 0 ? [{ field: 'id', column: 'id', type: 'Int' }] : [],
  }))
  return {
    name: model,
    fingerprint: 'f',
    affectedBy: undefined,
    layout: model,
    description: {
      name: model,
      model,
      id: [{ name: 'id', kind: 'number' }],
      buckets: 1,
      dependsOn,
      lookups: [],
      tables: { provider: 'postgresql', models, joins: [] },
    },
  }
}

/** A log of the tables that it is to follow, but for those that it refuses. */
function startJoining(...caches: DescribedCache[]) {
  const catalogue: { caches: readonly DescribedCache[] } = { caches }
  const server = {
    oldest: 100n,
    next: 100n,
    problems: [] as FollowProblem[],
  }
  const asked: string[][] = []
  const said: FollowProblem[][] = []
  const log: Pick<OpenLog, 'versions' | 'problems' | 'follow'> = {
    versions: new Map(),
    problems: [],
    follow: async (tables) => {
      asked.push(tables.map(({ name }) => name))
      const refused = new Set(
        server.problems.filter(({ isFollowed }) => !isFollowed).map(({ table }) => table),
      )
      const keys = tables.map(tableKey).filter((key) => !refused.has(key))
      Object.assign(log, { versions: new Map(keys.map((key) => [key, 'first'])) })
      return server.problems
    },
  }
  const leadership: Pick<Leadership, 'newTransaction' | 'transactions'> = {
    newTransaction: async () => server.next,
    transactions: async () => ({ oldest: server.oldest, has: () => false }),
  }
  const tables = new JoinedTables(
    {
      database: { providers: new Set(['postgresql']) },
      namespaceCaches: { catalogue },
    } as unknown as FollowContext,
    leadership as Leadership,
    (problems) => said.push([...problems]),
  )
  /** Joins, and follows what has joined. */
  const join = async (): Promise<unknown> => {
    const joined = await tables.join(log as OpenLog)
    tables.add(joined ?? [])
    return joined
  }
  return {
    asked: () => asked.splice(0),
    catalogue,
    join,
    said: () => said.splice(0),
    server,
    tables,
  }
}

const problem = (name: string, isFollowed: boolean): FollowProblem => ({
  table: keyOf(name),
  isFollowed,
  message: name,
})

describe('a table', () => {
  it('has joined once the transactions of before have ended, and all tables of a cache have to', async () => {
    const { asked, catalogue, join, server, tables } = startJoining(cacheOf('Post'))
    await join()
    expect([asked(), tables.followedCaches]).toEqual([[['Post']], ['Post']])
    catalogue.caches = [...catalogue.caches, cacheOf('Draft', 'Post', 'User')]
    server.oldest = 99n
    expect([await join(), tables.isJoining, tables.followedCaches]).toEqual([undefined, true, ['Post']])
    server.oldest = 100n
    expect([await join(), tables.isJoining]).toEqual([[keyOf('Draft'), keyOf('User')], false])
    expect([asked(), tables.followedCaches]).toEqual([[['Post', 'Draft', 'User']], ['Post', 'Draft']])
    expect([await join(), asked()]).toEqual([undefined, []])
  })

  it('is not followed while the log refuses it, and is tried again after five seconds', async () => {
    const clock = manualClock()
    const { asked, join, said, server, tables } = startJoining(cacheOf('Post'), cacheOf('User'))
    await join()
    server.problems = [problem('Post', true), problem('User', false)]
    tables.suspect()
    expect([await join(), [...tables.followed], said().at(-1)]).toEqual([
      undefined,
      [keyOf('Post')],
      server.problems,
    ])
    asked()
    clock.pass(5_000)
    expect([await join(), asked()]).toEqual([undefined, []])
    clock.pass(1)
    server.problems = []
    server.oldest = 99n
    expect([await join(), asked()]).toEqual([undefined, [['Post', 'User']]])
    // All that can be is followed, or about to be.
    clock.pass(5_001)
    expect([await join(), asked()]).toEqual([undefined, []])
    server.oldest = 100n
    expect([await join(), tables.followedCaches]).toEqual([[keyOf('User')], ['Post', 'User']])
    clock.pass(5_001)
    expect([await join(), asked()]).toEqual([undefined, []])
  })
})

it('names the caches that do not say where their rows are, once', async () => {
  const unknown = { ...cacheOf('Other'), description: undefined }
  const { join, said, tables } = startJoining(cacheOf('Post'), unknown, { ...unknown, layout: 'another' })
  await join()
  const message = expect.stringContaining('The caches Other do not say')
  expect([said(), tables.followedCaches]).toEqual([[[{ table: '', isFollowed: true, message }]], ['Post']])
})
