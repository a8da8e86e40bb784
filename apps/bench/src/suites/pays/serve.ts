/** The process of one client: `serve.ts CLIENT`, with DATABASE_URL and VALKEY_URL. */
import { createHash } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import pg from 'pg'
import { serveParent } from '../../harness/process.ts'
import { collectGarbage, cpuTime } from '../../harness/processor.ts'
import { watchLoop } from '../../harness/watch-loop.ts'
import { openClient } from './clients.ts'
import { endpoints } from './endpoints.ts'

/** A cell of the table: an endpoint, for customers of one size. */
export interface Cell {
  readonly endpoint: string
  readonly size: number
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
  /** Sends requests for some time, a number of them at once, and returns what one has cost. */
  async load({ atOnce, cell, ms }: { cell: Cell; atOnce: number; ms: number }) {
    collectGarbage()
    const stopLoop = watchLoop()
    const before = cpuTime()
    const end = performance.now() + ms
    let answered = 0
    do {
      await Promise.all(Array.from({ length: atOnce }, () => request(cell)))
      answered += atOnce
      // As requests of users arrive: answers from memory would otherwise follow each other without a turn of the loop.
      await nextTurn()
    } while (performance.now() < end)
    return { cpuMs: (cpuTime() - before) / answered, blockMs: stopLoop().maxMs }
  },
})
export type Serving = typeof methods
