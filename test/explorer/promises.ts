import { NOTHING, UNUSABLE, counts, hasAll, isFinished } from './model.ts'
import type { Bits, Breach, Read, State } from './model.ts'
import { type Promised, promisesOf, type Scenario } from './scenario.ts'

const BREACHES: Record<Promised, Breach> = {
  'read your writes': 'stale read after own write',
  'monotonic reads': 'non-monotonic read',
  'fresh after delivery': 'stale although the invalidation came',
  'fresh after COMMIT': 'transient stale',
}

const PROMISES = new Map(Object.entries(BREACHES).map(([promise, breach]) => [breach, promise as Promised]))

/** What a read is held to when this breach is looked for; a residue is seen without reading. */
export function promising(breach: Breach): Pick<Scenario, 'promises'> {
  const promise = PROMISES.get(breach)
  return { promises: promise ? [promise] : [] }
}

/** What a read that begins now must have seen. */
export function floorOf({ pods, database }: State, pod: number, scenario: Scenario): Bits {
  const promises = promisesOf(scenario)
  const { knows, heard, subscribed } = pods[pod]!
  const delivered = promises.includes('fresh after delivery') ? database & (subscribed ? heard : database) : 0
  const committed = promises.includes('fresh after COMMIT') ? database : 0
  return knows | delivered | committed
}

/** The promise that is broken when the read answers with this version, or null. */
export function brokenBy(
  { database }: State,
  { floor }: Read,
  value: Bits,
  scenario: Scenario,
): Breach | null {
  if (!hasAll(database, value)) return 'uncommitted row read'
  if (hasAll(value, floor)) return null
  return isDeploy(scenario) ? 'stale after deploy' : BREACHES[promisesOf(scenario)[0]!]
}

/** The promise that a state breaks, by its last step or by what it leaves behind, or null. */
export function brokenIn(state: State, scenario: Scenario): Breach | null {
  return state.broken ?? (isQuiet(state) ? residueIn(state, scenario) : null)
}

/** Nothing is on the way any more, and no fence is left: what is in the layers now stays until its TTL. */
function isQuiet({ reads, primes, late, messages, writers, register, rows, pods }: State): boolean {
  return (
    reads.length === 0 &&
    primes.length === 0 &&
    register.fences === 0 &&
    late.length === 0 &&
    messages.length === 0 &&
    writers.every(isFinished) &&
    rows.every(({ fences }) => fences === 0) &&
    !pods.some(
      ({ subscribed, expects }) => subscribed && expects.some((next, from) => isBehind(pods, next, from)),
    )
  )
}

/** Whether a heartbeat of the publisher would reveal a message that has not arrived. */
export const isBehind = (pods: State['pods'], next: number, from: number): boolean =>
  next <= pods[from]!.published

function residueIn(whole: State, scenario: Scenario): Breach | null {
  const { database, rows, pods } = whole
  for (const [i, { state, l1 }] of pods.entries()) {
    if (state === 'absent') continue
    const row = rows[scenario.pods[i]!.fingerprint]!
    const { value, expired, lease } = row
    if (lease !== NOTHING && lease !== UNUSABLE && !scenario.faults.stop) return 'lease left behind'
    for (const kept of [expired || !counts(whole, row) ? NOTHING : value, l1]) {
      if (kept === NOTHING || kept === database) continue
      if (!hasAll(database, kept)) return 'uncommitted row until TTL'
      if (isDeploy(scenario)) return 'stale after deploy'
      return kept === l1 ? 'stale in L1 until TTL' : 'stale until TTL'
    }
  }
  return null
}

const isDeploy = ({ pods }: Scenario): boolean => pods.some(({ fingerprint }) => fingerprint > 0)
