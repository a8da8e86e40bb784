import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A figure of the home, with the suite that has measured it. */
export interface Figure {
  readonly value: string
  readonly meaning: string
  readonly suite: string
}

const RESULTS = join(import.meta.dirname, '../../../apps/bench/results')

interface Chaos {
  readonly reads: number
  readonly staleReads: number
}

interface Burst {
  readonly name: string
  readonly workload: string
  readonly state: string
  readonly loopMaxMs: number
}

/** Figures of stored results, so that none on the home is older than those of docs/benchmarks.md. */
export default {
  watch: [`${RESULTS}/{page,chaos,storm}.json`],
  load: (): Figure[] => [page(), storm(), chaos()],
}

declare const data: Figure[]
export { data }

function page(): Figure {
  const { lots, summary } = resultOf<{ lots: number; summary: { requestsVsPrisma: number } }>('page')
  return {
    value: `${summary.requestsVsPrisma.toFixed(1)} times`,
    meaning: `the requests per second of Prisma alone, for a GraphQL page of ${lots} lots`,
    suite: 'page',
  }
}

function storm(): Figure {
  const { cases, lotsPerUser, users } = resultOf<{
    cases: readonly Burst[]
    lotsPerUser: number
    users: number
  }>('storm')
  const own = cases.find(
    ({ name, state, workload }) => name === 'model-cache' && state === 'hit' && workload === 'distinct',
  )
  return {
    value: `${own!.loopMaxMs.toFixed(1)} ms`,
    meaning: `is the longest block of the event loop while one tick reads ${count(users * lotsPerUser)} rows`,
    suite: 'storm',
  }
}

function chaos(): Figure {
  const { available, memory, restarts, sentinel, ...strict } = resultOf<
    Chaos & Partial<Record<'available' | 'memory' | 'restarts' | 'sentinel', Chaos>>
  >('chaos')
  const phases = [strict, available, memory, restarts, sentinel].filter((phase) => phase !== undefined)
  const sumOf = (field: keyof Chaos) => phases.reduce((sum, phase) => sum + phase[field], 0)
  return {
    value: `${count(sumOf('staleReads'))} stale`,
    meaning: `of ${count(sumOf('reads'))} reads, while pods, connections and servers fail`,
    suite: 'chaos',
  }
}

function resultOf<Result>(suite: string): Result {
  return JSON.parse(readFileSync(join(RESULTS, `${suite}.json`), 'utf8')) as Result
}

const count = (number: number): string => number.toLocaleString('en')
