/**
 * Loads whose sources read other caches, as a model: caches of one process, the permits that they share, calls of sources, and the reads
 * that wait for them. A row has the letter of its cache: `a1` is in cache a.
 */
import { bit, patched, type Bits } from '../values.ts'
import type { Fault } from './fault.ts'

export { bit, hasAll, NOTHING, spend } from '../values.ts'
export type { Bits } from '../values.ts'

/** A call of a source. Calls that have ended are forgotten. */
export interface Call {
  readonly id: number
  readonly cache: string
  readonly rows: Bits
  /** The call whose source has requested the rows, or NOTHING. */
  readonly parent: number
  readonly hasPermit: boolean
  /** The calls that it is known to wait for. */
  readonly awaited: readonly number[]
  /** The rows that its source has requested, and those that it has got. */
  readonly requested: Bits
  readonly got: Bits
  readonly hangs: boolean
}

/** Who waits for a row: calls of sources, and reads of others. */
export interface Waiting {
  readonly row: number
  readonly callers: readonly number[]
  readonly outside: Bits
}

/** A read that has missed the row. It is in a call, or waits for one. */
export interface Load extends Waiting {
  readonly id: number
  readonly call: number
  /** Whether reads of the row find it. */
  readonly isListed: boolean
}

/** A read that waits for the call of another one, and then reads the store again. */
export interface Joined extends Waiting {
  readonly call: number
}

/** Rows that one caller waits for, which are loaded in calls one after the other. */
export interface Group {
  readonly caller: number
  /** How many rows the call around has that loads the same rows; 0 if there is none. */
  readonly around: number
  /** Loads. */
  readonly items: readonly number[]
  readonly call: number
}

export interface State {
  readonly tick: readonly Waiting[]
  readonly stored: Bits
  readonly loads: readonly Load[]
  readonly joined: readonly Joined[]
  readonly groups: readonly Group[]
  readonly calls: readonly Call[]
  /** The calls that have ended as their deadline has passed. */
  readonly givenUp: readonly number[]
  /** By read: the rows that it waits for, or null before it begins. */
  readonly reads: readonly (Bits | null)[]
  readonly faults: Readonly<Record<Fault, number>>
  /** How many calls and loads there have been. */
  readonly ids: number
  /** The promise that the last step broke. */
  readonly broken: Breach | null
}

/** What can go wrong. */
export type Breach =
  /** Reads go on only because a deadline passes, or never. */
  | 'stuck'
  /** The same for reads of a cache none of whose sources hangs. */
  | 'stuck beside a source that hangs'
  /** Nothing will ever happen again. */
  | 'stuck for ever'
  | 'refused although it does not need itself'
  /** The deadline of a load has passed that it did not wait for. */
  | 'refused with another load'
  | 'endless calls'

export const callOf = ({ calls }: State, id: number): Call | undefined => calls.find((call) => call.id === id)

export function changeCall(state: State, id: number, change: (call: Call) => Partial<Call>): State {
  const place = state.calls.findIndex((call) => call.id === id)
  if (place === -1) return state
  return { ...state, calls: patched(state.calls, place, change(state.calls[place]!)) }
}

/** The load of a row that reads find. */
export const listedLoad = ({ loads }: State, row: number): Load | undefined =>
  loads.find((load) => load.isListed && load.row === row)

/** Adds who waits for the same row. */
export const both = <T extends Waiting>(one: T, { callers, outside }: Omit<Waiting, 'row'>): T => ({
  ...one,
  callers: [...new Set([...one.callers, ...callers])],
  outside: one.outside | outside,
})

export const countOf = (rows: Bits): number => {
  let count = 0
  for (let left = rows; left !== 0; left &= left - 1) count++
  return count
}

export const rowsIn = (rows: Bits): number[] => {
  const found: number[] = []
  for (let row = 0; rows >> row !== 0; row++) if (rows & bit(row)) found.push(row)
  return found
}
