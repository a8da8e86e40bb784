import type { WorldSetting } from '../explorations.ts'
import { type Fault, noFaults } from './fault.ts'
import { NOTHING, type Breach, type Process, type State } from './model.ts'
import { entryOf, rowWith, type Fields, type Key, type LookupName } from './row.ts'
import type { Rules } from './rules.ts'

/** What happens to a row: fields are set, of a new row or of one that exists, or it is deleted. */
export interface Change {
  readonly row: number
  readonly to: Fields | 'deleted'
}

export interface ScenarioWriter {
  /** @default 0 */
  readonly process?: number
  readonly changes: readonly Change[]
  /**
   * What the writer knows: its rows and the keys that they enter; its rows alone; only that it creates rows; or nothing.
   * @default 'keys'
   */
  readonly knows?: 'keys' | 'rows' | 'creations' | 'nothing'
  /** The lookups that it does not understand. @default none */
  readonly ignorantOf?: readonly LookupName[]
}

export interface ScenarioReader {
  /** @default 0 */
  readonly process?: number
  readonly key: Key
  /** How many reads it may begin. @default 1 */
  readonly times?: number
}

/** A read has seen every write that, before it began, */
export type Promised =
  /** a writer of its process had made and released; */
  | 'read your writes'
  /** an earlier read of its process had shown; */
  | 'monotonic reads'
  /** was committed and its process had received an invalidation of; */
  | 'fresh after delivery'
  /** was committed. */
  | 'fresh after COMMIT'

/** The bounds of one exploration, and what is promised within them. */
export interface Scenario {
  readonly name: string
  /** By id; null for rows that do not exist yet. */
  readonly rows: readonly (Fields | null)[]
  readonly keys: readonly Key[]
  readonly writers: readonly ScenarioWriter[]
  readonly readers: readonly ScenarioReader[]
  /** @default none */
  readonly faults?: Partial<Record<Fault, number>>
  /** How many reads may be in flight at a time. @default 2 */
  readonly readsAtOnce?: number
  /** How often a read that finds a lease waits for the entry. @default 0 */
  readonly waits?: number
  /** Whether the store holds all rows and entries at the start. @default false */
  readonly isWarm?: boolean
  /** Whether the rows of a load are primed. @default false */
  readonly primes?: boolean
  /** Whether processes have L1. @default false */
  readonly l1?: boolean
  /** Whether the last process, with the lookups, comes with a deploy. @default false */
  readonly isDeployed?: boolean
  /** @default `'fresh after COMMIT'` */
  readonly promises?: readonly Promised[]
  /** The breaches that are looked for. @default all that the protocol excludes */
  readonly breaches?: readonly Breach[]
}

export type Setting = WorldSetting<Scenario, Rules>

export const isPromised = ({ promises = ['fresh after COMMIT'] }: Scenario, promised: Promised): boolean =>
  promises.includes(promised)

export const processOf = ({ process = 0 }: ScenarioWriter | ScenarioReader): number => process

export const processCount = ({ writers, readers }: Scenario): number =>
  Math.max(...[...writers, ...readers].map(processOf)) + 1

/** The slot of an entry: entries follow rows. */
export const slotOf = ({ rows, keys }: Scenario, { lookup, key }: Key): number =>
  rows.length + keys.findIndex((other) => other.lookup === lookup && other.key === key)

export function initialState({ scenario }: Setting): State {
  const rows = scenario.rows.map((fields) => (fields ? rowWith(0, fields) : 0))
  const values = [...rows, ...scenario.keys.map((key) => entryOf(rows, key))]
  const processes = processCount(scenario)
  return {
    history: [rows],
    commits: [],
    register: { fences: 0, existenceFences: 0, marked: false },
    slots: values.map((value) => ({
      value: scenario.isWarm ? value : NOTHING,
      lease: NOTHING,
      fences: 0,
      marked: false,
    })),
    writers: scenario.writers.map(() => ({
      phase: 'idle',
      slots: 0,
      scope: 'none',
      hasAsked: false,
      bypassed: 0,
    })),
    processes: Array.from({ length: processes }, (_, process): Process => ({
      state: scenario.isDeployed && process === processes - 1 ? 'absent' : 'serving',
      awaits: 0,
      l1: values.map((value) => (scenario.l1 && scenario.isWarm ? value : NOTHING)),
      knows: 0,
      heard: 0,
      seen: values.map(() => 0),
    })),
    isDescribed: !scenario.isDeployed,
    reads: [],
    readsLeft: scenario.readers.map(({ times = 1 }) => times),
    messages: [],
    faults: { ...noFaults, ...scenario.faults },
    readsBegun: 0,
    broken: null,
  }
}
