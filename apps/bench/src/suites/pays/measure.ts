import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import type { Run } from '../../harness/comparison.ts'
import { startProcess, type Process } from '../../harness/process.ts'
import { type Interval, intervalOf, type Intervals } from '../../harness/interval.ts'
import { say } from '../../harness/progress.ts'
import { inTurn, rounded } from '../../harness/rounds.ts'
import { openValkey, usageOf } from '../../harness/servers.ts'
import { median, quantile } from '../../harness/statistics.ts'
import { installNode } from '../../../../../test/support/install-node.ts'
import { startPostgres } from '../../../../../test/support/postgres-server.ts'
import { L1, PLAIN, readers, RESULTS, ROWS, WHOLE, writers } from './modes.ts'
import { type Endpoint, ONE_SIZE } from './endpoints.ts'
import type { Cell, Serving } from './serve.ts'

const SIZES = [50, 500, 2_000]
/** Requests at the same time. */
const AT_ONCE = [1, 8]
/** Other supported versions, whose `AsyncLocalStorage` and promises cost more or less. */
const OLDER_NODES = ['22', '24']
const ofOlderNodes = [PLAIN, RESULTS, L1]
/** So many times the usual rounds, while a ratio near what it should be at most may lie on both sides of it. */
const MOST_ROUNDS = 4
const NEAR = 0.8
const MOST: Readonly<Record<string, number>> = { [RESULTS]: 1, [L1]: 0.6 }

/** A shorter block looks like the timer that finds it, which is due every millisecond. */
const SHORTEST_BLOCK_MS = 2

type Effort = Record<'rounds' | 'warmUpMs' | 'ms', number>

