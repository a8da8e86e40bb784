import type { WorldSetting } from '../explorations.ts'
import { type Fault, noFaults } from './fault.ts'
import { NOTHING, type Breach, type State } from './model.ts'
import type { Rules } from './rules.ts'

/** The bounds of one exploration, and what is promised within them. */
export interface Scenario {
  readonly name: string
  /** What is read of the database, with a statement each: models, or values of the scope of a model. */
  readonly parts: readonly Part[]
  readonly writers: readonly ScenarioWriter[]
  /** How many reads of the result may begin. */
  readonly reads: number
  /** How many of them may be in flight at a time. @default 2 */
  readonly readsAtOnce?: number
  /** Whether each key is on a node of its own, which answers at a moment of its own. */
  readonly isCluster?: boolean
  /** Whether a read may be one of a process that must not store anything yet. */
  readonly hasNewcomers?: boolean
  /** @default none */
  readonly faults?: Partial<Record<Fault, number>>
  /** The breaches that must not be found. @default all */
  readonly promises?: readonly Breach[]
}

export interface Part {
  readonly name: string
  readonly register: number
  /** Whether it is a value of the scope of the model, which has a marker. */
  readonly isScoped?: boolean
}

export interface ScenarioWriter {
  /** The parts that it changes. */
  readonly changes: readonly number[]
  /** What it does there to the values of a scope. @default 'updates' */
  readonly how?: 'updates' | 'joins' | 'leaves'
  /** Whether it knows neither its rows nor their values. */
  readonly isBlind?: boolean
  /** Whether it is no extended client: its results are invalidated later, by a call or a follower. */
  readonly isOutside?: boolean
}

export type Setting = WorldSetting<Scenario, Rules>

export function initialState({ scenario }: Setting): State {
  const registers = Math.max(...scenario.parts.map(({ register }) => register)) + 1
  return {
    commits: [],
    registers: Array.from({ length: registers }, (_, epoch) => ({ epoch, fences: 0 })),
    markers: scenario.parts.map(() => ({ nonce: NOTHING, epoch: NOTHING, fences: 0 })),
    result: null,
    awaits: 0,
    writers: scenario.writers.map(() => ({
      phase: 'idle',
      fenced: 0,
      released: 0,
      epochs: Array.from({ length: registers }, () => NOTHING),
    })),
    reads: [],
    readsLeft: scenario.reads,
    faults: { ...noFaults, ...scenario.faults },
    ids: registers,
    broken: null,
  }
}
