import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import type { Run } from '../../harness/comparison.ts'
import { startProcess, type Process } from '../../harness/process.ts'
import { say } from '../../harness/progress.ts'
import { inTurn, rounded } from '../../harness/rounds.ts'
import { openValkey, usageOf } from '../../harness/servers.ts'
import { median, quantile } from '../../harness/statistics.ts'
import { startPostgres } from '../../../../../test/support/postgres-server.ts'
import { clientNames, COPIES, L1, PLAIN, RESULTS } from './modes.ts'
import type { Endpoint } from './endpoints.ts'
import type { Cell, Serving } from './serve.ts'

const SIZES = [50, 500, 2_000]
/** Requests at the same time. */
const AT_ONCE = [1, 8]

type Effort = Record<'rounds' | 'warmUpMs' | 'ms', number>

export async function measure({ use, chosen, effort }: Run<Effort, Endpoint>) {
  const [valkey, postgres] = await Promise.all([use(openValkey()), use(startPostgres())])
  await createRows(postgres.url)
  const env = { DATABASE_URL: postgres.url, VALKEY_URL: valkey.url }
  const processes = new Map<string, Process<Serving>>()
  for (const name of clientNames) {
    const file = join(import.meta.dirname, 'serve.ts')
    processes.set(name, await use(startProcess<Serving>(file, { args: [name], env })))
  }
  say(`PostgreSQL ${postgres.version}, ${valkey.name}: ${chosen.length} endpoints, ${effort.rounds} rounds`)
  const cells: Measured[] = []
  for (const { isOfOneSize, name: endpoint } of chosen) {
    for (const size of isOfOneSize ? SIZES.slice(0, 1) : SIZES) {
      const cell = { endpoint, size }
      say(`${endpoint}, ${size} purchases`)
      const costs = await prepare(cell, processes, valkey.client)
      for (const atOnce of AT_ONCE) {
        cells.push({ ...cell, atOnce, of: await measureCell({ cell, atOnce }, costs, processes, effort) })
      }
    }
  }
  return {
    database: `PostgreSQL ${postgres.version}`,
    server: valkey.name,
    ...effort,
    cells,
    summary: summarise(cells),
  }
}

async function createRows(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(readFileSync(join(import.meta.dirname, 'rows.sql'), 'utf8'))
  } finally {
    await client.end()
  }
}

type Asked = Awaited<ReturnType<typeof prepare>>
type Processes = ReadonlyMap<string, Process<Serving>>

/** What one request asks of the servers, by client. @throws when a client does not answer what Prisma answers */
async function prepare(cell: Cell, processes: Processes, valkey: Parameters<typeof usageOf>[0][number]) {
  const asked = new Map<string, { readonly statements: number; readonly wireBytes: number }>()
  let expected: string | undefined
  for (const [name, process] of processes) {
    await process.call('prepare', cell)
    const before = await usageOf([valkey], 'wireBytes')
    const { digest, statements } = await process.call('prepare', cell)
    const after = await usageOf([valkey], 'wireBytes')
    expected ??= digest
    if (digest !== expected) throw new Error(`${name} answers ${cell.endpoint} of ${cell.size} differently.`)
    // Three times all of the eight customers.
    asked.set(name, { statements, wireBytes: (after.wireBytes - before.wireBytes) / 24 })
  }
  return asked
}

interface Cost {
  readonly cpuMs: number
  readonly blockMs: number
  /** Its CPU as a part of that of plain Prisma, and what three of four rounds lie above and below. */
  readonly ratio: number
  readonly ratioFrom: number
  readonly ratioTo: number
  readonly statements: number
  readonly wireBytes: number
}

export interface Measured extends Cell {
  readonly atOnce: number
  readonly of: Readonly<Record<string, Cost>>
}

async function measureCell(
  { atOnce, cell }: { readonly cell: Cell; readonly atOnce: number },
  asked: Asked,
  processes: Processes,
  { ms, rounds, warmUpMs }: Effort,
): Promise<Measured['of']> {
  const samples = new Map(clientNames.map((name) => [name, [] as { cpuMs: number; blockMs: number }[]]))
  for (const process of processes.values()) await process.call('load', { cell, atOnce, ms: warmUpMs })
  for (let round = 0; round < rounds; round++) {
    for (const name of inTurn(clientNames, round)) {
      samples.get(name)!.push(await processes.get(name)!.call('load', { cell, atOnce, ms }))
    }
  }
  const plain = samples.get(PLAIN)!
  return Object.fromEntries(
    Array.from(samples, ([name, all]) => {
      const ratios = all.map(({ cpuMs }, round) => cpuMs / plain[round]!.cpuMs)
      return [
        name,
        {
          cpuMs: rounded(median(all.map(({ cpuMs }) => cpuMs))),
          blockMs: rounded(median(all.map(({ blockMs }) => blockMs))),
          ratio: rounded(median(ratios), 3),
          ratioFrom: rounded(quantile(ratios, 0.25), 3),
          ratioTo: rounded(quantile(ratios, 0.75), 3),
          statements: rounded(asked.get(name)!.statements, 3),
          wireBytes: Math.round(asked.get(name)!.wireBytes),
        },
      ]
    }),
  )
}

/** Of all cells the highest ratios, and medians of those that caches answer, and of those that are left to the database. */
export function summarise(cells: readonly Measured[]) {
  const ratiosOf = (name: string, isIncluded: (cost: Cost) => boolean = () => true): number[] =>
    cells.flatMap(({ of }) => (isIncluded(of[name]!) ? [of[name]!.ratio] : []))
  const isAnswered = ({ statements }: Cost): boolean => statements === 0
  const blocks = cells.flatMap(({ of }) =>
    [COPIES, L1, RESULTS].map((name) => of[name]!.blockMs / of[PLAIN]!.blockMs),
  )
  const medianOf = (ratios: readonly number[]): number | null =>
    ratios.length > 0 ? rounded(median(ratios), 3) : null
  const left = [COPIES, L1].flatMap((name) => ratiosOf(name, (cost) => !isAnswered(cost)))
  return {
    highestCopies: Math.max(...ratiosOf(COPIES)),
    highestL1: Math.max(...ratiosOf(L1)),
    medianCopies: rounded(median(ratiosOf(COPIES)), 3),
    highestResults: Math.max(...ratiosOf(RESULTS)),
    medianResults: rounded(median(ratiosOf(RESULTS)), 3),
    answeredCopies: medianOf(ratiosOf(COPIES, isAnswered)),
    answeredL1: medianOf(ratiosOf(L1, isAnswered)),
    left: medianOf(left),
    highestBlock: rounded(Math.max(...blocks), 3),
  }
}
