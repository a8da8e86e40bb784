import type { Redis } from 'ioredis'
import { setTimeout as sleep } from 'node:timers/promises'
import { probeLiveness, type LivenessProber } from '../measure/probe-liveness.ts'
import { countCommands } from './count-commands.ts'
import { LOTS_PER_USER, USERS } from './lots.ts'
import type { StormServer } from './open-server.ts'
import type { Settled } from './protocol.ts'
import { startServing, type ServingProcess } from './serving-process.ts'
import { WORKLOADS, type State, type Workload } from './storm-measurements.ts'

export interface Effort {
  readonly rounds: number
  /** Of each kind in a round, which count. A collection of the whole heap falls into some, and into others not. */
  readonly storms: number
  /**
   * How much processor time storms take before those that count, so that the optimising compilers are done and the
   * collector has found its sizes. There is one storm of each kind in any case.
   */
  readonly warmUpMs: number
}

export interface RoundOptions extends Effort {
  /** For the process that serves. */
  readonly nodeOptions: readonly string[]
}

/** What one storm did. */
export interface StormResult extends Settled {
  readonly workload: Workload
  readonly state: State
  readonly wallMs: number
  readonly storeCommands: number
  /** Latencies of probes. */
  readonly liveness: readonly number[]
}

export interface RoundResult {
  readonly storms: readonly StormResult[]
  /** Latencies of probes while nothing was asked for. */
  readonly idleLiveness: readonly number[]
  readonly heapMb: number
}

const PROBE_EVERY_MS = 10
/** From the beginning of a storm; the same for all, so that percentiles are of as many probes. */
const PROBED_MS = 250
/** The store is filled when it has not been sent a command for as long. */
const QUIET_MS = 10
const FILL_DEADLINE_MS = 10_000

/** Starts one case in a process of its own and has storms of each kind over it. */
export async function runRound(
  name: string,
  { url, client }: StormServer,
  { storms: count, warmUpMs, nodeOptions }: RoundOptions,
): Promise<RoundResult> {
  const serving = await startServing(name, url, nodeOptions)
  const prober = probeLiveness(serving.livenessUrl, PROBE_EVERY_MS)
  const run = { name, serving, prober, server: client }
  try {
    let warmMs = 0
    do {
      const storms = await runKinds(run, { verify: warmMs === 0, probedMs: 0 })
      for (const { cpuMs } of storms) warmMs += cpuMs
    } while (warmMs < warmUpMs)
    const storms: StormResult[] = []
    for (let i = 0; i < count; i++) {
      storms.push(...(await runKinds(run, { verify: false, probedMs: PROBED_MS })))
    }
    // After the storms: when V8 sees a process idle it collects everything, which would fall into the next storm.
    const heapMb = await serving.heapMb()
    const idleSince = performance.now()
    await sleep(PROBED_MS)
    return { storms, heapMb, idleLiveness: await prober.latencies(idleSince, performance.now()) }
  } finally {
    prober.stop()
    await serving.stop()
  }
}

interface Run {
  readonly name: string
  readonly serving: ServingProcess
  readonly prober: LivenessProber
  readonly server: Redis
}

interface StormOptions {
  readonly verify: boolean
  readonly probedMs: number
}

/** One storm of each kind. */
async function runKinds(run: Run, options: StormOptions): Promise<StormResult[]> {
  const storms: StormResult[] = []
  for (const workload of WORKLOADS) storms.push(...(await runStates(run, workload, options)))
  return storms
}

/** The storm of misses fills the store for the storm of hits. */
async function runStates(run: Run, workload: Workload, options: StormOptions): Promise<StormResult[]> {
  await empty(run)
  const miss = await runStorm(run, workload, 'miss', options)
  const hit = await runStorm(run, workload, 'hit', options)
  await empty(run)
  await run.serving.storm({ workload, part: 'half', verify: false })
  await filled(run, Math.ceil(LOTS_PER_USER / 2) * (workload === 'same' ? 1 : USERS))
  await run.serving.settle()
  await run.serving.clean()
  const half = await runStorm(run, workload, 'half', options)
  return [hit, miss, half]
}

async function runStorm(
  run: Run,
  workload: Workload,
  state: State,
  { verify, probedMs }: StormOptions,
): Promise<StormResult> {
  const { name, serving, prober, server } = run
  const commandsBefore = await commandsOf(server)
  const startedAt = performance.now()
  const answered = await serving.storm({ workload, part: 'all', verify })
  if (state !== 'hit') await filled(run, LOTS_PER_USER * (workload === 'same' ? 1 : USERS))
  const settled = await serving.settle()
  if (state === 'hit' && settled.queries > 0) {
    throw new Error(`${name} asks the source for ${settled.rows} lots (${workload}) that it has stored.`)
  }
  await sleep(Math.max(0, startedAt + probedMs - performance.now()))
  const liveness = await prober.latencies(startedAt, performance.now())
  await serving.clean()
  const storeCommands = (await commandsOf(server)) - commandsBefore
  // Hits leave nothing to be done: what this process takes to say so is not counted.
  const { cpuMs } = state === 'hit' ? answered : settled
  return { workload, state, ...settled, wallMs: answered.wallMs, cpuMs, storeCommands, liveness }
}

async function empty({ serving, server }: Run): Promise<void> {
  await server.flushdb()
  await serving.forget()
}

/** Waits until the store has as many values, and nobody sends it more: some cases store a lot once for each user. */
async function filled({ name, server }: Run, count: number): Promise<void> {
  const deadline = performance.now() + FILL_DEADLINE_MS
  for (let before = -1; ;) {
    const commands = await commandsOf(server)
    const stored = await server.dbsize()
    if (stored >= count && commands === before) return
    if (performance.now() > deadline) throw new Error(`${name} has stored ${stored} lots of ${count}.`)
    before = commands
    await sleep(QUIET_MS)
  }
}

const commandsOf = async (server: Redis): Promise<number> => countCommands(await server.info('commandstats'))
