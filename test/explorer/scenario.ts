import type { WorldSetting } from './explorations.ts'
import { type Fault, noFaults } from './fault.ts'
import { NOTHING, bit, type Pod, type State } from './model.ts'
import type { Rules } from './rules.ts'

/** A read has seen every write that, before it began, */
export type Promised =
  /** a writer of its process had made and released; */
  | 'read your writes'
  /** an earlier read of its process had seen; */
  | 'monotonic reads'
  /** was committed and its process had received an invalidation of, or L1 was off; */
  | 'fresh after delivery'
  /** was committed. */
  | 'fresh after COMMIT'

export interface ScenarioPod {
  readonly fingerprint: number
  /** How many reads it may begin. */
  readonly reads: number
  /** @default true: it serves from the start; false: it comes with a deploy. */
  readonly live?: boolean
}

/** The bounds of one exploration, and what is promised within them. */
export interface Scenario {
  readonly name: string
  readonly pods: readonly ScenarioPod[]
  /** For each writer, the pod that it runs on. */
  readonly writers: readonly number[]
  /** Whether the writers write to rows that they do not know: to the whole model. @default false */
  readonly writesModel?: boolean
  /** How many rows may be primed that were read before. @default 0 */
  readonly primes?: number
  readonly faults: Partial<Record<Fault, number>>
  /** How many reads may be in flight at a time, of all pods. @default all of them */
  readonly readsAtOnce?: number
  /** Whether all queries of a pod run within the transaction that its writer has open. @default false */
  readonly sharedConnection?: boolean
  /** Whether pods have L1. @default false */
  readonly l1?: boolean
  /** Whether L1 keeps the row only while it is hot, which it is not at the start. @default false */
  readonly hot?: boolean
  /** Whether messages stay on the way for as long as is explored. @default false */
  readonly slowMessages?: boolean
  /** Whether `v` holds the row at the start. @default false */
  readonly warm?: boolean
  /**
   * What no read may be older than. Everywhere in addition: when all is quiet, no layer holds a value that is not the
   * row's, and no lease is left.
   *
   * @default `'fresh after COMMIT'`
   */
  readonly promises?: readonly Promised[]
}

export const promisesOf = ({ promises = ['fresh after COMMIT'] }: Scenario): readonly Promised[] => promises

export type Setting = WorldSetting<Scenario, Rules>

/** The clock matters only where a row may be kept, or a load coalesced, because of it. */
export const usesClock = ({ scenario, rules }: Setting): boolean =>
  scenario.l1 === true || rules.coalescesWith === 'load under an unmoved clock'

export const fingerprintCount = ({ pods }: Scenario): number =>
  Math.max(...pods.map(({ fingerprint }) => fingerprint)) + 1

export function initialState(scenario: Scenario): State {
  const live = scenario.pods
    .filter(({ live }) => live !== false)
    .reduce((bits, { fingerprint }) => bits | bit(fingerprint), 0)
  const rows = Array.from({ length: fingerprintCount(scenario) }, (_, fingerprint) => ({
    value: scenario.warm && live & bit(fingerprint) ? 0 : NOTHING,
    expired: false,
    lease: NOTHING,
    fences: 0,
    marked: false,
    epoch: 0,
  }))
  const register = { epoch: 0, fences: 0, marked: false }
  return {
    database: 0,
    replica: 0,
    live,
    rows,
    register,
    copy: scenario.faults.promotion ? { rows, register } : null,
    writers: scenario.writers.map(() => ({ phase: 'open' as const, fingerprints: bit(0) })),
    pods: scenario.pods.map((pod) => initialPod(pod, scenario)),
    reads: [],
    primes: [],
    primesLeft: scenario.primes ?? 0,
    late: [],
    messages: [],
    faults: { ...noFaults, ...scenario.faults },
    readsBegun: 0,
    leasesTaken: 0,
    epochsBegun: 0,
    broken: null,
  }
}

function initialPod({ reads, live }: ScenarioPod, { hot = false, pods }: Scenario): Pod {
  return {
    state: live === false ? 'absent' : 'live',
    readsLeft: reads,
    l1: NOTHING,
    isHot: !hot,
    subscribed: true,
    published: 0,
    expects: Array.from(pods, () => 1),
    knows: 0,
    heard: 0,
    bypasses: false,
    awaits: 0,
  }
}
