import type * as search from '../../search.ts'
import { type Bits, type Call, type State, rowsIn } from '../model.ts'
import { rowNames, type Scenario, type Setting } from '../scenario.ts'

export type Step = search.Step<State>
export type Action = search.Action<State, Setting>

export const rowsNamed = (rows: Bits, scenario: Scenario): string =>
  rowsIn(rows)
    .map((row) => rowNames(scenario)[row]!)
    .join(' and ')

export const callName = ({ rows, parent }: Call, scenario: Scenario): string =>
  `the ${parent === -1 ? '' : 'nested '}load of ${rowsNamed(rows, scenario)}`

export const cacheOf = (row: number, scenario: Scenario): string => rowNames(scenario)[row]![0]!
