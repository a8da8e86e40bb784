import { join } from 'node:path'
import type { Cannon, Shot } from '../http/cannon.ts'
import { startServed, type Served } from '../http/served.ts'
import { answerOf, bids } from './bids.ts'
import type { Decision } from './decision.ts'
import type { Leg, Round } from './summarise.ts'

export interface Effort {
  readonly rounds: number
  /** So many, not so long: the optimising compilers count calls. */
  readonly warmUpRequests: number
  readonly legSeconds: number
}

export const CONNECTIONS = 10

/** One decision, its two servers in new processes, loaded in turn: A B B A. */
export async function runRound(
  { name, variants }: Decision,
  cannon: Cannon,
  { warmUpRequests, legSeconds }: Effort,
): Promise<Round> {
  const starting = variants.map((variant) => start(name, variant.name))
  try {
    const servers = await Promise.all(starting)
    await verify(name, servers)
    for (const served of servers) await cannon.fire(shotAt(served, { requests: warmUpRequests }))
    const legs: [Leg[], Leg[]] = [[], []]
    for (const variant of [0, 1, 1, 0] as const) {
      legs[variant].push(await takeLeg(servers[variant]!, cannon, legSeconds))
    }
    return legs
  } finally {
    for (const started of await Promise.allSettled(starting)) {
      if (started.status === 'fulfilled') await started.value.stop()
    }
  }
}

const start = (decision: string, variant: string): Promise<Served> =>
  startServed(join(import.meta.dirname, 'serve.ts'), { args: [decision, variant] })

const shotAt = ({ url }: Served, until: Shot['until']): Shot => ({
  url,
  paths: ['/'],
  connections: CONNECTIONS,
  until,
})

async function takeLeg(served: Served, cannon: Cannon, seconds: number): Promise<Leg> {
  const { result, watched } = await served.watch(() => cannon.fire(shotAt(served, { seconds })))
  return {
    requestsPerSecond: result.requestsPerSecond,
    cpuUsPerRequest: (watched.cpuMs * 1_000) / result.requests,
  }
}

/** @throws when a server does not answer with all the rows */
async function verify(name: string, servers: readonly Served[]): Promise<void> {
  const expected = answerOf(bids)
  for (const served of servers) {
    // Twice: a cache has nothing the first time.
    for (const answer of [await served.get('/'), await served.get('/')]) {
      if (answer !== expected) throw new Error(`${name}: a server answers with ${answer.slice(0, 300)}`)
    }
  }
}
