import type { Run } from '../bench/harness.ts'
import { start } from '../process.ts'
import { SingleServer } from '../servers/single-server.ts'
import { createUsers, KINDS, openFleets, openWriter, type OpenWorld, type World } from '../follow/world.ts'
import { RegionWrites } from './judge-sessions.ts'
import type { RegionProcess, RegionSettings } from './region-process.ts'
import type { RegionServers } from './servers.ts'

/** For how long the fence of a write stands. A short one has an end within a phase. */
export const FENCE_MS = 4_000
/**
 * For how long after the return of a write its region is sure to read it although the standby lacks it: docs/recipes/regions.md. It begins
 * when the database has answered, a moment before.
 */
export const BRIDGE_MS = 1.5 * FENCE_MS - 250

const FOLLOWERS = 2

export interface RegionWorld extends World {
  readonly servers: RegionServers
  readonly regionWrites: RegionWrites
  readonly bridgeMs: number
  untilReplayed(): Promise<void>
}

/** Servers of both regions, processes of the second one, and a writer of the first: without the library. */
export async function openRegion(run: Pick<Run, 'use'>) {
  const { openServers } = await import('./servers.ts')
  const { postgresqlLog } = await import('../databases/database-log.ts')
  const valkey = await run.use(SingleServer.start())
  const servers = await openServers(run)
  const { database, primary, primaryUrl, untilReplayed } = servers
  await createUsers(servers.first)
  const of = KINDS.length + 1
  const writers = [await openWriter(run, primaryUrl, KINDS.length, of)]
  const readers = []
  for (const [number, kind] of KINDS.entries()) {
    const urls = { databaseUrl: database.url, primaryUrl, valkeyUrl: valkey.url }
    const settings: RegionSettings = { ...urls, kind, number, of, fenceMs: FENCE_MS }
    readers.push(
      await run.use(
        start<RegionProcess>(import.meta.dirname, 'region-process.ts', settings, { detached: true }),
      ),
    )
  }
  const log = postgresqlLog(database, primary)
  const open = await openFleets(run, { valkey, database, log }, FOLLOWERS, { readers, writers }, primaryUrl)
  const region = { servers, regionWrites: new RegionWrites(), bridgeMs: BRIDGE_MS, untilReplayed }
  const openWorld: OpenWorld<RegionWorld> = async (options) => ({ ...(await open(options)), ...region })
  return { database: database.title, openWorld }
}
