/**
 * `npm run fuzz -- --minutes 10`: checks the properties of the codec with random seeds, against the built library, in two
 * processes. Exits with code 1 if a property fails.
 *
 * `npm run fuzz -- writes --writes 50000`: compares random writes through an extended client with those through a plain
 * one, on real servers, in two processes, and looks for stale rows after others that run beside each other while connections
 * are lost. Exits with code 1 if they differ. `--database mysql` has them on another database
 * than PostgreSQL; test/support/databases.ts lists them.
 *
 * `npm run fuzz -- reads --reads 20000`: compares random reads through a client with cached reads with those through a
 * plain one, in the same way, `--database` too. With `--results`, results of queries are kept, and each read is sent twice. With `--at-rest`,
 * reads and writes are of caches that encrypt and compress, and whose keys rotate. One of the processes has sessions of PostgreSQL outside of UTC; `--zone` has both in one.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { parseArgs } from 'node:util'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    /** Number of writes to compare. */
    writes: { type: 'string', default: '50000' },
    /** Number of reads to compare. */
    reads: { type: 'string', default: '20000' },
    /** The database of writes or reads. */
    database: { type: 'string', default: 'postgresql' },
    /** The time zone of sessions of PostgreSQL, for reads. @default UTC in one process, Europe/Berlin in the other */
    zone: { type: 'string' },
    /** Whether results of queries are kept, for reads. */
    results: { type: 'boolean', default: false },
    /** Whether what is stored is encrypted and compressed, with ids hashed in keys, and keys that rotate; for reads and writes. */
    'at-rest': { type: 'boolean', default: false },
    minutes: { type: 'string', default: '10' },
    /** Part of the property name. @default all properties */
    property: { type: 'string', default: '' },
    /** A failure prints the seed and the path that repeat it. */
    seed: { type: 'string' },
    path: { type: 'string' },
  },
})

const ROUND_SECONDS = 30
/** More seeds than a round can use up. */
const ROUND_SEEDS = 1_000_000
/** The processes that run at the same time. */
const LANES = [0, 1]

const atRest = values['at-rest'] ? ['--at-rest'] : []

if (positionals[0] === 'writes') {
  const options = (): string[] => ['--database', values.database, ...atRest]
  process.exitCode = (await fuzzClients('fuzz-writes.ts', values.writes, options)) ? 0 : 1
} else if (positionals[0] === 'reads') {
  const zoneOf = (lane: number): string => values.zone ?? (lane === 0 ? 'UTC' : 'Europe/Berlin')
  const results = values.results ? ['--results'] : []
  const options = (lane: number): string[] => [
    '--database',
    values.database,
    '--zone',
    zoneOf(lane),
    ...results,
    ...atRest,
  ]
  process.exitCode = (await fuzzClients('fuzz-reads.ts', values.reads, options)) ? 0 : 1
} else if (values.path === undefined) {
  const end = performance.now() + Number(values.minutes) * 60_000
  const failures = await Promise.all(LANES.map((lane) => fuzz(lane, end)))
  process.exitCode = failures.every((names) => names.length === 0) ? 0 : 1
} else {
  const { failed } = await round(ROUND_SECONDS, values.seed ?? '0', ['--path', values.path])
  process.exitCode = failed.length === 0 ? 0 : 1
}

/** Returns whether no process found a difference. A given seed runs in one process. */
async function fuzzClients(
  scriptName: string,
  count: string,
  optionsOf: (lane: number) => readonly string[],
): Promise<boolean> {
  const { startTestServers, stopTestServers } = await import('../test/support/test-servers.ts')
  console.log(await startTestServers())
  try {
    const seeds =
      values.seed === undefined ? LANES.map(() => Math.trunc(Math.random() * 2 ** 30)) : [Number(values.seed)]
    const each = Math.ceil(Number(count) / seeds.length)
    const codes = await Promise.all(
      seeds.map(async (seed, lane) => {
        const script = join(import.meta.dirname, scriptName)
        const child = fork(script, ['--seed', String(seed), '--count', String(each), ...optionsOf(lane)])
        const [code] = (await once(child, 'exit')) as [number | null]
        return code
      }),
    )
    return codes.every((code) => code === 0)
  } finally {
    await stopTestServers()
  }
}

/** Runs rounds until the time is over. Skips properties that have failed, so that they do not hide the others. */
async function fuzz(lane: number, end: number): Promise<string[]> {
  const failed: string[] = []
  let seed = Number(values.seed ?? Math.trunc(Math.random() * 2 ** 30)) + lane * ROUND_SEEDS
  while (performance.now() < end) {
    const seconds = Math.min(ROUND_SECONDS, (end - performance.now()) / 1000)
    const skip = failed.flatMap((name) => ['--skip', name])
    const result = await round(seconds, String(seed), skip)
    failed.push(...result.failed)
    if (result.crashed) break
    seed += LANES.length * ROUND_SEEDS
  }
  return failed
}

async function round(
  seconds: number,
  seed: string,
  more: readonly string[],
): Promise<{ failed: readonly string[]; crashed: boolean }> {
  const script = join(import.meta.dirname, 'fuzz-round.ts')
  const options = ['--seconds', String(seconds), '--seed', seed, '--property', values.property]
  const child = fork(script, [...options, ...more])
  let failed: readonly string[] | undefined
  child.on('message', (names) => (failed = names as string[]))
  const [code, signal] = (await once(child, 'exit')) as [number | null, string | null]
  if (failed) return { failed, crashed: false }
  console.log(`\nFAILED: seed ${seed}: the process ended with ${signal ?? code}`)
  return { failed: ['(crash)'], crashed: true }
}
