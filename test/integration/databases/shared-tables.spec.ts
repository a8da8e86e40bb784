import { extendPrisma, modelCaches, ModelCacheWrites } from 'model-cache'
import {
  createModelCache,
  createPrismaSource,
  databaseOf,
  MemoryStore,
  NamespaceDatabase,
} from 'model-cache/advanced'
import { createDatabase } from '../../support/servers.js'
import type { TestDatabase } from '../../support/test-database.ts'
import { createClientOfText } from '../writes/client-of-text.js'

const schema = `
model Account {
  id Int @id
  name String
  sessions Session[]
  @@map("accounts")
}
model Loud {
  id Int @id
  name String
  @@map("ACCOUNTS")
}
model Session {
  id Int @id
  accountId Int
  account Account @relation(fields: [accountId], references: [id], onDelete: Cascade)
  @@map("sessions")
}
view Named {
  id Int @unique
  name String
  @@map("named")
}
model Renamed {
  key Int @id
  title String
  @@map("renamed")
}
view OfView {
  id Int @unique
  name String
  @@map("of_view")
}
model Nested {
  id Int @id
  name String
  @@map("of_view")
}
view Elsewhere {
  id Int @unique
  name String
  @@map("named")
  @@schema("other")
}
view Monthly {
  id Int @unique
  name String
  @@map("monthly")
}
model Computed {
  id Int @id
  name String
  @@map("computed")
}
model Event {
  id Int @id
  name String
  visits Visit[]
  @@map("events")
}
model Visit {
  id Int @id
  eventId Int
  event Event @relation(fields: [eventId], references: [id], onDelete: Cascade)
  @@map("visits")
}
model OldEvent {
  id Int @id
  name String
  @@map("old_events")
}
model Animal {
  id Int @id
  name String
  @@map("animals")
}
model Cat {
  id Int @id
  name String
  lives Int
  @@map("cats")
}
`
const tables = `
  CREATE SCHEMA other;
  CREATE TABLE accounts (id int PRIMARY KEY, name text NOT NULL);
  CREATE TABLE "ACCOUNTS" (id int PRIMARY KEY, name text NOT NULL);
  CREATE VIEW named AS SELECT id, upper(name) AS name FROM accounts;
  CREATE VIEW renamed AS SELECT id AS key, name AS title FROM accounts;
  CREATE VIEW of_view AS SELECT key AS id, title AS name FROM renamed;
  CREATE VIEW other.named AS SELECT id, name FROM public.accounts;
  CREATE MATERIALIZED VIEW monthly AS SELECT id, name FROM accounts;
  CREATE FUNCTION all_accounts() RETURNS SETOF accounts LANGUAGE sql AS 'SELECT * FROM accounts';
  CREATE VIEW computed AS SELECT id, name FROM all_accounts();
  CREATE TABLE events (id int PRIMARY KEY, name text NOT NULL) PARTITION BY RANGE (id);
  CREATE TABLE old_events PARTITION OF events FOR VALUES FROM (0) TO (100);
  CREATE TABLE animals (id int PRIMARY KEY, name text NOT NULL);
  CREATE TABLE cats (lives int NOT NULL, PRIMARY KEY (id)) INHERITS (animals);
  CREATE TABLE sessions (id int PRIMARY KEY, "accountId" int NOT NULL REFERENCES accounts ON DELETE CASCADE);
  CREATE TABLE visits (id int PRIMARY KEY, "eventId" int NOT NULL REFERENCES events ON DELETE CASCADE);
  INSERT INTO accounts VALUES (1, 'old'), (2, 'old');
  INSERT INTO "ACCOUNTS" VALUES (1, 'old'), (2, 'old');
  INSERT INTO events VALUES (1, 'old'), (2, 'old');
  INSERT INTO sessions VALUES (1, 1), (2, 2);
  INSERT INTO visits VALUES (1, 1), (2, 2);
  INSERT INTO cats VALUES (1, 'old', 9), (2, 'old', 9);`

type Write = (args: object) => Promise<unknown>
type Client = ReturnType<typeof createClientOfText>

let database: TestDatabase
let clients: Client[] = []
beforeEach(async () => {
  database = await createDatabase()
  await database.run(tables)
})
afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.$disconnect()))
  await database.drop()
})

/** A process without caches, whose writes reach those of others through the store. */
function openWriter(store: MemoryStore) {
  const writes = new ModelCacheWrites({ store, consistency: { mode: 'strict' } })
  const client = createClientOfText(database.url, schema)
  clients.push(client)
  const prisma = extendPrisma(client, writes) as unknown as Record<string, Record<'update' | 'delete', Write>>
  return { prisma, writes }
}

/** A process with the cache of a model. */
async function openCache(store: MemoryStore, model: string, options: object = {}) {
  const { prisma, writes } = openWriter(store)
  const namespaceDatabase = new NamespaceDatabase({ store, database: databaseOf(prisma) })
  const define = modelCaches().defineModelCache as unknown as (model: string, options: object) => never
  const definition = define(model, { ttl: '1h', ...options })
  const id = model === 'Renamed' ? 'key' : 'id'
  const source = createPrismaSource<Record<string, unknown>, number>(prisma, {
    name: model,
    model,
    idFields: [id],
  })
  const loads: number[] = []
  const load: typeof source.load = (ids, client) => {
    loads.push(...ids)
    return source.load(ids, client)
  }
  const cache = createModelCache<Record<string, unknown>, number>(definition, {
    store,
    writes,
    source: { ...source, load },
    database: namespaceDatabase,
  })
  const close = async () => {
    await cache.close()
    await writes.close()
    await namespaceDatabase.stop()
  }
  return { cache, close, loads, start: () => namespaceDatabase.start() }
}

