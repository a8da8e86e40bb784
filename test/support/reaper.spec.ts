import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { eventuallyEqual } from './eventually.js'

interface Orphans {
  ports: number[]
  /** PostgreSQL's. */
  folder: string
}

/** Starts both servers in a process of its own, which then dies of the signal without stopping them. */
async function dieWithServersRunning(signal: NodeJS.Signals): Promise<Orphans> {
  const script = `
    import pg from 'pg'
    import { startPostgres } from './test/support/postgres-server.ts'
    import { startValkey } from './test/support/valkey-server.ts'
    const [valkey, postgres] = await Promise.all([startValkey(), startPostgres()])
    const client = new pg.Client({ connectionString: postgres.url })
    await client.connect()
    const { rows } = await client.query('SHOW data_directory')
    const orphans = { ports: [valkey.port, postgres.port], folder: rows[0].data_directory }
    process.stdout.write(JSON.stringify(orphans), () => process.kill(process.pid, '${signal}'))
    setTimeout(() => {}, 60_000)`
  const cwd = join(import.meta.dirname, '../..')
  const run = promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script], { cwd })
  const death = (await run.catch((error: unknown) => error)) as { stdout: string; signal?: string }
  expect(death.signal).toBe(signal)
  return JSON.parse(death.stdout) as Orphans
}

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })
}

async function anythingLeft({ ports, folder }: Orphans): Promise<boolean> {
  return existsSync(folder) || (await Promise.all(ports.map(isListening))).includes(true)
}

describe('a process that started servers', () => {
  it.each(['SIGINT', 'SIGKILL'] as const)(
    'leaves neither server nor folder when it dies of %s',
    async (signal) => {
      const orphans = await dieWithServersRunning(signal)
      await eventuallyEqual(() => anythingLeft(orphans), false)
    },
  )
})
