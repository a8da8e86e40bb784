import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { findValkeyServer } from './find-valkey-server.ts'
import { freePort } from './free-port.ts'
import { pingValkey } from './ping-valkey.ts'
import { startServerProcess, type ServerProcess } from './server-process.ts'
import { startValkey, type ValkeyServer } from './start-valkey.ts'

export interface WatchedValkey {
  primary: ValkeyServer
  replica: ValkeyServer
  /** Three, any two of which may replace the primary. */
  sentinels: { host: string; port: number }[]
  /** Under which the sentinels know the primary. */
  name: string
  /**
   * Starts a server again that was killed, without its data: as a primary, or as a replica of the other.
   *
   * @param more added to its command line this time, such as `--dir` with a folder that has data
   */
  restart: (
    server: ValkeyServer,
    as: 'primary' | 'replica',
    more?: readonly string[],
  ) => Promise<ValkeyServer>
  stop: () => Promise<void>
}

export interface StartWatchedValkeyOptions {
  /** Called with the port of each server before it starts, to put a proxy before it. @default it is announced */
  announce?: (port: number) => Promise<AnnouncedServer>
}

/** Where Sentinels and the other server find a server, if that is not where it listens. */
export interface AnnouncedServer {
  port: number
  /** Added to the command line of the server. */
  args: string[]
}

const NAME = 'rows'
const FORMATION_DEADLINE_MS = 60_000

/** Starts a primary, its replica and three sentinels that watch them, on the loopback interface. */
export async function startWatchedValkey({
  announce = async (port) => ({ port, args: [] }),
}: StartWatchedValkeyOptions = {}): Promise<WatchedValkey> {
  const started = new Set<ServerProcess>()
  const stop = async () => {
    await Promise.all(Array.from(started, (server) => server.stop()))
  }
  const keep = <T extends ServerProcess>(server: T): T => {
    started.add(server)
    return server
  }
  try {
    const ports = await Promise.all(Array.from({ length: 5 }, freePort))
    const sentinelPorts = ports.splice(2)
    const announced = await Promise.all(ports.map(announce))
    const start = async (
      place: number,
      as: 'primary' | 'replica',
      more: readonly string[] = [],
    ): Promise<ValkeyServer> => {
      const [own, other] = [announced[place]!, announced[1 - place]!]
      const announcing = ['--replica-announce-ip', '127.0.0.1', '--replica-announce-port', String(own.port)]
      const following = as === 'replica' ? ['--replicaof', '127.0.0.1', String(other.port)] : []
      const args = ['--repl-diskless-sync-delay', '0', ...announcing, ...following, ...own.args, ...more]
      return keep(await startValkey({ port: ports[place]!, args }))
    }
    const restart: WatchedValkey['restart'] = async (server, as, more) => {
      started.delete(server)
      await server.stop()
      return start(ports.indexOf(server.port), as, more)
    }
    const primary = await start(0, 'primary')
    const replica = await start(1, 'replica')
    for (const port of sentinelPorts) keep(await startSentinel(port, announced[0]!.port))
    await Promise.all(sentinelPorts.map(becomesReady))
    const sentinels = sentinelPorts.map((port) => ({ host: '127.0.0.1', port }))
    return { primary, replica, sentinels, name: NAME, restart, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** Starts a sentinel that knows where the primary is at once. Alone, it replaces no primary. */
export async function startSentinel(port: number, primaryPort: number): Promise<ServerProcess> {
  const { command, env, name, version } = await findValkeyServer()
  const folder = await mkdtemp(join(tmpdir(), 'valkey-sentinel-'))
  // A sentinel writes what it learns into its configuration, so it wants a file.
  const file = join(folder, 'sentinel.conf')
  const lines = [
    `port ${port}`,
    'bind 127.0.0.1',
    `sentinel monitor ${NAME} 127.0.0.1 ${primaryPort} 2`,
    `sentinel down-after-milliseconds ${NAME} 1000`,
    `sentinel failover-timeout ${NAME} 5000`,
  ]
  await writeFile(file, `${lines.join('\n')}\n`)
  return startServerProcess({
    name: `Sentinel of ${name} ${version}`,
    command,
    args: [file, '--sentinel'],
    env,
    folder,
    endWith: 'KILL',
    probe: () => pingValkey(port),
  })
}

/** The sentinel knows the replica and enough other sentinels to replace the primary. */
async function becomesReady(port: number): Promise<void> {
  const client = new Redis(port, '127.0.0.1')
  const deadline = Date.now() + FORMATION_DEADLINE_MS
  try {
    for (;;) {
      const info = await client.info('sentinel')
      if (/status=ok,.*slaves=1,sentinels=3/.test(info)) return
      if (Date.now() > deadline) throw new Error(`The sentinels did not find each other:\n${info}`)
      await sleep(25)
    }
  } finally {
    client.disconnect()
  }
}
