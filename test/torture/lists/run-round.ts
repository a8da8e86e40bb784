import type { Redis } from 'ioredis'
import { type BenchValkey, commandsOf, emptyStore, quiet } from '../bench/built.ts'
import type { Process } from '../bench/harness.ts'
import { start } from '../process.ts'
import { type State, USERS } from './page.ts'
import type { Serving } from './serve.ts'
import type { ProcessSettings, Variant } from './variant.ts'

export interface Effort {
  /** Measured waves of each state per round. */
  readonly waves: number
  /** Processor time of waves before, for the compilers and the collector; at least one wave of each state. */
  readonly warmUpMs: number
}

export type WaveResult = Awaited<ReturnType<typeof runWave>>

interface Run {
  readonly variant: Variant
  readonly serving: Process<Serving>
  readonly server: Redis
}

/** Starts one variant in a process of its own, and runs waves over it. @param expected the page, to be verified first */
export async function runRound(
  variant: Variant,
  databaseUrl: string,
  { url, client }: BenchValkey,
  { waves: count, warmUpMs }: Effort,
  expected?: string,
): Promise<WaveResult[]> {
  await client.flushdb()
  const settings: ProcessSettings = { variant: variant.name, databaseUrl, valkeyUrl: url }
  const serving = await start<Serving>(import.meta.dirname, 'serve.ts', settings)
  const run: Run = { variant, serving, server: client }
  try {
    let warmMs = 0
    do {
      for (const { cpuMs } of await runStates(run)) warmMs += cpuMs * USERS
    } while (warmMs < warmUpMs)
    if (expected !== undefined) await verify(run, expected)
    const waves: WaveResult[] = []
    for (let i = 0; i < count; i++) waves.push(...(await runStates(run)))
    return waves
  } finally {
    await serving.stop()
  }
}

/** One wave of each state. The wave of misses fills the cache for the waves of hits. */
async function runStates(run: Run): Promise<WaveResult[]> {
  await empty(run)
  const miss = await runWave(run, 'miss')
  const hit = await runWave(run, 'hit')
  const turn = await runWave(run, 'turn')
  await endHalf(run)
  return [miss, hit, turn, await runWave(run, 'half')]
}

/** @throws when a page of any state is not as expected */
async function verify(run: Run, expected: string): Promise<void> {
  await empty(run)
  // Misses, then hits.
  for (let i = 0; i < 2; i++) {
    await run.serving.call('verify', expected)
    await quiet(run.server)
  }
  await endHalf(run)
  await run.serving.call('verify', expected)
}

async function runWave({ variant, serving, server }: Run, state: State) {
  await serving.call('collectGarbage')
  const before = await commandsOf(server)
  const answered = await serving.call('wave', state === 'turn')
  const commands = (await quiet(server)) - before
  const finished = await serving.call('finish')
  const { queries, loopMaxMs } = finished
  const isStored = state === 'hit' || state === 'turn'
  if (variant.isCache && isStored && queries > 0) {
    throw new Error(`${variant.name} sends ${queries} queries for pages that it has stored.`)
  }
  // After hits nothing is left to do: the time until `finish` arrives does not count.
  const { cpuMs } = isStored ? answered : finished
  return { state, cpuMs: cpuMs / USERS, loopMaxMs, commands, queries }
}

async function empty({ serving, server }: Run): Promise<void> {
  await serving.call('forget')
  await emptyStore(server)
  await quiet(server)
}

async function endHalf({ serving, server }: Run): Promise<void> {
  await serving.call('endHalf')
  await quiet(server)
}
