import type { WorldSetting } from '../explorations.ts'
import { type Fault, noFaults } from './fault.ts'
import { bit, NOTHING, type Bits, type Breach, type Process, type State } from './model.ts'
import type { Rules } from './rules.ts'

/** An entry of the catalogue: a cache as one schema version keeps it. */
export interface ScenarioEntry {
  /** Entries of one name share a register. @default 0 */
  readonly name?: number
  /** Whether only processes that have this cache understand its description. @default false */
  readonly isNewer?: boolean
}

export interface ScenarioProcess {
  /** The cache that it has. @default none: a worker */
  readonly entry?: number
  /** How many reads it may begin. @default 0 */
  readonly reads?: number
  /** Whether it serves, and has asked, from the start; else it comes later. @default false */
  readonly isUp?: boolean
  /** How often it may clean the catalogue up. @default once if it has a cache and comes later */
  readonly cleanUps?: number
}

/** The bounds of one exploration, and what is promised within them. */
export interface Scenario {
  readonly name: string
  readonly entries: readonly ScenarioEntry[]
  readonly processes: readonly ScenarioProcess[]
  /** For each writer, the process that it runs in. */
  readonly writers: readonly number[]
  /** @default none */
  readonly faults?: Partial<Record<Fault, number>>
  /** Whether something may happen between the beginning of a write and FENCE. @default false */
  readonly hasLongWrites?: boolean
  /** How many reads may be in flight at a time. @default 1 */
  readonly readsAtOnce?: number
  /** Whether the caches that are up do not hold the row at the start. @default false */
  readonly isCold?: boolean
  /** The breaches that must not be found. @default all */
  readonly promises?: readonly Breach[]
}

export type Setting = WorldSetting<Scenario, Rules>

export const nameOf = ({ entries }: Scenario, entry: number): number => entries[entry]!.name ?? 0

/** The entries with this name. */
export const entriesNamed = (scenario: Scenario, name: number): Bits =>
  scenario.entries.reduce(
    (bits, _, entry) => (nameOf(scenario, entry) === name ? bits | bit(entry) : bits),
    0,
  )

/** The entry of the cache that a process has, as a set. */
export const ownEntry = ({ processes }: Scenario, process: number): Bits => {
  const { entry } = processes[process]!
  return entry === undefined ? 0 : bit(entry)
}

export function initialState({ scenario }: Setting): State {
  const up = scenario.processes.reduce(
    (bits, { isUp }, process) => (isUp ? bits | ownEntry(scenario, process) : bits),
    0,
  )
  const exists = scenario.processes.some(({ isUp }) => isUp)
  const names = Math.max(...scenario.entries.map((_, entry) => nameOf(scenario, entry))) + 1
  return {
    database: 0,
    catalogue: {
      hasHash: exists,
      hasEpochKey: exists,
      isWritten: exists,
      entries: up,
      awaits: scenario.entries.map(() => 0),
    },
    registers: Array.from({ length: names }, (_, name) => ({
      listed: up & entriesNamed(scenario, name),
      fences: 0,
      isNew: !exists,
    })),
    rows: scenario.entries.map((_, entry) => ({
      value: !scenario.isCold && up & bit(entry) ? 0 : NOTHING,
      lease: NOTHING,
      fences: 0,
    })),
    processes: scenario.processes.map(({ reads = 0, isUp = false, ...process }): Process => ({
      state: isUp ? 'serving' : 'absent',
      readsLeft: reads,
      entries: isUp ? up : NOTHING,
      knowsCatalogueEpoch: isUp,
      awaits: 0,
      cleanUpsLeft: process.cleanUps ?? (process.entry === undefined || isUp ? 0 : 1),
      cleanUp: 'begin',
      removable: 0,
      bypasses: false,
      extends: false,
    })),
    writers: scenario.writers.map(() => ({
      phase: 'idle',
      known: 0,
      fenced: 0,
      added: 0,
      closed: 0,
      hasFenced: false,
      hasAsked: false,
      isBehind: false,
    })),
    reads: [],
    faults: { ...noFaults, ...scenario.faults },
    readsBegun: 0,
    broken: null,
  }
}
