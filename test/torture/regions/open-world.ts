import { join } from 'node:path'
import { type Process, type Run, startProcess } from '../bench/harness.ts'
import type { Defect } from '../defects.ts'
import type { FaultyWorld } from '../follow/fault.ts'
import { Fleet } from '../follow/fleet.ts'
import { WrittenRows } from '../follow/judge-reads.ts'
import type { ReaderKind } from '../follow/read-process.ts'
import type { Writing } from '../follow/write-process.ts'
import { SingleServer } from '../servers/single-server.ts'
import { RegionWrites } from './judge-sessions.ts'
import type { RegionProcess } from './region-process.ts'
import { openServers, type RegionServers } from './region-servers.ts'

/** Processes of the region. */
export const KINDS: readonly ReaderKind[] = ['rows', 'memory']
/** With the one of the first region. */
export const WRITERS = KINDS.length + 1
const FOLLOWERS = 2

export interface RegionWorld extends FaultyWorld {
  readonly servers: RegionServers
  /** Of {@link KINDS}. */
  readonly processes: readonly Process<RegionProcess>[]
  /** Of the first region: without the library. */
  readonly writer: Process<Writing>
  readonly history: WrittenRows
  readonly regionWrites: RegionWrites
}

export type OpenedWorld = Awaited<ReturnType<typeof openWorld>>

/** Servers of both regions, and processes: each as if it had some of the processors for itself. */
export async function openWorld({ use }: Pick<Run, 'use'>) {
  const valkey = await use(SingleServer.start())
  const servers = await openServers({ use })
  const { database, primaryUrl } = servers
  const [databaseUrl, valkeyUrl] = [database.url, valkey.url]
  const writer = await use(
    startProcess<Writing>(join(import.meta.dirname, '../follow/write-process.ts'), {
      args: [String(KINDS.length), String(WRITERS)],
      env: { DATABASE_URL: primaryUrl },
      detached: true,
    }),
  )
  const processes: Process<RegionProcess>[] = []
  for (const [number, kind] of KINDS.entries())
    processes.push(
      await use(
        startProcess<RegionProcess>(join(import.meta.dirname, 'region-process.ts'), {
          args: [kind, String(number), String(WRITERS)],
          env: { DATABASE_URL: databaseUrl, PRIMARY_URL: primaryUrl, VALKEY_URL: valkeyUrl },
          detached: true,
        }),
      ),
    )
  const [history, regionWrites] = [new WrittenRows(), new RegionWrites()]
  let fleet: Fleet | undefined
  await use({ close: () => fleet?.stop() })
  return {
    database,
    /** With other processes that follow from now on. */
    async follow(slot: string | undefined, defect?: Defect): Promise<RegionWorld> {
      await fleet?.stop()
      fleet = await Fleet.start(
        { databaseUrl, valkeyUrl, primaryUrl, slot, defect, isWired: true },
        FOLLOWERS,
      )
      await fleet.leader()
      return { fleet, valkey, database, slot, servers, processes, writer, history, regionWrites }
    },
  }
}
