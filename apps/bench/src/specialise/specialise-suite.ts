import { openCannon, type Cannon } from '../http/cannon.ts'
import { inTurn } from '../measure/in-turn.ts'
import { interleave, type Effort as AloneEffort } from '../measure/interleave.ts'
import { say } from '../progress.ts'
import type { RunOptions } from '../run-options.ts'
import type { Suite } from '../suite.ts'
import { BIDS } from './bids.ts'
import type { Decision } from './decision.ts'
import { allDecisions, noise } from './decisions/all-decisions.ts'
import { figuresOf, presentSpecialise } from './present-specialise.ts'
import { CONNECTIONS, runRound, type Effort } from './run-round.ts'
import type { DecisionResult, SpecialiseMeasurements } from './specialise-measurements.ts'
import { cpuGainOf, gainOf, typical, type Round } from './summarise.ts'

const FULL: Effort = { rounds: 4, warmUpRequests: 5_000, legSeconds: 0.7 }
const QUICK: Effort = { rounds: 1, warmUpRequests: 200, legSeconds: 0.2 }
const FULL_ALONE: AloneEffort = { warmUpMs: 80, rounds: 21, batchMs: 4 }
const QUICK_ALONE: AloneEffort = { warmUpMs: 20, rounds: 5, batchMs: 1 }

/** Decisions that are taken once against the same ones taken at each call, as whole servers. */
export const specialiseSuite: Suite<SpecialiseMeasurements> = {
  packages: ['arktype', 'autocannon', 'prom-client'],
  run: measure,
  present: presentSpecialise,
  figures: figuresOf,
}

async function measure({ quick, only }: RunOptions): Promise<SpecialiseMeasurements> {
  const effort = quick ? QUICK : FULL
  const chosen = [noise, ...chooseDecisions(only)]
  say(`${chosen.length - 1} decisions and the noise, ${effort.rounds} rounds`)
  const cannon = await openCannon()
  const rounds = await measureRounds(chosen, cannon, effort).finally(() => cannon.stop())
  const [aa, ...decisions] = chosen.map((decision) =>
    resultOf(decision, rounds.get(decision)!, quick ? QUICK_ALONE : FULL_ALONE),
  )
  return {
    rows: BIDS,
    connections: CONNECTIONS,
    rounds: effort.rounds,
    secondsPerLeg: effort.legSeconds,
    control: aa!,
    decisions,
  }
}

async function measureRounds(
  chosen: readonly Decision[],
  cannon: Cannon,
  effort: Effort,
): Promise<Map<Decision, Round[]>> {
  const rounds = new Map(chosen.map((decision) => [decision, [] as Round[]]))
  for (let round = 0; round < effort.rounds; round++) {
    for (const decision of inTurn(chosen, round)) {
      const taken = await runRound(decision, cannon, effort)
      rounds.get(decision)!.push(taken)
      const percent = (gainOf([taken]).median * 100).toFixed(1)
      say(`Round ${round + 1} of ${effort.rounds}: ${decision.name}, ${percent} %`)
    }
  }
  return rounds
}

function resultOf(decision: Decision, rounds: readonly Round[], effort: AloneEffort): DecisionResult {
  const { name, about, variants, alone } = decision
  const tasks = alone?.().map((task, index) => ({ ...task, name: variants[index]!.name }))
  const timings = tasks && interleave(tasks, effort)
  const variant = (index: 0 | 1) => ({
    name: variants[index].name,
    requestsPerSecond: typical(rounds, index, 'requestsPerSecond'),
    cpuUsPerRequest: typical(rounds, index, 'cpuUsPerRequest'),
    ...(timings && { aloneNs: Number(timings[variants[index].name]!.ns.toFixed(1)) }),
  })
  return {
    name,
    about,
    variants: [variant(0), variant(1)],
    gain: gainOf(rounds),
    cpuGain: cpuGainOf(rounds),
  }
}

/** @throws when a name is not that of a decision */
function chooseDecisions(only: readonly string[]): readonly Decision[] {
  if (only.length === 0) return allDecisions
  return only.map((name) => {
    const found = allDecisions.find((decision) => decision.name === name)
    if (found) return found
    throw new Error(
      `There is no decision "${name}", only ${allDecisions.map((decision) => decision.name).join(', ')}.`,
    )
  })
}
