import { ModelCacheWrites, modelCaches } from 'model-cache'
import {
  createModelCache,
  createPrismaSource,
  databaseOf,
  NamespaceDatabase,
  ValkeyStore,
} from 'model-cache/advanced'
import { patientMs } from '../../support/patience.js'
import { createClientOfText } from '../writes/client-of-text.js'
import { untilTaken } from './followed-caches.js'
import { useFollowWorlds } from './follow-worlds.js'

const openWorld = useFollowWorlds({ synchronous_commit: 'on' })

const schema = `
model Event {
  id Int @id
  name String
  @@map("events")
}
model OldEvent {
  id Int @id
  name String
  @@map("old_events")
}
view LoudEvent {
  id Int @unique
  name String
  @@map("loud_events")
}
`

it('follows the table of a partition, and the tables of a view', async () => {
  const world = await openWorld()
  await world.sql.query(`
    CREATE TABLE events (id int PRIMARY KEY, name text NOT NULL) PARTITION BY RANGE (id);
    CREATE TABLE old_events PARTITION OF events FOR VALUES FROM (0) TO (100);
    CREATE VIEW loud_events AS SELECT id, upper(name) AS name FROM old_events;
    INSERT INTO events VALUES (1, 'old')`)
  const client = createClientOfText(world.databaseUrl, schema)
  const { namespace } = world
  const store = new ValkeyStore({ url: world.valkey.url, deadlineMs: patientMs })
  await store.connect()
  const database = new NamespaceDatabase({ store, namespace, database: databaseOf(client) })
  await database.start()
  const writes = new ModelCacheWrites()
  const define = modelCaches().defineModelCache as unknown as (model: string, options: object) => never
  const caches = ['Event', 'OldEvent', 'LoudEvent'].map((model) =>
    createModelCache<{ name: string }, number>(
      define(model, { ttl: '1h', ...(model === 'LoudEvent' && { dependsOn: ['OldEvent'] }) }),
      {
        source: createPrismaSource(client, { name: model, model, idFields: ['id'] }),
        store,
        database,
        writes,
        namespace,
      },
    ),
  )
  const read = async (): Promise<unknown> => {
    const rows = await Promise.all(caches.map((cache) => cache.get(1)))
    for (const cache of caches) await cache.drain()
    return rows.map((row) => row!.name)
  }
  try {
    expect(await read()).toEqual(['old', 'old', 'OLD'])
    const { follower, warnings } = await world.follow()
    expect(follower.report!.caches).toHaveLength(3)
    expect(await read()).toEqual(['old', 'old', 'OLD'])
    await world.sql.query(`UPDATE old_events SET name = 'new'`)
    await untilTaken(world)
    expect(await read()).toEqual(['new', 'new', 'NEW'])
    expect(warnings).toEqual([])
  } finally {
    for (const cache of caches) await cache.close()
    await writes.close()
    await database.stop()
    await store.close()
    await client.$disconnect()
  }
})