export async function measure({ use, chosen, effort }: Run<Effort, Endpoint>) {
  const [valkey, postgres] = await Promise.all([use(openValkey()), use(startPostgres())])
  await createRows(postgres.url)
  // As applications run: Prisma looks for the line of each call otherwise.
  const env = { DATABASE_URL: postgres.url, VALKEY_URL: valkey.url, NODE_ENV: 'production' }
  const start = async (names: readonly string[], node?: string): Promise<Processes> => {
    const processes = new Map<string, Process<Serving>>()
    const file = join(import.meta.dirname, 'serve.ts')
    for (const name of names)
      processes.set(name, await use(startProcess<Serving>(file, { args: [name], env, node })))
    return processes
  }
  const processes = await start(writers)
  say(`PostgreSQL ${postgres.version}, ${valkey.name}: ${chosen.length} endpoints, ${effort.rounds} rounds`)
  const cells: Measured[] = []
  const add = async (endpoint: string, size: number, isWritten: boolean): Promise<void> => {
    const cell = { endpoint, size }
    say(`${endpoint}, ${size} purchases${isWritten ? ', and writes' : ''}`)
    const asked = await prepare(cell, processes, valkey.client)
    for (const atOnce of AT_ONCE) {
      const names = isWritten ? writers : readers
      const of = await measureCell({ cell, atOnce, isWritten }, names, asked, processes, effort)
      cells.push({ ...cell, atOnce, isWritten, of })
    }
  }
  for (const { isOfOneSize, name } of chosen)
    for (const size of isOfOneSize ? SIZES.slice(0, 1) : SIZES) await add(name, size, false)
  // Last, as clients learn from writes where results do not pay.
  for (const { isOfOneSize, name } of chosen) if (!isOfOneSize) await add(name, ONE_SIZE, true)
  const older: OlderNode[] = []
  for (const version of OLDER_NODES) {
    const started = await start(ofOlderNodes, join(installNode(version), 'node'))
    for (const { name } of chosen) {
      say(`Node ${version}: ${name}`)
      const cell = { endpoint: name, size: ONE_SIZE }
      const asked = await prepare(cell, started, valkey.client)
      const load = { cell, atOnce: 1, isWritten: false }
      older.push({ ...cell, version, of: await measureCell(load, ofOlderNodes, asked, started, effort) })
    }
    for (const one of started.values()) await one.stop()
  }
  return {
    database: `PostgreSQL ${postgres.version}`,
    server: valkey.name,
    ...effort,
    cells,
    older,
    summary: { ...summarise(cells), ...summariseOlder(older) },
    intervals: intervalsOfHighest(cells),
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
  readonly interval: Interval | undefined
  /** Its longest block as a part of that of plain Prisma, or of {@link SHORTEST_BLOCK_MS}. */
  readonly block: number
  readonly blockInterval: Interval | undefined
  readonly statements: number
  readonly wireBytes: number
}

export type PaysMeasurements = Awaited<ReturnType<typeof measure>>

export interface Measured extends Cell {
  readonly atOnce: number
  /** Whether there is a write after each 20 requests. */
  readonly isWritten: boolean
  readonly of: Readonly<Record<string, Cost>>
}

async function measureCell(
  load: Parameters<Serving['load']>[0] extends infer Load ? Omit<Load, 'requests'> : never,
  names: readonly string[],
  asked: Asked,
  processes: Processes,
  { ms, rounds, warmUpMs }: Effort,
): Promise<Measured['of']> {
  const samples = new Map(names.map((name) => [name, [] as { cpuMs: number; blockMs: number }[]]))
  for (const name of names) await processes.get(name)!.call('warmUp', { ...load, ms: warmUpMs })
  // The same work for all: a client that is faster would otherwise make more garbage in the same time.
  const requests = await processes.get(PLAIN)!.call('warmUp', { ...load, ms })
  const plain = samples.get(PLAIN)!
  const ratiosOf = (all: readonly { readonly cpuMs: number }[]): readonly number[] =>
    all.map(({ cpuMs }, round) => cpuMs / plain[round]!.cpuMs)
  const isUndecided = ([name, all]: [string, readonly { cpuMs: number }[]]): boolean => {
    const most = MOST[name]
    const ratios = ratiosOf(all)
    const found = intervalOf(ratios)
    if (most === undefined || found === undefined || median(ratios) < most * NEAR) return false
    return found.low <= most && found.high >= most
  }
  const isToBeContinued = (round: number): boolean =>
    round < rounds || (round < rounds * MOST_ROUNDS && [...samples].some(isUndecided))
  for (let round = 0; isToBeContinued(round); round++) {
    for (const name of inTurn(names, round)) {
      samples.get(name)!.push(await processes.get(name)!.call('load', { ...load, requests }))
    }
  }
  return Object.fromEntries(
    Array.from(samples, ([name, all]) => {
      const ratios = ratiosOf(all)
      const blocks = all.map(
        ({ blockMs }, round) => blockMs / Math.max(plain[round]!.blockMs, SHORTEST_BLOCK_MS),
      )
      return [
        name,
        {
          cpuMs: rounded(median(all.map(({ cpuMs }) => cpuMs))),
          blockMs: rounded(median(all.map(({ blockMs }) => blockMs))),
          ratio: rounded(median(ratios), 3),
          ratioFrom: rounded(quantile(ratios, 0.25), 3),
          ratioTo: rounded(quantile(ratios, 0.75), 3),
          interval: intervalOf(ratios),
          block: rounded(median(blocks), 3),
          blockInterval: intervalOf(blocks),
          statements: rounded(asked.get(name)!.statements, 3),
          wireBytes: Math.round(asked.get(name)!.wireBytes),
        },
      ]
    }),
  )
}

/** A cell of requests one by one, of a process of an older version of Node. */
export interface OlderNode extends Cell {
  readonly version: string
  readonly of: Readonly<Record<string, Cost>>
}

/** The intervals of the highest ratios, of a single cell each. */
function intervalsOfHighest(cells: readonly Measured[]): Intervals {
  const costsOf = (isWritten: boolean, ...names: readonly string[]): readonly Cost[] =>
    cells.filter((cell) => cell.isWritten === isWritten).flatMap(({ of }) => names.map((name) => of[name]!))
  const highest = (costs: readonly Cost[], figure: 'ratio' | 'block' = 'ratio'): Cost | undefined =>
    costs.toSorted((one, other) => other[figure] - one[figure])[0]
  return {
    highestResults: highest(costsOf(false, RESULTS))?.interval,
    highestL1: highest(costsOf(false, L1))?.interval,
    highestWritten: highest(costsOf(true, RESULTS))?.interval,
    highestBlock: highest(costsOf(false, RESULTS, L1), 'block')?.blockInterval,
  }
}

function summariseOlder(older: readonly OlderNode[]) {
  const ratiosOf = (name: string): readonly number[] => older.map(({ of }) => of[name]!.ratio)
  return {
    highestResultsOfOlderNodes: rounded(Math.max(...ratiosOf(RESULTS)), 3),
    medianResultsOfOlderNodes: rounded(median(ratiosOf(RESULTS)), 3),
    highestL1OfOlderNodes: rounded(Math.max(...ratiosOf(L1)), 3),
  }
}

/** Highest and median ratios of what only reads, and of mixes with writes; and of rows alone, by what they answer and leave to the database. */
export function summarise(cells: readonly Measured[]) {
  const read = cells.filter(({ isWritten }) => !isWritten)
  const written = cells.filter(({ isWritten }) => isWritten)
  const ratiosOf = (name: string, of = read, isIncluded: (cost: Cost) => boolean = () => true): number[] =>
    of.flatMap((cell) => (isIncluded(cell.of[name]!) ? [cell.of[name]!.ratio] : []))
  const isAnswered = ({ statements }: Cost): boolean => statements === 0
  const blocks = read.flatMap(({ of }) => [RESULTS, L1].map((name) => of[name]!.block))
  const highest = (ratios: readonly number[]): number | null =>
    ratios.length > 0 ? Math.max(...ratios) : null
  const middle = (ratios: readonly number[]): number | null =>
    ratios.length > 0 ? rounded(median(ratios), 3) : null
  return {
    highestResults: highest(ratiosOf(RESULTS)),
    medianResults: middle(ratiosOf(RESULTS)),
    highestL1: highest(ratiosOf(L1)),
    medianL1: middle(ratiosOf(L1)),
    highestWritten: highest(ratiosOf(RESULTS, written)),
    medianWritten: middle(ratiosOf(RESULTS, written)),
    highestWhole: highest(ratiosOf(WHOLE, written)),
    medianWhole: middle(ratiosOf(WHOLE, written)),
    answeredRows: middle(ratiosOf(ROWS, read, isAnswered)),
    highestRows: highest(ratiosOf(ROWS)),
    leftRows: middle(ratiosOf(ROWS, read, (cost) => !isAnswered(cost))),
    highestBlock: rounded(Math.max(...blocks), 3),
    medianBlock: middle(blocks),
  }
}
