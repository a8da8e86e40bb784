import { PrismaPg } from '@prisma/adapter-pg'
import { followPostgres, type FollowPostgresOptions } from '@model-cache/follow'
import { eventually, eventuallyEqual } from '../../support/eventually.js'
import { olderPostgres } from '../../support/older-postgres.js'
import {
  createPostgresDatabase,
  type PostgresServer,
  startPostgres,
  startStandby,
} from '../../support/postgres-server.js'
import { diagnose, findingOf } from '../doctor/command-line.js'
import { useLookupWorlds } from '../lookups/lookup-pods.js'
import { definePosts } from '../lookups/posts.js'
import { logical, useFollowers } from './follow-worlds.js'

describe('a standby of PostgreSQL 15', () => {
  let primary: PostgresServer
  let standby: PostgresServer
  // Includes the download of PostgreSQL 15 on the first run.
  beforeAll(async () => {
    primary = await startPostgres(logical, await olderPostgres())
    standby = await startStandby(primary)
  }, 120_000)
  const onStandby = (databaseUrl: string): string => {
    const url = new URL(databaseUrl)
    url.port = String(standby.port)
    return url.href
  }
  const newWorld = useLookupWorlds(async () => {
    const database = await createPostgresDatabase(primary.url)
    const connectionString = onStandby(database.url)
    return { ...database, adapter: (max) => new PrismaPg({ connectionString, ...(max && { max }) }) }
  })
  const follow = useFollowers((options) => followPostgres(options as FollowPostgresOptions))
  afterAll(async () => {
    await standby?.stop()
    await primary?.stop()
  })

  it('is refused by a follower and by doctor, with a remedy that works', async () => {
    const world = await newWorld()
    const url = onStandby(world.databaseUrl)
    const { follower, warnings, stop } = await follow({ ...world, databaseUrl: url })({ standsBy: true })
    await eventually(() => warnings.length > 0)
    const refusal =
      'The URL leads to a standby, and PostgreSQL sends changes from a standby since version 16 only.'
    const remedy = 'Give the URL of the primary, and the standby as `replica`; or upgrade both.'
    expect(warnings).toEqual([expect.stringContaining(`cannot be followed: ${refusal} ${remedy}`)])
    expect(follower.report?.state).not.toBe('following')
    await stop()
    const found = await diagnose(['--database', url, '--valkey', world.valkey.url, '--follow'])
    expect(findingOf(found, 'postgres.replica')).toMatchObject({ severity: 'error', found: refusal, remedy })

    const { caches } = await world.openPod({ posts: definePosts() })
    await follow(world)({ replica: { url } })
    const title = async (): Promise<string | undefined> => {
      const row = await caches.posts.get(1n)
      await caches.posts.drain()
      return row?.title
    }
    await title()
    await world.sql.query(`UPDATE "Post" SET title = 'as the remedy says' WHERE id = 1`)
    await eventuallyEqual(title, 'as the remedy says')
  })
})
