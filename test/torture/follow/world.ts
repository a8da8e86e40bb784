import { setTimeout as sleep } from 'node:timers/promises'
import type { Process, Run } from '../bench/harness.ts'
import type { DatabaseLog } from '../databases/database-log.ts'
import type { DatabaseServer } from '../databases/database-server.ts'
import { start } from '../process.ts'
import type { SingleServer } from '../servers/single-server.ts'
import { COMMON_FIELDS, numbers } from '../users.ts'
import { Fleet, type FleetOptions } from './fleet.ts'
import { ROWS, userAt, WrittenRows } from './judge-reads.ts'
import type { Reading } from './read-process.ts'
import type { ReaderKind } from './reading.ts'
import type { Writing } from './write-process.ts'

export const SLOT = 'model_cache_bench'
export const KINDS: readonly ReaderKind[] = ['rows', 'memory']

/** Servers of a follower and of those who need one. */
export interface Servers {
  readonly valkey: SingleServer
  /** The database that is followed. */
  readonly database: DatabaseServer
  readonly log: DatabaseLog
}

/** What faults act on. */
export interface World extends Servers {
  readonly fleet: Fleet
  /** Undefined for temporary slots. */
  readonly slot: string | undefined
  /** Outside Prisma. */
  readonly writers: readonly Process<Writing>[]
  /** Of each of {@link KINDS}. Some write as well. */
  readonly readers: readonly Process<Reading & Partial<Writing>>[]
  readonly history: WrittenRows
}

/** A world in which other processes follow from now on, once its readers store rows. */
export type OpenWorld<W extends World = World> = (
  options: Pick<FleetOptions, 'slot' | 'isWired' | 'defect'>,
) => Promise<W>

/** @param primaryUrl undefined unless the database is a standby */
export async function openFleets(
  { use }: Pick<Run, 'use'>,
  { database, log, valkey }: Servers,
  size: number,
  others: Pick<World, 'readers' | 'writers'>,
  primaryUrl?: string,
): Promise<OpenWorld> {
  const history = new WrittenRows()
  let fleet: Fleet | undefined
  await use({ close: () => fleet?.stop() })
  return async (options) => {
    await fleet?.stop()
    await log.forget()
    const servers = { databaseUrl: database.url, valkeyUrl: valkey.url, primaryUrl }
    fleet = await Fleet.start({ ...servers, ...options }, size)
    await fleet.leader()
    for (const reader of others.readers) while ((await reader.call('lacks')).length > 0) await sleep(50)
    return { valkey, database, log, fleet, slot: options.slot, history, ...others }
  }
}

/** Writers outside Prisma and readers: each process as if it had some of the processors for itself. */
export async function openWorld(run: Pick<Run, 'use'>, servers: Servers): Promise<OpenWorld> {
  const [databaseUrl, valkeyUrl] = [servers.database.url, servers.valkey.url]
  await createUsers(servers.database)
  const readers = []
  for (const kind of KINDS) {
    const settings = { kind, databaseUrl, valkeyUrl }
    readers.push(
      await run.use(start<Reading>(import.meta.dirname, 'read-process.ts', settings, { detached: true })),
    )
  }
  const writers = []
  for (const number of numbers(WRITERS)) writers.push(await openWriter(run, databaseUrl, number, WRITERS))
  return openFleets(run, servers, FOLLOWERS, { readers, writers })
}

const WRITERS = 2
const FOLLOWERS = 3

export function openWriter({ use }: Pick<Run, 'use'>, databaseUrl: string, number: number, of: number) {
  const settings = { databaseUrl, number, of }
  return use(start<Writing>(import.meta.dirname, 'write-process.ts', settings, { detached: true }))
}

/** The first version of all rows. */
export async function createUsers({ database: { adapter, Client } }: DatabaseServer): Promise<void> {
  const prisma = new Client({ adapter })
  await prisma.user.createMany({
    data: numbers(ROWS).map((row) => ({ ...userAt(row, 0), ...COMMON_FIELDS })),
  })
  await prisma.$disconnect()
}
