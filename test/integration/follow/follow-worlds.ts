/** Processes with caches, a PostgreSQL with logical decoding or a MariaDB, and followers of it. */
import pg from 'pg'
import { ValkeyStore } from 'model-cache/advanced'
import {
  type Follow,
  followMysql,
  followPostgres,
  type FollowPostgresOptions,
  ModelCacheFollower,
} from '@model-cache/follow'
import { eventually, eventuallyEqual } from '../../support/eventually.ts'
import { databaseNamed } from '../../support/databases.ts'
import { createPostgresDatabase, type PostgresServer, startPostgres } from '../../support/postgres-server.ts'
import { type LookupWorld, useLookupWorlds } from '../lookups/lookup-pods.ts'

export interface FollowWorld extends LookupWorld {
  /** Not on MySQL. */
  readonly postgres: PostgresServer
  /** Starts a follower, and waits until somebody follows. */
  follow(options?: FollowOptions): Promise<StartedFollower>
}

export interface FollowOptions extends Partial<FollowPostgresOptions> {
  /** Whether to return at once. */
  readonly standsBy?: boolean
  /** Waits until it follows so many caches. */
  readonly caches?: number
  /** @default that of the world */
  readonly valkeyUrl?: string
}

export interface StartedFollower {
  readonly follower: ModelCacheFollower
  readonly warnings: string[]
  readonly counts: Map<string, number>
  stop(): Promise<void>
}

/** Settings of a server whose log can be followed. */
export const logical = {
  wal_level: 'logical',
  max_prepared_transactions: '10',
  max_replication_slots: '20',
  max_wal_senders: '20',
}

export function useFollowWorlds(settings: Readonly<Record<string, string>> = {}): () => Promise<FollowWorld> {
  let postgres: PostgresServer
  beforeAll(async () => {
    postgres = await startPostgres({ ...logical, ...settings })
  }, 30_000)
  const openWorld = useLookupWorlds(() => createPostgresDatabase(postgres.url))
  const follow = useFollowers((options) => followPostgres(options as FollowPostgresOptions))
  afterAll(() => postgres.stop())

  return async () => {
    const world = await openWorld()
    // Those of other tests, whose tables some statements refuse.
    const { rows } = await world.sql.query<{ name: string }>('SELECT pubname AS name FROM pg_publication')
    for (const { name } of rows) await world.sql.query(`DROP PUBLICATION "${name}"`)
    return { ...world, postgres, follow: follow(world) }
  }
}

/** The same on the MariaDB that all tests share, or another one. @param name of the kind of database */
export function useMysqlFollowWorlds(
  name: string,
  create = databaseNamed(name).create,
): () => Promise<FollowWorld> {
  const openWorld = useLookupWorlds(create, name)
  const follow = useFollowers(followMysql)
  return async () => {
    const world = await openWorld()
    return { ...world, follow: follow(world) } as FollowWorld
  }
}

/** Returns what starts followers of a world, which stop after each test. */
export function useFollowers(
  followOf: (options: { url: string }) => Follow,
): (world: Pick<LookupWorld, 'databaseUrl' | 'namespace' | 'valkey'>) => FollowWorld['follow'] {
  const opened: (() => Promise<void>)[] = []
  afterEach(async () => {
    for (const stop of opened.splice(0)) await stop()
  })
  return ({ databaseUrl, namespace, valkey }) => {
    const follow: FollowWorld['follow'] = async ({ caches, standsBy, valkeyUrl, ...options } = {}) => {
      const store = new ValkeyStore({ url: valkeyUrl ?? valkey.url, deadlineMs: 1_000 })
      await store.connect()
      const warnings: string[] = []
      const counts = new Map<string, number>()
      const count = (name: string, times: number): void =>
        void counts.set(name, (counts.get(name) ?? 0) + times)
      const follower = new ModelCacheFollower({
        store,
        namespace,
        follow: followOf({ url: databaseUrl, ...options }),
        warn: (message) => warnings.push(message),
        observer: {
          events: count,
          lagSeconds: () => count('lags', 1),
          takeovers: (times) => count('takeovers', times),
        },
      })
      let isStopped = false
      const stop = async (): Promise<void> => {
        if (isStopped) return
        isStopped = true
        await follower.stop()
        await store.close()
      }
      opened.push(stop)
      await follower.start()
      if (!standsBy)
        await eventuallyEqual(() => follower.report?.state, 'following').catch((error: unknown) => {
          throw new Error(`Nobody follows: ${warnings.join('; ')}`, { cause: error })
        })
      if (caches !== undefined) await eventuallyEqual(() => follower.report?.caches.length, caches)
      return { follower, warnings, counts, stop }
    }
    return follow
  }
}

export async function connectTo({ databaseUrl }: Pick<FollowWorld, 'databaseUrl'>): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  return client
}

/** Begins a transaction that writes: until it ends, a log may lack changes of it, and a table cannot join one. */
export async function beginTransaction(world: FollowWorld): Promise<{ commit(): Promise<void> }> {
  const client = await connectTo(world)
  await client.query('BEGIN; SELECT pg_current_xact_id()')
  return {
    async commit() {
      await client.query('COMMIT')
      await client.end()
    },
  }
}

/** Resolves when the follower has reported as often as this. */
export async function untilReported(follower: ModelCacheFollower, count = 1): Promise<void> {
  for (let n = 0; n < count; n++) {
    const before = follower.report?.atMs
    await eventually(() => follower.report && follower.report.atMs !== before)
  }
}
