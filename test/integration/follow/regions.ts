/** A second region: its processes and its follower read from a standby, and writers write to the primary. */
import { PrismaPg } from '@prisma/adapter-pg'
import pg from 'pg'
import { followPostgres, type FollowPostgresOptions } from '@model-cache/follow'
import { eventually } from '../../support/eventually.ts'
import {
  createPostgresDatabase,
  type PostgresServer,
  startPostgres,
  startStandby,
} from '../../support/postgres-server.ts'
import { type ServerProxy, startServerProxy } from '../../support/server-proxy.ts'
import { useLookupWorlds } from '../lookups/lookup-pods.ts'
import { type FollowWorld, logical, useFollowers } from './follow-worlds.ts'
import { openPosts as openUndrainedPosts } from './followed-posts.ts'

/** The pods and the followers of this world lead to the standby, and `sql` to the primary. */
export interface Region extends FollowWorld {
  /** Of the database, on the standby. */
  readonly standbyUrl: string
  /** Over which the standby gets the log. */
  readonly wire: ServerProxy
  /** Queries the standby. */
  readonly standbySql: pg.Client
  /** Has the standby get the log from another standby, whose database the client queries. */
  cascade(): Promise<pg.Client>
  /** Waits until the standby has everything that was committed. */
  untilReplayed(): Promise<void>
}

export function useRegions(): () => Promise<Region> {
  let primary: PostgresServer
  let standby: PostgresServer
  let wire: ServerProxy
  let standbySql: pg.Client
  const closing: (() => Promise<unknown>)[] = []
  beforeAll(async () => {
    primary = await startPostgres({ ...logical, synchronous_commit: 'on' })
    wire = await startServerProxy(primary.port)
    standby = await startStandby(primary, { port: wire.port })
  }, 60_000)
  const onServer = (databaseUrl: string, { port }: PostgresServer): string =>
    Object.assign(new URL(databaseUrl), { port: String(port) }).href
  const cascade = async (databaseUrl: string): Promise<pg.Client> => {
    const upstream = await startStandby(primary)
    closing.push(() => upstream.stop())
    wire.target = upstream.port
    await wire.refuse()
    await wire.accept()
    const sql = new pg.Client({ connectionString: onServer(databaseUrl, upstream) })
    await sql.connect()
    closing.push(() => sql.end())
    const streaming = `SELECT FROM pg_stat_replication WHERE state = 'streaming'`
    await eventually(async () => (await sql.query(streaming)).rowCount)
    return sql
  }
  const openWorld = useLookupWorlds(async () => {
    const database = await createPostgresDatabase(primary.url)
    const connectionString = onServer(database.url, standby)
    return { ...database, adapter: (max) => new PrismaPg({ connectionString, ...(max && { max }) }) }
  })
  const follow = useFollowers((options) => followPostgres(options as FollowPostgresOptions))
  afterEach(() => standbySql?.end())
  afterAll(async () => {
    for (const close of closing.toReversed()) await close()
    await standby.stop()
    await wire.stop()
    await primary.stop()
  })

  return async () => {
    const world = await openWorld()
    const { rows } = await world.sql.query<{ name: string }>('SELECT pubname AS name FROM pg_publication')
    for (const { name } of rows) await world.sql.query(`DROP PUBLICATION "${name}"`)
    const untilReplayed = async (): Promise<void> => {
      const end = await world.sql.query<{ lsn: string }>('SELECT pg_current_wal_flush_lsn()::text AS lsn')
      const { lsn } = end.rows[0]!
      const replayed = 'SELECT pg_last_wal_replay_lsn() >= $1::pg_lsn AS done'
      await eventually(async () => (await standbySql.query<{ done: boolean }>(replayed, [lsn])).rows[0]!.done)
    }
    const standbyUrl = onServer(world.databaseUrl, standby)
    standbySql = new pg.Client({ connectionString: standby.url })
    // Some tests end its server's connections.
    standbySql.on('error', () => {})
    await standbySql.connect()
    await untilReplayed()
    return {
      ...world,
      postgres: primary,
      follow: follow({ ...world, databaseUrl: standbyUrl }),
      standbyUrl,
      standbySql,
      wire,
      cascade: () => cascade(world.databaseUrl),
      untilReplayed,
    }
  }
}

/** The posts as the region reads and stores them, and as the primary renames them. */
export async function openPosts(region: Region) {
  const posts = await openUndrainedPosts(region)
  const title = async (): Promise<string | undefined> => {
    const found = await posts.title()
    await posts.caches.posts.drain()
    return found
  }
  await title()
  return { ...posts, title }
}

/** The option of a follower that may write on the primary. */
export const primaryOf = ({ databaseUrl }: Region) => ({ primary: { url: databaseUrl } })

/** Has the standby give up its slots: rows of the catalogue that they need are removed. */
export async function removeCatalogueRows({ sql, untilReplayed }: Region): Promise<void> {
  await sql.query('CREATE TABLE removed (id int)')
  await sql.query('DROP TABLE removed')
  await sql.query('VACUUM pg_class')
  await sql.query('VACUUM FULL pg_class')
  await untilReplayed()
}
