import { join } from 'node:path'
import { type Process, type Run, startProcess } from '../bench/harness.ts'
import { SingleServer } from '../servers/single-server.ts'
import { numbers } from '../users.ts'
import type { DatabaseName } from './databases/followed-database.ts'
import { openFollowedDatabase } from './databases/open-database.ts'
import { Fleet, type FleetOptions } from './fleet.ts'
import { WrittenRows } from './judge-reads.ts'
import type { World } from './phase.ts'
import type { Reading } from './read-process.ts'
import type { Writing } from './write-process.ts'

const WRITERS = 2
const FOLLOWERS = 3

export type OpenedWorld = Awaited<ReturnType<typeof openWorld>>

/** Servers, writers outside Prisma and readers: each process as if it had some of the processors for itself. */
export async function openWorld({ use }: Pick<Run, 'use'>, name: DatabaseName) {
  const valkey = await use(SingleServer.start())
  const database = await use(openFollowedDatabase(name, valkey))
  const env = { DATABASE_URL: database.url, VALKEY_URL: valkey.url }
  const start = <M extends Reading | Writing>(name: string, ...args: string[]): Promise<Process<M>> =>
    use(startProcess<M>(join(import.meta.dirname, name), { args, env, detached: true }))
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
    database,
    /** With other processes that follow from now on. */
    async follow(options: Pick<FleetOptions, 'slot' | 'isWired' | 'defect'>): Promise<World> {
      const { slot } = options
      await fleet?.stop()
      await database.forget()
      fleet = await Fleet.start({ databaseUrl: database.url, valkeyUrl: valkey.url, ...options }, FOLLOWERS)
      await fleet.leader()
      return { fleet, valkey, database, slot, writers, readers, history }
    },
  }
}
