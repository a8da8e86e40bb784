import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { builtLibrary } from '../../support/build-library.js'
import { createSqliteDatabase } from '../../support/sqlite-database.js'
import { startValkey } from '../../support/valkey-server.js'
import { names, type PodReport, type PodSettings, type Seen, tables } from './sqlite-pods.js'

const seconds = Number(process.env.POD_SECONDS ?? 20)
/** Has processes import the built library. */
const hooks = join(import.meta.dirname, '../../../apps/bench/src/harness/import-built.ts')
/** A pod is killed so often, and another one started. */
const killEveryMs = 4_000

interface Course {
  readonly reads: Seen[]
  readonly writes: Seen[]
  attempts: number
  /** Of all attempts, by code. */
  readonly errors: Record<string, number>
  /** What the file holds in the end. */
  readonly rows: readonly { readonly name: string; readonly size: string }[]
}

/** Has processes write, and those with caches read, one file for some time. */
async function run(isPlain: boolean): Promise<Course> {
  const [library, valkey, database] = [
    await builtLibrary(),
    await startValkey(),
    await createSqliteDatabase('shared'),
  ]
  await database.run(tables)
  const course = {
    reads: [] as Seen[],
    writes: [] as Seen[],
    attempts: 0,
    errors: {} as Record<string, number>,
  }
  const add = (report: PodReport | 'done'): void => {
    if (report === 'done') return
    course.reads.push(...report.reads)
    course.writes.push(...report.writes)
    course.attempts += report.attempts
    for (const [code, count] of Object.entries(report.errors))
      course.errors[code] = (course.errors[code] ?? 0) + count
  }
  const pods: ChildProcess[] = []
  /** Resolves when it works. */
  const start = async (): Promise<void> => {
    const settings: PodSettings = {
      path: database.url.replace('file:', ''),
      valkeyUrl: valkey.url,
      isPlain,
    }
    const env = { ...process.env, MODEL_CACHE_BUILT: library, POD: JSON.stringify(settings) }
    const pod = fork(join(import.meta.dirname, 'sqlite-pod.process.mts'), {
      env,
      execArgv: ['--no-warnings', '--import', hooks],
    })
    pod.on('message', add)
    pods.push(pod)
    await once(pod, 'message')
  }
  await Promise.all([start(), start(), start()])
  const until = performance.now() + seconds * 1_000
  while (performance.now() < until) {
    await sleep(killEveryMs)
    const victim = pods.shift()!
    const exited = once(victim, 'exit')
    victim.kill('SIGKILL')
    await exited
    await start()
  }
  const done = pods.map(untilDone)
  for (const pod of pods) pod.send('stop')
  await Promise.all(done)
  const ended = pods.map((pod) => once(pod, 'exit'))
  for (const pod of pods) pod.send('read')
  await Promise.all(ended)
  const rows = await database.rows<{ name: string; size: string }>('SELECT name, size FROM "Blob"')
  await database.drop()
  await valkey.stop()
  return { ...course, rows }
}

/** Resolves when a pod has ended its work, or itself. */
function untilDone(pod: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    pod.on('message', (message) => message === 'done' && resolve())
    pod.on('exit', () => resolve())
  })
}

/** Reads that began after a newer version was committed. */
function staleReads({ reads, writes }: Course): readonly Seen[] {
  const byName = Map.groupBy(writes, ([name]) => name)
  return reads.filter(([name, version, atMs]) =>
    byName.get(name)?.some(([, newer, committedMs]) => newer > version && committedMs < atMs),
  )
}

const failuresPerWrite = ({ attempts, errors }: Course): number =>
  Object.values(errors).reduce((sum, count) => sum + count, 0) / attempts

// Chaos has those whose driver has a connection for each transaction (`npm run bench -- chaos --database sqlite`).
describe('processes that share a SQLite file, each with one connection', () => {
  it('read no row from their caches that is older than what was committed, lose no write, and fail hardly more often than plain clients', async () => {
    const plain = await run(true)
    const course = await run(false)
    for (const { attempts, errors, reads, writes } of [plain, course])
      process.stderr.write(
        `${JSON.stringify({ attempts, errors, reads: reads.length, written: writes.length })}\n`,
      )
    expect(course.reads.length).toBeGreaterThan(500)
    expect(course.writes.length).toBeGreaterThan(100)
    expect(staleReads(course)).toEqual([])
    // A version that two writes have given a row is a lost write.
    const versions = course.writes.map(([name, version]) => `${name} ${version}`)
    expect(versions.length - new Set(versions).size).toBe(0)
    const sizes = new Map(course.rows.map(({ name, size }) => [name, Number(size)]))
    expect(course.writes.filter(([name, version]) => version > sizes.get(name)!)).toEqual([])
    expect(sizes.size).toBe(names.length)
    expect(failuresPerWrite(course)).toBeLessThanOrEqual(Math.max(0.01, 1.5 * failuresPerWrite(plain)))
  })
})
