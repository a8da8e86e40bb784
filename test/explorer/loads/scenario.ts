import type { WorldSetting } from '../explorations.ts'
import type { Fault } from './fault.ts'
import { bit, hasAll, type Bits, type Breach, type State } from './model.ts'
import type { Rules } from './rules.ts'

/** The bounds of one exploration, and what is promised within them. */
export interface Scenario {
  readonly name: string
  /** All rows, and those that the source of each reads. */
  readonly needs: Readonly<Record<string, readonly string[]>>
  /** The rows of each read, which are of one cache. */
  readonly reads: readonly (readonly string[])[]
  readonly permits: number
  /** @default none */
  readonly faults?: Partial<Record<Fault, number>>
  /** The breaches that must not be found. @default all */
  readonly promises?: readonly Breach[]
}

export type Setting = WorldSetting<Scenario, Rules>

/** More calls and loads than this have no end. */
export const mostIds = 30

export function initialState({ scenario }: Setting): State {
  return {
    tick: [],
    stored: 0,
    loads: [],
    joined: [],
    groups: [],
    calls: [],
    givenUp: [],
    reads: scenario.reads.map(() => null),
    faults: { 'hanging source': 0, 'early deadline': 0, ...scenario.faults },
    ids: 0,
    broken: null,
  }
}

export const rowNames = ({ needs }: Scenario): readonly string[] => Object.keys(needs)

export const bitsOf = (scenario: Scenario, rows: readonly string[]): Bits =>
  rows.reduce((bits, row) => bits | bit(rowNames(scenario).indexOf(row)), 0)

/** The rows that the sources of these read. */
export const needsOf = (scenario: Scenario, rows: Bits): Bits =>
  Object.values(scenario.needs).reduce(
    (bits, needed, row) => (rows & bit(row) ? bits | bitsOf(scenario, needed) : bits),
    0,
  )

export function needsItself(scenario: Scenario, row: number): boolean {
  let reached = needsOf(scenario, bit(row))
  for (let before = 0; before !== reached;) {
    before = reached
    reached |= needsOf(scenario, reached)
  }
  // Also a row that only leads to such a one.
  return rowNames(scenario).some(
    (_, other) => (other === row || hasAll(reached, bit(other))) && isOnCircle(scenario, other),
  )
}

function isOnCircle(scenario: Scenario, row: number): boolean {
  let reached = needsOf(scenario, bit(row))
  for (let before = 0; before !== reached;) {
    before = reached
    reached |= needsOf(scenario, reached)
  }
  return hasAll(reached, bit(row))
}
