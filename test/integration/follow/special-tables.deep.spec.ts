import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PrismaPg } from '@prisma/adapter-pg'
import { ModelCacheWrites } from 'model-cache'
import {
  bindDefinition,
  createModelCache,
  createPrismaSource,
  schemaFactsOf,
  ValkeyStore,
} from 'model-cache/advanced'
import { patientMs } from '../../support/patience.js'
import { PrismaClient } from '../differential/reads/client/client.ts'
import { defineWithLookups } from '../lookups/posts.js'
import { type Ids, openFollowedCaches, setIdentity, untilTaken } from './followed-caches.js'
import { useFollowWorlds } from './follow-worlds.js'

const openWorld = useFollowWorlds({ synchronous_commit: 'on' })

const partitions = `
  DROP TABLE "Secret";
  CREATE TABLE "Secret" (id SERIAL PRIMARY KEY, code TEXT NOT NULL, "accountId" INT NOT NULL REFERENCES accounts ON DELETE CASCADE)
    PARTITION BY RANGE (id);
  CREATE TABLE low PARTITION OF "Secret" FOR VALUES FROM (1) TO (100);
  CREATE TABLE high ("accountId" INT NOT NULL, id INT NOT NULL, code TEXT NOT NULL);
  ALTER TABLE "Secret" ATTACH PARTITION high FOR VALUES FROM (100) TO (1000)`
const inPartitions = [
  `INSERT INTO "Secret" (id, code, "accountId") SELECT n * 20, 'c' || n, 1 FROM generate_series(1, 12) n`,
  `UPDATE "Secret" SET "accountId" = 2`,
  `UPDATE "Secret" SET code = 'c9' || id WHERE id IN (40, 120)`,
  `UPDATE "Secret" SET id = 150 WHERE id = 60`,
  `UPDATE high SET "accountId" = 3 WHERE id > 150`,
  `INSERT INTO low (id, code, "accountId") VALUES (7, 'c77', 4)`,
  `DELETE FROM "Secret" WHERE id IN (20, 200)`,
  `TRUNCATE "Secret"`,
  `INSERT INTO "Secret" (id, code, "accountId") VALUES (7, 'c7', 7)`,
  `DELETE FROM accounts WHERE id = 7`,
]

// Not compressed, so that they are stored outside of the row.
const large = `
  ALTER TABLE "Secret" ALTER code SET STORAGE EXTERNAL;
  ALTER TABLE "Comment" ALTER body SET STORAGE EXTERNAL;
  ALTER TABLE "Post" ALTER title SET STORAGE EXTERNAL`
const largeValues = [
  `UPDATE "Secret" SET code = 'c' || id || repeat('x', 2500)`,
  `UPDATE "Secret" SET "accountId" = "accountId" % 3 + 1`,
  `UPDATE "Comment" SET body = repeat('y', 9000) || "postId"`,
  `UPDATE "Comment" SET "parentNo" = NULL WHERE number = 2`,
  `UPDATE "Post" SET title = repeat('z', 9000 + (id % 2)::int)`,
  `UPDATE "Post" SET "editorId" = NULL`,
  `UPDATE "Post" SET "authorId" = 7, slug = 'p' || id`,
  `UPDATE "Post" SET id = id + 30 WHERE id > 6`,
  `DELETE FROM "Comment" WHERE number = 1 AND "postId" = 5`,
  `DELETE FROM "Secret" WHERE "accountId" = 2`,
]

// The log does not have them.
const generated = `
  ALTER TABLE "Setting" DROP COLUMN scope, ADD scope TEXT GENERATED ALWAYS AS ('scope' || length(key)) VIRTUAL;
  ALTER TABLE "Locker" DROP COLUMN code, ADD code TEXT GENERATED ALWAYS AS ('code ' || number % 3) STORED`
const generatedValues = [
  `INSERT INTO "Setting" (key) VALUES ('k'), ('key')`,
  `UPDATE "Setting" SET key = key || 'y' WHERE id < 4`,
  `UPDATE "Locker" SET number = number + 10`,
  `DELETE FROM "Setting" WHERE id = 1`,
]

/** The other tables have a team as well. */
const readsTables = readFileSync(
  join(import.meta.dirname, '../differential/reads/tables.sql'),
  'utf8',
).replaceAll('"Team"', '"ReadTeam"')

