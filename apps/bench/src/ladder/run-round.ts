import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Cannon, Shot } from '../http/cannon.ts'
import { startServed, type Served } from '../http/served.ts'
import { watchMachine } from '../http/watch-machine.ts'
import { probeLiveness } from '../measure/probe-liveness.ts'
import { quantile } from '../measure/statistics.ts'
import type { StepFigures } from './ladder-measurements.ts'
import type { StepEnvironment } from './steps/step.ts'

export interface Effort {
  readonly rounds: number
  readonly warmUpRequests: number
  readonly seconds: number
  readonly steadySeconds: number
}

export const CONNECTIONS = 50
/** Few enough for every step, also on a small machine. */
export const STEADY_PER_SECOND = 40

/** Starts a step in a process of its own. */
export function startStep(name: string, { databaseUrl, valkeyUrl }: StepEnvironment): Promise<Served> {
  return startServed(join(import.meta.dirname, 'serve.ts'), {
    args: [name],
    env: { DATABASE_URL: databaseUrl, VALKEY_URL: valkeyUrl },
  })
}

/** Loads a step with all connections, and then with requests at a steady rate. */
export async function runRound(
  served: Served,
  cannon: Cannon,
  paths: readonly string[],
  { warmUpRequests, seconds, steadySeconds }: Effort,
): Promise<StepFigures> {
  const shot: Shot = { url: served.url, paths, connections: CONNECTIONS, until: { seconds } }
  await cannon.fire({ ...shot, until: { requests: warmUpRequests } })
  const { result, idle, watched } = await underLoad(served, () => cannon.fire(shot))
  const steady = await underLoad(served, () => steadyLatencies(served, paths, steadySeconds))
  return {
    requestsPerSecond: result.requestsPerSecond,
    averageMs: result.averageMs,
    p99Ms: result.p99Ms,
    longestGcMs: watched.longestGcMs,
    cpuIdle: idle,
    loopIdle: watched.loopIdle,
    loopMaxMs: watched.loopMaxMs,
    cpuMsPerRequest: watched.cpuMs / result.requests,
    steadyP50Ms: quantile(steady.result, 0.5),
    steadyP99Ms: quantile(steady.result, 0.99),
    steadyCpuIdle: steady.idle,
  }
}

async function underLoad<T>(served: Served, work: () => Promise<T>) {
  const stopMachine = watchMachine()
  const { result, watched } = await served.watch(work)
  return { result, watched, idle: stopMachine() }
}

async function steadyLatencies(
  { url }: Served,
  paths: readonly string[],
  seconds: number,
): Promise<number[]> {
  const prober = probeLiveness(
    paths.map((path) => url + path),
    1_000 / STEADY_PER_SECOND,
  )
  try {
    const from = performance.now()
    await sleep(seconds * 1_000)
    return await prober.latencies(from, performance.now())
  } finally {
    prober.stop()
  }
}
