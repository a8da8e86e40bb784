/**
 * The world of results: what a result is read from, the result in the store, the registers of its models and the markers of its scopes,
 * those that read it and those that write. Every value is plain and immutable.
 */
import { changing, changingById, type Bits } from '../values.ts'
import type { Fault } from './fault.ts'

export { bit, hasAll, NOTHING, patched, spend } from '../values.ts'
export type { Bits } from '../values.ts'

export interface Register {
  readonly epoch: number
  /** The writers whose fences it holds. */
  readonly fences: Bits
}

/** Stands for the writes to one value of a scope: a marker, and its guard. */
export interface Marker {
  /** Random; NOTHING if there is no marker. */
  readonly nonce: number
  /** Of the register, under which it counts. */
  readonly epoch: number
  readonly fences: Bits
}

/** By part: the epoch of the register, or the nonce of the marker; NOTHING if none counts. */
export type Stands = readonly number[]

export interface Result {
  /** By part: the writers that it has seen. */
  readonly rows: readonly Bits[]
  readonly stands: Stands
  readonly isExpired: boolean
}

export type WriterPhase =
  | 'idle'
  /** It sends its fences, of which some may have been set. */
  | 'fencing'
  /** It crashed, or does not know how it ended; the database may still have its COMMIT on the way. */
  | 'orphaned'
  | 'committed'
  /** The database has decided, and the writer is gone or does nothing more. */
  | 'ended'

export interface Writer {
  readonly phase: WriterPhase
  /** What it has fenced and released: registers, then markers. */
  readonly fenced: Bits
  readonly released: Bits
  /** By register: the epoch that its RELEASE gave. */
  readonly epochs: readonly number[]
}

/** What a read has got of the store. */
export interface Looked {
  /** Undefined until it has the answer. */
  readonly result: Result | null | undefined
  /** By register: the epoch, or NOTHING where a fence stands. */
  readonly epochs: readonly (number | undefined)[]
  readonly markers: readonly (Pick<Marker, 'nonce' | 'epoch'> | undefined)[]
}

export type ReadPhase =
  /** Waits for answers of the store. */
  | 'looking'
  /** Has no result that counts, and lacks a marker that its own will carry. */
  | 'missed'
  | 'loading'
  /** Has loaded everything. */
  | 'loaded'
  /** Its load failed: looks again whether the result past its ttl still counts. */
  | 'failed'

export interface Read {
  readonly id: number
  readonly phase: ReadPhase
  /** How many writes were committed when it looked. */
  readonly floor: number
  /** The writes outside whose results had been ended by then. */
  readonly noticed: Bits
  readonly looked: Looked
  /** What the result carries that it loads. Each is NOTHING if nothing may be stored. */
  readonly stands: Stands
  /** By part: the writers that its statement has seen. */
  readonly rows: readonly Bits[]
  /** A result past its ttl, which it may serve if its load fails. */
  readonly stale: Result | null
  readonly isNewcomer: boolean
}

export interface State {
  /** The writers in the order of their COMMITs. */
  readonly commits: readonly number[]
  readonly registers: readonly Register[]
  /** By part. */
  readonly markers: readonly Marker[]
  readonly result: Result | null
  /** The writers that a new catalogue waits for. */
  readonly awaits: Bits
  readonly writers: readonly Writer[]
  readonly reads: readonly Read[]
  readonly readsLeft: number
  /** How often each fault may still happen. */
  readonly faults: Readonly<Record<Fault, number>>
  /** The next epoch, nonce or name of a read. */
  readonly ids: number
  /** The promise that the last step broke. */
  readonly broken: Breach | null
}

/** What can go wrong. */
export type Breach =
  /** A result counts of which a part is older than the database was when the reader looked. */
  | 'stale result'
  /** The database was never as a result shows it that counts, from the reader's look on. */
  | 'result of no moment'
  /** When all processes are idle, a result counts that is outdated. */
  | 'stale until TTL'

export const changeRead = changingById<State, Read>('reads')
export const changeWriter = changing<State, Writer>('writers')
export const changeRegister = changing<State, Register>('registers')
export const changeMarker = changing<State, Marker>('markers')

/** The writers whose transactions the database may still commit. */
export function undecided({ writers }: State): Bits {
  let bits = 0
  for (const [at, { phase }] of writers.entries())
    if (phase === 'fencing' || phase === 'orphaned') bits |= 1 << at
  return bits
}
