import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { followPostgres } from '@model-cache/follow'
import { eventually, eventuallyEqual } from '../../support/eventually.js'
import { startPostgres } from '../../support/postgres-server.ts'
import { defineWithLookups, definePosts } from '../lookups/posts.js'
import { untilTaken } from './followed-caches.js'
import { type FollowWorld, type StartedFollower, useFollowWorlds } from './follow-worlds.js'

const openWorld = useFollowWorlds({ synchronous_commit: 'on' })

type Row = Readonly<Record<string, unknown>>
interface AnyCache {
  get(id: unknown): Promise<Row | null>
  drain(): Promise<void>
}

/** One cache, whose rows have been read. */
async function openCache({ openPod }: FollowWorld, model: string, id: unknown, options: object = {}) {
  const { caches } = await openPod({ cache: defineWithLookups<never>(model, options) })
  const cache = caches.cache as unknown as AnyCache
  const read = async (): Promise<Row | null> => {
    const row = await cache.get(id)
    await cache.drain()
    return row
  }
  await read()
  return read
}

/** As a pooler, it gives each client a process number of its own: the one in BackendKeyData. */
async function startPooler(target: number) {
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    const upstream = connect(target, '127.0.0.1')
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => {
        client.destroy()
        upstream.destroy()
      })
    }
    client.pipe(upstream)
    upstream.on('data', (bytes: Buffer) => {
      const key = bytes.indexOf(Buffer.from([0x4b, 0, 0, 0, 12]))
      if (key >= 0) bytes.writeInt32BE(7, key + 5)
      client.write(bytes)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    stop: async () => {
      const closed = once(server, 'close')
      server.close()
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}

let roles = 0

/** The URL of a role that may not do much. */
async function urlOfRole({ databaseUrl, sql }: FollowWorld, attributes: string): Promise<string> {
  const name = `role_${++roles}`
  await sql.query(`CREATE ROLE ${name} LOGIN ${attributes} PASSWORD 'secret'`)
  const url = new URL(databaseUrl)
  url.username = name
  url.password = 'secret'
  return url.href
}

const publicationOf = ({ namespace }: FollowWorld): string =>
  `publication_${namespace.replaceAll(/[^a-z0-9]/g, '').slice(-12)}`

async function publishedTables({ sql }: FollowWorld, publication: string): Promise<string[]> {
  const { rows } = await sql.query<{ name: string }>(
    'SELECT tablename AS name FROM pg_publication_tables WHERE pubname = $1 ORDER BY 1',
    [publication],
  )
  return rows.map(({ name }) => name)
}

/** Resolves with the statement that the log names. */
async function statementIn({ warnings }: StartedFollower): Promise<string> {
  const pattern = /a role that owns the publication and the tables: (.*?;)/
  await eventually(() => warnings.some((warning) => pattern.test(warning)))
  return warnings.map((warning) => pattern.exec(warning)?.[1]).find((found) => found !== undefined)!
}

describe('tables that are not followed', () => {
  it.each<[title: string, setUp: string, restore: string, warning: RegExp, model?: string]>([
    [
      'without a replica identity',
      `ALTER TABLE "Setting" DROP CONSTRAINT "Setting_pkey"`,
      `ALTER TABLE "Setting" ADD PRIMARY KEY (id)`,
      /"Setting" has no replica identity: .* REPLICA IDENTITY USING INDEX/,
    ],
    [
      'whose replica identity is NOTHING',
      `ALTER TABLE "Setting" REPLICA IDENTITY NOTHING`,
      `ALTER TABLE "Setting" REPLICA IDENTITY DEFAULT`,
      /"Setting" has no replica identity/,
    ],
    [
      'that are unlogged',
      `ALTER TABLE "Setting" SET UNLOGGED`,
      `ALTER TABLE "Setting" SET LOGGED`,
      /"Setting" is not logged. Run: ALTER TABLE "public"."Setting" SET LOGGED;/,
    ],
    [
      'with a partition without a replica identity',
      `ALTER TABLE "Setting" RENAME TO plain;
       CREATE TABLE "Setting" (LIKE plain INCLUDING DEFAULTS) PARTITION BY RANGE (id);
       ALTER TABLE "Setting" REPLICA IDENTITY FULL;
       CREATE TABLE low PARTITION OF "Setting" FOR VALUES FROM (0) TO (1000);
       INSERT INTO "Setting" SELECT * FROM plain`,
      `DROP TABLE "Setting"; ALTER TABLE plain RENAME TO "Setting"`,
      /partitions low of "public"."Setting" have no replica identity.* REPLICA IDENTITY FULL/,
    ],
    [
      'whose key is deferrable',
      `ALTER TABLE "Setting" DROP CONSTRAINT "Setting_pkey", ADD CONSTRAINT later PRIMARY KEY (id) DEFERRABLE`,
      `ALTER TABLE "Setting" DROP CONSTRAINT later, ADD PRIMARY KEY (id)`,
      /"Setting" has no replica identity: .* primary key that is not DEFERRABLE/,
    ],
    [
      'with a partition whose replica identity lacks the id',
      `ALTER TABLE "Setting" RENAME TO plain;
       CREATE TABLE "Setting" (LIKE plain INCLUDING DEFAULTS, PRIMARY KEY (id)) PARTITION BY RANGE (id);
       CREATE TABLE low PARTITION OF "Setting" FOR VALUES FROM (0) TO (1000);
       CREATE UNIQUE INDEX low_key ON low (key) INCLUDE (id);
       ALTER TABLE low REPLICA IDENTITY USING INDEX low_key;
       INSERT INTO "Setting" SELECT * FROM plain`,
      `DROP TABLE "Setting"; ALTER TABLE plain RENAME TO "Setting"`,
      /The replica identities of the partitions low of "public"."Setting" lack "id".* REPLICA IDENTITY FULL/,
    ],
    [
      'with a partition that is unlogged',
      `ALTER TABLE "Setting" RENAME TO plain;
       CREATE TABLE "Setting" (LIKE plain INCLUDING DEFAULTS, PRIMARY KEY (id)) PARTITION BY RANGE (id);
       CREATE UNLOGGED TABLE low PARTITION OF "Setting" FOR VALUES FROM (0) TO (1000);
       INSERT INTO "Setting" SELECT * FROM plain`,
      `DROP TABLE "Setting"; ALTER TABLE plain RENAME TO "Setting"`,
      /The partitions low of "public"."Setting" are not logged.* SET LOGGED/,
    ],
    [
      'that others inherit from',
      `CREATE TABLE child () INHERITS ("Setting")`,
      'DROP TABLE child',
      /Other tables inherit from "public"."Setting"/,
    ],
    ['that are views', 'SELECT', 'SELECT', /"AccountStat" is not a table/, 'AccountStat'],
  ])(
    'are those %s: updates work, and a warning says what to do',
    async (_, setUp, restore, warning, model = 'Setting') => {
      const world = await openWorld()
      await world.sql.query(setUp)
      try {
        const { caches } = await world.openPod({ posts: definePosts() })
        const ofView = { id: 'accountId', dependsOn: 'ttl' }
        const read = await openCache(world, model, 1, model === 'Setting' ? {} : ofView)
        await caches.posts.get(1n)
        const publication = publicationOf(world)
        const { follower, warnings } = await world.follow({ publication })
        expect(warnings).toEqual([expect.stringMatching(warning)])
        expect(await publishedTables(world, publication)).toEqual(['Post'])
        if (model === 'Setting') {
          await world.sql.query(
            `UPDATE "Setting" SET key = 'past the log' WHERE id = 1; DELETE FROM "Setting" WHERE id = 2`,
          )
          expect(await read()).not.toBeNull()
        }
        // Only the other one counts as followed, and is.
        await eventuallyEqual(() => follower.report!.caches.length, 1)
        await world.sql.query(`UPDATE "Post" SET title = 'followed' WHERE id = 1`)
        await eventuallyEqual(async () => (await caches.posts.get(1n))!.title, 'followed')
      } finally {
        await world.sql.query(restore)
      }
    },
  )

  it('leave those with an id outside of the replica identity followed, with a warning', async () => {
    const world = await openWorld()
    const read = await openCache(world, 'Day', 'day 1', { id: 'label' })
    const { warnings } = await world.follow()
    expect(warnings).toEqual([
      expect.stringMatching(/The replica identity of "public"."Day" lacks "label".* REPLICA IDENTITY FULL/),
    ])
    expect(await read()).not.toBeNull()
    await world.sql.query(`UPDATE "Day" SET label = 'other' WHERE label = 'day 1'`)
    await untilTaken(world)
    expect(await read()).toBeNull()
  })
})

describe('rights', () => {
  it('a role without REPLICATION is named, with the remedy, and followed as soon as it has it', async () => {
    const world = await openWorld()
    const url = await urlOfRole(world, 'NOREPLICATION')
    await openCache(world, 'Setting', 1)
    const publication = publicationOf(world)
    await world.sql.query(
      `CREATE PUBLICATION ${publication} FOR TABLE "Setting" WITH (publish_via_partition_root)`,
    )
    const { follower, warnings } = await world.follow({ url, publication, standsBy: true })
    await eventually(() => warnings.length > 0)
    expect(warnings[0]).toMatch(/ALTER ROLE … REPLICATION/)
    expect(warnings[0]).not.toContain('secret')
    await world.sql.query(`ALTER ROLE ${new URL(url).username} REPLICATION`)
    await eventuallyEqual(() => follower.report?.state, 'following')
  })

  it('a role that may not create the publication logs the statement, which its owner runs', async () => {
    const world = await openWorld()
    const url = await urlOfRole(world, 'REPLICATION')
    const read = await openCache(world, 'Setting', 1)
    const started = await world.follow({ url, standsBy: true })
    await world.sql.query(await statementIn(started))
    await eventuallyEqual(() => started.follower.report?.state, 'following')
    expect(await read()).toMatchObject({ key: 'k1' })
    await world.sql.query(`UPDATE "Setting" SET key = 'new' WHERE id = 1`)
    await eventuallyEqual(async () => (await read())!.key, 'new')
  })

  it('a later table that may not be added leaves the others followed', async () => {
    const world = await openWorld()
    const url = await urlOfRole(world, 'REPLICATION')
    const read = await openCache(world, 'Setting', 1)
    const publication = publicationOf(world)
    await world.sql.query(
      `CREATE PUBLICATION ${publication} FOR TABLE "Setting" WITH (publish_via_partition_root)`,
    )
    const started = await world.follow({ url, publication, caches: 1 })
    await openCache(world, 'Badge', 1)
    expect(await statementIn(started)).toBe(`ALTER PUBLICATION "${publication}" ADD TABLE "public"."Badge";`)
    expect(started.follower.report!.caches).toHaveLength(1)
    await world.sql.query(`UPDATE "Setting" SET key = 'new' WHERE id = 1`)
    await eventuallyEqual(async () => (await read())!.key, 'new')
  })
})

describe('publications that were made by hand', () => {
  it.each([
    ['FOR ALL TABLES', false],
    ['FOR ALL TABLES WITH (publish_via_partition_root)', true],
    [`FOR TABLE "Setting" WITH (publish = 'insert')`, false],
    ['FOR TABLES IN SCHEMA public', false],
    ['', false],
  ])('%s: partitions are followed, as all kinds of changes', async (made) => {
    const world = await openWorld()
    await world.sql.query(
      `ALTER TABLE "Setting" RENAME TO plain;
       CREATE TABLE "Setting" (LIKE plain INCLUDING DEFAULTS, PRIMARY KEY (id)) PARTITION BY RANGE (id);
       CREATE TABLE low PARTITION OF "Setting" FOR VALUES FROM (0) TO (1000);
       INSERT INTO "Setting" SELECT * FROM plain`,
    )
    const publication = publicationOf(world)
    try {
      // One for all tables has those without a key as well.
      await world.sql.query('ALTER TABLE "Unseen" REPLICA IDENTITY FULL')
      await world.sql.query(`CREATE PUBLICATION ${publication} ${made}`)
      const read = await openCache(world, 'Setting', 1)
      const { stop } = await world.follow({ publication })
      expect(await read()).toMatchObject({ key: 'k1' })
      await world.sql.query(`UPDATE "Setting" SET key = 'new' WHERE id = 1`)
      await untilTaken(world)
      expect(await read()).toMatchObject({ key: 'new' })
      await world.sql.query(`TRUNCATE "Setting"`)
      await untilTaken(world)
      expect(await read()).toBeNull()
      await stop()
    } finally {
      await world.sql.query(`DROP PUBLICATION IF EXISTS ${publication}`)
      await world.sql.query('DROP TABLE "Setting"; ALTER TABLE plain RENAME TO "Setting"')
    }
  })
})

it('warns of a partition whose changes the publication has under the name of its table', async () => {
  const world = await openWorld()
  await world.sql.query(
    `ALTER TABLE "Setting" RENAME TO plain;
     CREATE TABLE every (LIKE plain INCLUDING DEFAULTS, PRIMARY KEY (id)) PARTITION BY RANGE (id);
     CREATE TABLE "Setting" PARTITION OF every FOR VALUES FROM (0) TO (1000)`,
  )
  const publication = publicationOf(world)
  try {
    await world.sql.query(
      `CREATE PUBLICATION ${publication} FOR TABLE every WITH (publish_via_partition_root)`,
    )
    await openCache(world, 'Setting', 1)
    // Its table is published nevertheless.
    await openCache(world, 'Badge', 1)
    const { follower, stop, warnings } = await world.follow({ publication })
    expect(warnings).toEqual([expect.stringContaining('"Setting" is a partition of "public"."every"')])
    await eventuallyEqual(() => follower.report!.caches.length, 1)
    await stop()
  } finally {
    await world.sql.query('DROP TABLE every; ALTER TABLE plain RENAME TO "Setting"')
  }
})

it('warns of a publication that leaves out rows, whose table is followed once it has been dropped from it', async () => {
  const world = await openWorld()
  const publication = publicationOf(world)
  await world.sql.query(`CREATE PUBLICATION ${publication} FOR TABLE "Setting" WHERE (id > 3)`)
  await openCache(world, 'Setting', 1)
  const { follower, warnings } = await world.follow({ publication })
  expect(warnings).toEqual([
    expect.stringMatching(
      /leaves out rows of "public"."Setting": WHERE \(id > 3\).* DROP TABLE "public"."Setting";/,
    ),
  ])
  expect(follower.report!.caches).toEqual([])
  await world.sql.query(`ALTER PUBLICATION ${publication} DROP TABLE "Setting"`)
  await eventuallyEqual(() => follower.report!.caches.length, 1)
  expect(warnings).toHaveLength(1)
})

describe('the server', () => {
  it('is refused without a logical log, with the remedy', async () => {
    const world = await openWorld()
    const server = await startPostgres({ wal_level: 'replica', max_replication_slots: '1' })
    try {
      const { warnings } = await world.follow({ url: server.url, standsBy: true })
      await eventually(() => warnings.length > 0)
      expect(warnings[0]).toContain(
        `wal_level is 'replica'. Run: ALTER SYSTEM SET wal_level = 'logical'; and restart`,
      )
      expect(warnings[0]).not.toContain('slots are in use')
    } finally {
      await server.stop()
    }
  })

  it('is refused while all slots are in use, and followed as soon as one is free', async () => {
    const world = await openWorld()
    await openCache(world, 'Setting', 1)
    const { rows } = await world.sql.query<{ free: number }>(
      `SELECT current_setting('max_replication_slots')::int - count(*)::int AS free FROM pg_replication_slots`,
    )
    for (let n = 0; n < rows[0]!.free; n++)
      await world.sql.query(`SELECT pg_create_physical_replication_slot('slot_${n}')`)
    try {
      const { follower, warnings } = await world.follow({ standsBy: true })
      await eventually(() => warnings.length > 0)
      expect(warnings[0]).toMatch(
        /All 20 replication slots are in use. Drop one .* raise max_replication_slots/,
      )
      await world.sql.query(`SELECT pg_drop_replication_slot('slot_0')`)
      await eventuallyEqual(() => follower.report?.state, 'following')
    } finally {
      await world.sql.query(
        `SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots WHERE slot_type = 'physical'`,
      )
    }
  })

  it('is refused while COMMITs wait for any client of its log, the follower among them', async () => {
    const world = await openWorld()
    await openCache(world, 'Setting', 1)
    const waitFor = async (names: string): Promise<void> => {
      await world.sql.query(`ALTER SYSTEM SET synchronous_standby_names = '${names}'`)
      await world.sql.query('SELECT pg_reload_conf()')
      await eventually(async () => {
        const { rows } = await world.sql.query<{ value: string }>(
          `SELECT current_setting('synchronous_standby_names') AS value`,
        )
        return rows[0]!.value === names
      })
    }
    await waitFor('ANY 1 (*)')
    try {
      const { follower, warnings } = await world.follow({ standsBy: true })
      await eventually(() => warnings.length > 0)
      expect(warnings[0]).toContain(
        "synchronous_standby_names is 'ANY 1 (*)', which takes the follower for a standby",
      )
      await waitFor('')
      await eventuallyEqual(() => follower.report?.state, 'following')
    } finally {
      await waitFor('')
    }
  })

  it('is refused behind a pooler, which shares sessions', async () => {
    const world = await openWorld()
    await openCache(world, 'Setting', 1)
    const pooler = await startPooler(world.postgres.port)
    try {
      const url = new URL(world.databaseUrl)
      url.port = String(pooler.port)
      const { warnings } = await world.follow({ url: url.href, standsBy: true })
      await eventually(() => warnings.length > 0)
      expect(warnings[0]).toContain('The URL leads to a pooler')
    } finally {
      await pooler.stop()
    }
  })

  it.each(['mysql://localhost/db', 'localhost:5432', '', undefined])(
    'has a postgres:// URL, not %p',
    (url) => {
      expect(() => followPostgres({ url: url as string })).toThrow('a postgres:// URL of the database')
    },
  )
})
