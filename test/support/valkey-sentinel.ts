import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { findValkeyServer } from './find-valkey-server.ts'
import { freePort } from './free-port.ts'
import { pingValkey } from './ping-valkey.ts'
import { startServerProcess } from './server-process.ts'
import type { ServerProcess } from './server-process.ts'
import { startValkey } from './start-valkey.ts'
import type { ValkeyServer } from './start-valkey.ts'

export interface WatchedValkey {
  primary: ValkeyServer
  replica: ValkeyServer
  /** Three, any two of which may replace the primary. */
  sentinels: { host: string; port: number }[]
  /** Under which the sentinels know the primary. */
  name: string
  stop: () => Promise<void>
}

const NAME = 'rows'
const FORMATION_DEADLINE_MS = 60_000

/** Starts a primary, its replica and three sentinels that watch them, on the loopback interface. */
export async function startWatchedValkey(): Promise<WatchedValkey> {
  const started: ServerProcess[] = []
  const stop = async () => {
    await Promise.all(started.map((server) => server.stop()))
  }
  const keep = <T extends ServerProcess>(server: T): T => {
    started.push(server)
    return server
  }
  try {
    const primary = keep(await startValkey({ args: ['--repl-diskless-sync-delay', '0'] }))
    const replica = keep(await startValkey({ args: ['--replicaof', primary.host, String(primary.port)] }))
    const ports = await Promise.all([freePort(), freePort(), freePort()])
    for (const port of ports) keep(await startSentinel(port, primary))
    await Promise.all(ports.map(becomesReady))
    const sentinels = ports.map((port) => ({ host: '127.0.0.1', port }))
    return { primary, replica, sentinels, name: NAME, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

async function startSentinel(port: number, primary: ValkeyServer): Promise<ServerProcess> {
  const { command, env, name, version } = await findValkeyServer()
  const folder = await mkdtemp(join(tmpdir(), 'valkey-sentinel-'))
  // A sentinel writes what it learns into its configuration, so it wants a file.
  const file = join(folder, 'sentinel.conf')
  const lines = [
    `port ${port}`,
    'bind 127.0.0.1',
    `sentinel monitor ${NAME} ${primary.host} ${primary.port} 2`,
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
