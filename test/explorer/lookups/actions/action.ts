import type * as search from '../../search.ts'
import { fieldOf, idsIn, type Entry, type Key, type Row } from '../row.ts'
import type { State } from '../model.ts'
import { processOf, type Scenario, type Setting } from '../scenario.ts'

export type Step = search.Step<State>
export type Action = search.Action<State, Setting>

const letters = 'ABC'
export const processName = (process: number): string => letters[process]!

export const writerName = (writer: number, { writers }: Scenario): string =>
  `${processName(processOf(writers[writer]!))}: write ${writer + 1}`

const rowNames = ['r', 's', 't']
export const rowName = (id: number): string => rowNames[id]!

export const keyName = ({ lookup, key }: Key): string => `${lookup}(${key})`

/** Ids in their order. */
export const idsName = (ids: readonly number[]): string => `[${ids.map(rowName).join(', ')}]`

export const entryName = (entry: Entry): string => idsName(idsIn(entry))

export function rowText(id: number, row: Row): string {
  if (row === 0) return `no ${rowName(id)}`
  const closed = fieldOf(row, 'closed') ? ', closed' : ''
  return `${rowName(id)} (group ${fieldOf(row, 'group')}, rank ${fieldOf(row, 'rank')}, slug ${fieldOf(row, 'slug')}${closed})`
}
