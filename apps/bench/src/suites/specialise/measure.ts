import { join } from 'node:path'
import type { Run } from '../../harness/comparison.ts'
import { interleave, type Effort as AloneEffort } from '../../harness/interleave.ts'
import { callProcess } from '../../harness/process.ts'
import { inRounds, rounded } from '../../harness/rounds.ts'
import { median } from '../../harness/statistics.ts'
import { control, type Decision } from './decisions.ts'
import { gainOf } from './gains.ts'
import { BIDS } from './reads.ts'
import type { Serving } from './serve.ts'

interface Effort {
  readonly rounds: number
  /** A number and not a duration: the optimising compilers count calls. */
  readonly warmUpRequests: number
  readonly requests: number
  readonly alone: AloneEffort
}

/** Runs the variants in turn, each time in a new process. */
export async function measure({ chosen, effort }: Run<Effort, Decision>) {
  const programs = [control, ...chosen].flatMap((decision) =>
    decision.variants.map(({ name }) => ({ name: `${decision.name}, ${name}`, args: [decision.name, name] })),
  )
  const file = join(import.meta.dirname, 'serve.ts')
  const taken = await inRounds(programs, effort.rounds, ({ args }) =>
    callProcess<Serving, 'run'>(file, 'run', effort, { args }),
  )
  const samples = [...taken.values()]
  const [same, ...decisions] = [control, ...chosen].map(({ name, about, variants, alone }, place) => {
    const [first, second] = samples.slice(2 * place) as [readonly number[], readonly number[]]
    const tasks = alone?.().map((task, index) => ({ ...task, name: variants[index]!.name }))
    const timings = tasks && interleave(tasks, effort.alone)
    const variant = ({ name }: { readonly name: string }, cpuUs: readonly number[]) => ({
      name,
      cpuUsPerRequest: rounded(median(cpuUs)),
      /** Nanoseconds of one call outside of a request. */
      ...(timings && { aloneNs: rounded(timings[name]!.ns, 3) }),
    })
    return {
      name,
      about,
      variants: [variant(variants[0], first), variant(variants[1], second)] as const,
      cpuGain: gainOf(first, second),
    }
  })
  // Each request reads so many rows.
  return { rows: BIDS, rounds: effort.rounds, control: same!, decisions }
}