it('finds tables, columns and values by their names in the database', async () => {
  const world = await openWorld()
  await world.sql.query(readsTables)
  const person = '5eed0000-0000-4000-a000-000000000001'
  await world.sql.query(
    `INSERT INTO people (id, email, full_name, mood) VALUES ('${person}', 'p@x.org', 'one', 'CALM');
     INSERT INTO archive.seats VALUES ('hall', 1, 2, 3.5, 'CALM', 'a');
     INSERT INTO archive."Word" VALUES ('word', ' grey', 1)`,
  )
  const client = new PrismaClient({
    adapter: new PrismaPg({ connectionString: world.databaseUrl, max: 2 }),
  })
  const store = new ValkeyStore({ url: world.valkey.url, deadlineMs: patientMs })
  await store.connect()
  const facts = schemaFactsOf(client)
  const writes = new ModelCacheWrites()
  const open = (model: string, options: object) => {
    const definition = defineWithLookups<Parameters<typeof bindDefinition>[0]>(model, options)
    const { idFields, selection } = bindDefinition(definition, facts)
    const source = createPrismaSource<object, unknown>(client, { name: model, model, idFields, ...selection })
    return createModelCache(definition as never, {
      source: source as never,
      store,
      facts,
      writes,
      namespace: world.namespace,
    }) as unknown as AnyCache
  }
  const people = open('Person', { lists: { byName: { by: 'name' }, byMood: { by: 'mood' } } })
  const seats = open('Seat', { unique: { label: 'label' }, lists: { byState: { by: 'state' } } })
  const words = open('Word', { id: ['text', 'mood'], unique: { position: ['mood', 'n'] } })
  const all = [people, seats, words]
  const read = async (): Promise<unknown> => {
    const found = await Promise.all([
      people.get(person),
      ...['one', 'two'].map((name) => people.list('byName', name)),
      ...['CALM', 'WILD', 'GREY'].map((mood) => people.list('byMood', mood)),
      ...[1n, 5n].map((row) => seats.get({ hall: 'hall', row, place: 2 })),
      ...['a', 'b'].map((label) => seats.getBy('label', label)),
      ...['CALM', 'WILD', 'GREY'].map((state) => seats.list('byState', state)),
      ...['CALM', 'WILD', 'GREY'].map((mood) => words.get({ text: 'word', mood })),
      ...['CALM', 'WILD', 'GREY'].map((mood) => words.getBy('position', { mood, n: 1 })),
    ])
    for (const cache of all) await cache.drain()
    return found.map((rows) => [rows ?? []].flat().length)
  }
  try {
    expect(await read()).toEqual([1, 1, 0, 1, 0, 0, 1, 0, 1, 0, 1, 0, 0, 0, 0, 1, 0, 0, 1])
    const { follower, warnings } = await world.follow()
    expect(follower.report!.caches).toHaveLength(3)
    expect(await read()).toEqual([1, 1, 0, 1, 0, 0, 1, 0, 1, 0, 1, 0, 0, 0, 0, 1, 0, 0, 1])
    await world.sql.query(
      `UPDATE people SET full_name = 'two', mood = ' grey';
       UPDATE archive.seats SET "row" = 5, label = 'b', state = 'wild one';
       UPDATE archive."Word" SET mood = 'wild one'`,
    )
    await untilTaken(world)
    expect(await read()).toEqual([1, 0, 1, 0, 0, 1, 0, 1, 0, 1, 0, 1, 0, 0, 1, 0, 0, 1, 0])
    expect(warnings).toEqual([])
  } finally {
    for (const cache of all) await cache.close()
    await writes.close()
    await store.close()
    await client.$disconnect()
  }
})

interface AnyCache {
  get(id: unknown): Promise<object | null>
  getBy(name: string, key: unknown): Promise<object | null>
  list(name: string, key: unknown): Promise<object[]>
  drain(): Promise<void>
  close(): Promise<void>
}

/** The tables that do not take the rows of refill.sql come last. */
it.each<[string, string, readonly string[], Ids, 'keys' | 'default' | 'full']>([
  ['columns that an update does not send', large, largeValues, 'identity', 'keys'],
  ['such columns that are ids', large, largeValues, 'others', 'default'],
  ['such columns, with the whole old row', large, largeValues, 'others', 'full'],
  ['partitions', partitions, inPartitions, 'identity', 'keys'],
  [
    'partitions that have less in the log than their table',
    `${partitions}; ALTER TABLE "Secret" REPLICA IDENTITY FULL`,
    inPartitions,
    'others',
    'default',
  ],
  [
    'partitions that have more in the log than their table',
    `${partitions}; ALTER TABLE low REPLICA IDENTITY FULL; ALTER TABLE high REPLICA IDENTITY FULL`,
    inPartitions,
    'others',
    'default',
  ],
  ['generated columns', generated, generatedValues, 'identity', 'keys'],
])('is right about %s', async (_, setUp, statements, ids, identity) => {
  const world = await openWorld()
  await setIdentity(world, identity)
  await world.sql.query(setUp)
  const caches = await openFollowedCaches(world, ids)
  try {
    for (const statement of statements) {
      await world.sql.query(statement)
      await caches.check(statement, false)
    }
    await caches.check('all of them')
  } finally {
    await caches.close()
  }
})