const update = (model: string, id: string, data: object) => ({ model, args: { where: { [id]: 1 }, data } })
const ofAccount = update('account', 'id', { name: 'new' })
const ofRenamed = update('renamed', 'key', { title: 'new' })
const accounts = { dependsOn: ['Account'] }

describe('two models of the same rows', () => {
  it.each<[string, string, object, ReturnType<typeof update>, 'both' | 'one']>([
    ['a view, by its table', 'Named', accounts, ofAccount, 'both'],
    ['a view, by another view of its table', 'Named', accounts, ofRenamed, 'both'],
    ['a view of a view, by the table', 'OfView', accounts, ofAccount, 'both'],
    ['a view in another schema', 'Elsewhere', accounts, ofAccount, 'both'],
    ['a model of a view, by its table', 'Renamed', {}, ofAccount, 'both'],
    ['a table, by a model of a view', 'Account', {}, ofRenamed, 'both'],
    ['a table, by a view of a view', 'Account', {}, update('nested', 'id', { name: 'new' }), 'both'],
    ['a table, by its partition', 'Event', {}, update('oldEvent', 'id', { name: 'new' }), 'one'],
    ['a partition, by its table', 'OldEvent', {}, update('event', 'id', { name: 'new' }), 'one'],
    ['a table, by one that inherits from it', 'Animal', {}, update('cat', 'id', { name: 'new' }), 'one'],
    ['a table that inherits, by the other one', 'Cat', {}, update('animal', 'id', { name: 'new' }), 'one'],
  ])('are invalidated together: %s', async (_, model, options, write, loaded) => {
    const store = new MemoryStore()
    const { cache, close, loads, start } = await openCache(store, model, options)
    await start()
    await cache.getMany([1, 2])
    await cache.settled()
    loads.length = 0
    const { prisma, writes } = openWriter(store)
    await prisma[write.model]!.update(write.args)
    await writes.released()
    const name = model === 'Renamed' ? 'title' : 'name'
    const [one, two] = await cache.getMany([1, 2])
    expect([one![name], two![name]].map((text) => String(text).toLowerCase())).toEqual(['new', 'old'])
    expect(loads).toEqual(loaded === 'one' ? [1] : [1, 2])
    await close()
    await writes.close()
  })

  it.each([
    ['a view', 'Session', 'renamed', { key: 1 }],
    ['a view of a view', 'Session', 'nested', { id: 1 }],
    ['a partition', 'Visit', 'oldEvent', { id: 1 }],
    ['SQL of a view', 'Session', '$executeRaw', `WITH d AS (DELETE FROM renamed WHERE key = 1) SELECT 1`],
    [
      'SQL of a partition',
      'Visit',
      '$executeRaw',
      `WITH d AS (DELETE FROM old_events WHERE id = 1) SELECT 1`,
    ],
  ])('are invalidated with those that refer to them: by %s', async (_, model, written, where) => {
    const store = new MemoryStore()
    const { cache, close, start } = await openCache(store, model)
    await start()
    await cache.getMany([1, 2])
    await cache.settled()
    const { prisma, writes } = openWriter(store)
    await (typeof where === 'string'
      ? (prisma as unknown as Client).$executeRawUnsafe(where)
      : prisma[written]!.delete({ where }))
    await writes.released()
    expect((await cache.getMany([1, 2])).map((row) => row?.id)).toEqual([undefined, 2])
    await close()
    await writes.close()
  })

  it('are not those of a table whose name differs in case', async () => {
    const store = new MemoryStore()
    const { cache, close, loads, start } = await openCache(store, 'Loud')
    await start()
    await cache.getMany([1, 2])
    await cache.settled()
    loads.length = 0
    const { prisma, writes } = openWriter(store)
    await prisma['renamed']!.update(ofRenamed.args)
    await writes.released()
    await cache.getMany([1, 2])
    expect(loads).toEqual([])
    await close()
    await writes.close()
  })

  it.each([
    ['a materialized view', 'Monthly', accounts, 'Monthly is a materialized view, or reads one'],
    ['a view that calls functions', 'Computed', {}, 'Computed is a view: what it reads cannot be determined'],
  ])('refuse the start for %s', async (_, model, options, message) => {
    const { close, start } = await openCache(new MemoryStore(), model, options)
    await expect(start()).rejects.toThrow(message)
    await close()
  })

  it.each([
    ["a materialized view with dependsOn: 'ttl'", 'Monthly', { dependsOn: 'ttl' }],
    ['a view that calls functions, and names its tables', 'Computed', accounts],
  ])('allow the start for %s', async (_, model, options) => {
    const { close, start } = await openCache(new MemoryStore(), model, options)
    await start()
    await close()
  })
})
