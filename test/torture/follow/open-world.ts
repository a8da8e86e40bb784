import { join } from 'node:path'
import pg from 'pg'
import { type Process, type Run, startProcess } from '../bench/harness.ts'
import { openPostgres } from '../bench/built.ts'
import type { Defect } from '../defects.ts'
import { SingleServer } from '../servers/single-server.ts'
import { insertUsers, numbers, valuesOf } from '../users.ts'
import { Fleet } from './fleet.ts'
import { CITIES, ROWS, WrittenRows } from './judge-reads.ts'
import type { World } from './phase.ts'
import type { Reading } from './read-process.ts'
import type { Writing } from './write-process.ts'

const WRITERS = 2
const FOLLOWERS = 3

/** As a server that is not for tests: the follower gets a transaction when it is on disk, which a lazy commit postpones by 200 ms. */
const SETTINGS = {
  wal_level: 'logical',
  max_replication_slots: '20',
  max_wal_senders: '20',
  fsync: 'on',
  synchronous_commit: 'on',
  full_page_writes: 'on',
}

export type OpenedWorld = Awaited<ReturnType<typeof openWorld>>

/** Servers, writers outside Prisma and readers. */
export async function openWorld({ use }: Pick<Run, 'use'>) {
  const [postgres, valkey] = await Promise.all([use(openPostgres(SETTINGS)), use(SingleServer.start())])
  const database = new pg.Pool({ connectionString: postgres.url, max: 4 })
  database.on('error', () => {})
  database.on('connect', (client) => client.on('error', () => {}))
  await use({ close: () => database.end() })
  await database.query(insertUsers, valuesOf(numbers(ROWS), 0, CITIES))
  const env = { DATABASE_URL: postgres.url, VALKEY_URL: valkey.url }
  const start = <M extends Reading | Writing>(name: string, ...args: string[]): Promise<Process<M>> =>
    use(startProcess<M>(join(import.meta.dirname, name), { args, env }))
  const readers = [
    await start<Reading>('read-process.ts', 'rows'),
    await start<Reading>('read-process.ts', 'memory'),
  ] as const
  const writers: Process<Writing>[] = []
  for (const number of numbers(WRITERS))
    writers.push(await start<Writing>('write-process.ts', String(number), String(WRITERS)))
  const history = new WrittenRows()
  let fleet: Fleet | undefined
  await use({ close: () => fleet?.stop() })
  return {
    database: postgres.name,
    databaseUrl: postgres.url,
    /** With processes that follow by another kind of slot from now on. */
    async follow(slot: string | undefined, defect?: Defect): Promise<World> {
      await fleet?.stop()
      fleet = await Fleet.start({ databaseUrl: postgres.url, valkeyUrl: valkey.url, slot, defect }, FOLLOWERS)
      await fleet.leader()
      return { fleet, valkey, database, databaseUrl: postgres.url, slot, writers, readers, history }
    },
  }
}
