/** The process of one client: `serve.ts CLIENT`, with DATABASE_URL and VALKEY_URL. */
import { createHash } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import pg from 'pg'
import { serveParent } from '../../harness/process.ts'
import { collectGarbage, cpuTime } from '../../harness/processor.ts'
import { watchLoop } from '../../harness/watch-loop.ts'
import { openClient } from './clients.ts'
import { endpoints, WRITE_EVERY } from './endpoints.ts'

/** A cell of the table: an endpoint, for customers of one size. */
export interface Cell {
  readonly endpoint: string
  readonly size: number
}

interface Load {
  readonly cell: Cell
  readonly atOnce: number
  /** Whether a purchase is written after each {@link WRITE_EVERY} requests. */
  readonly isWritten: boolean
}

/** Customers of one size. */
const CUSTOMERS = 8

let statements = 0
const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL!, max: 10 })
pool.on('connect', (connection) => {
  const query = connection.query.bind(connection) as (...args: unknown[]) => unknown
  connection.query = ((...args: unknown[]) => {
    statements++
    return query(...args)
  }) as typeof connection.query
})

const client = await openClient(process.argv[2]!, pool, process.env.VALKEY_URL!)
let requests = 0
let writes = 0

function request({ endpoint, size }: Cell): Promise<unknown> {
  const { run } = endpoints.find(({ name }) => name === endpoint)!
  return run(client, `c${size}-${requests++ % CUSTOMERS}`)
}

const methods = serveParent({
  /** Has all that the cell needs cached, and returns a digest of the answers to all customers, and statements per request after that. */
  async prepare(cell: Cell) {
    const all = async (): Promise<string> => {
      requests = 0
      const hash = createHash('sha256')
      for (let i = 0; i < CUSTOMERS; i++) hash.update(JSON.stringify(await request(cell)))
      return hash.digest('hex')
    }
    await all()
    // What a load stores may still be on its way.
    await all()
    const before = statements
    const digest = await all()
    return { digest, statements: (statements - before) / CUSTOMERS }
  },
  /** Sends requests for some time, a number of them at once, and returns how many were answered. */
  async warmUp({ ms, ...load }: Load & { readonly ms: number }) {
    const end = performance.now() + ms
    return send(load, () => performance.now() < end)
  },
  /** Sends some requests, a number of them at once, and returns what one has cost. */
  async load({ requests: most, ...load }: Load & { readonly requests: number }) {
    collectGarbage()
    const stopLoop = watchLoop()
    const before = cpuTime()
    const answered = await send(load, (sent) => sent < most)
    return { cpuMs: (cpuTime() - before) / answered, blockMs: stopLoop().maxMs }
  },
})
export type Serving = typeof methods

async function send({ atOnce, cell, isWritten }: Load, goesOn: (sent: number) => boolean): Promise<number> {
  let sent = 0
  do {
    await Promise.all(Array.from({ length: atOnce }, () => request(cell)))
    if (isWritten && Math.floor(sent / WRITE_EVERY) < Math.floor((sent + atOnce) / WRITE_EVERY))
      await write(cell)
    sent += atOnce
    // As requests of users arrive: answers from memory would otherwise follow each other without a turn of the loop.
    await nextTurn()
  } while (goesOn(sent))
  return sent
}

/** Writes a purchase of one of the customers. The row stays as it is: other clients have it cached. */
async function write({ size }: Cell): Promise<void> {
  const hash = createHash('md5')
    .update(`purchase${size}-${writes++ % CUSTOMERS}-1`)
    .digest('hex')
  const id = hash.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
  await client.purchase.update({ where: { id }, data: { quantity: { increment: 0 } } })
}
