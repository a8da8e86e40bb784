/**
 * The world of lookups: rows of the database; rows and entries in the store, each with a guard; the register; the
 * processes that look rows up and write them. Every value is plain and immutable.
 *
 * Epochs are random and never come back, so only values with the current ones can count. The model keeps no others: when
 * an epoch changes, values with the old one are gone, and reads in flight are marked.
 */
import { changing, changingById, type Bits } from '../values.ts'
import type { Fault } from './fault.ts'
import type { Entry, Row } from './row.ts'

export { bit, hasAll, NOTHING, patched, spend } from '../values.ts'
export type { Bits } from '../values.ts'

/** A row or an entry in the store, and its guard. */
export interface Slot {
  /** A row or an entry under the current epochs, or NOTHING. */
  readonly value: Row | Entry
  /** The token that the guard holds, or NOTHING. */
  readonly lease: number
  /** The writers whose fences the guard holds. */
  readonly fences: Bits
  /** Whether the guard remembers a write. Only rows are marked: entries are not primed. */
  readonly marked: boolean
}

/** What all processes know of the model. */
export interface Register {
  /** The writers of unknown rows that are at work. */
  readonly fences: Bits
  /** The writers of unknown keys that are at work. */
  readonly existenceFences: Bits
  /** Whether it remembers a write to unknown rows. */
  readonly marked: boolean
}

export type WriterPhase =
  | 'idle'
  /** It has read the row that it will write. Only of a mutant. */
  | 'read'
  /** Its statement has run, its rows are locked, and FENCE is done. */
  | 'fenced'
  /** FENCE failed, and it goes on: `available`. */
  | 'unfenced'
  /** It crashed, or does not know how it ended; the database may still have its COMMIT on the way. */
  | 'orphaned'
  | 'committed'
  /** Its caller knows that the write is done, and RELEASE is on the way. */
  | 'returned'
  | 'rolled back'
  | 'released'
  /** It crashed, and the database has decided. */
  | 'dead'

export interface Writer extends Invalidated {
  readonly phase: WriterPhase
  /** Whether it has asked for the catalogue's version. */
  readonly hasAsked: boolean
  /** The slots that its process reads from the database, as FENCE failed and its invalidation has not arrived. */
  readonly bypassed: Bits
}

/** What a write fences in the register: nothing, entries and absences, or rows as well. */
export type Scope = 'none' | 'existence' | 'all'

export type ReadPhase =
  /** Asks the store, as its entry of L1 did not pass. */
  | 'asked'
  /** Has an entry, and gets its rows. */
  | 'rows'
  /** Has no entry, or one that has to be loaded again. */
  | 'missed'
  | 'leased'
  /** Has loaded entry and rows, and has answered. */
  | 'loaded'
  /** Found a fence or a lease: may wait for the entry, or ask the database and store nothing. */
  | 'uncached'
  /** Its entry is stored or not; its rows follow. */
  | 'entered'
  /** Has read the register again, which remembers no write to unknown rows. */
  | 'named'
  /** Has the leases that it got for its rows. */
  | 'primable'

/** A lookup in flight. One that has answered is gone, unless it stores what it has loaded. */
export interface Read {
  readonly id: number
  /** Of the scenario. */
  readonly reader: number
  readonly phase: ReadPhase
  /** What it has got or loaded, or NOTHING. */
  readonly entry: Entry
  /** The rows of the entry by position, NOTHING where it has to get them. */
  readonly rows: readonly Row[]
  readonly token: number
  /** Whether the epoch, and the existence epoch, that it read for its load are current, and were not fenced. */
  readonly hasEpoch: boolean
  readonly hasExistenceEpoch: boolean
  /** Whether its entry comes from L1. */
  readonly isOfL1: boolean
  /** The slots whose invalidation clock has advanced since it began. */
  readonly moved: Bits
  /** The writes that its answer must have seen. */
  readonly floor: Bits
  readonly waits: number
}

export interface Process {
  readonly state: 'absent' | 'joined' | 'serving'
  /** The writers that it waits for before it stores anything. */
  readonly awaits: Bits
  /** What L1 holds, by slot. */
  readonly l1: readonly (Row | Entry)[]
  /** The writers of its own that have returned. */
  readonly knows: Bits
  /** The writers of which it has received an invalidation. */
  readonly heard: Bits
  /** By slot: the writers that its answers have shown. */
  readonly seen: readonly Bits[]
}

/** An invalidation on its way to one process. */
export interface Message {
  readonly to: number
  readonly writer: number
  readonly of: 'FENCE' | 'RELEASE'
  readonly invalidated: Invalidated
}

/** What a writer fences and releases. */
export interface Invalidated {
  /** Rows, then entries. */
  readonly slots: Bits
  readonly scope: Scope
}

export interface State {
  /** Every state of the database, the last being the current one. */
  readonly history: readonly (readonly Row[])[]
  /** The writers in the order of their COMMITs. */
  readonly commits: readonly number[]
  readonly register: Register
  /** Rows, then entries. */
  readonly slots: readonly Slot[]
  readonly writers: readonly Writer[]
  readonly processes: readonly Process[]
  /** Whether the catalogue lists the lookups. */
  readonly isDescribed: boolean
  readonly reads: readonly Read[]
  /** By reader: how many reads may begin. */
  readonly readsLeft: readonly number[]
  readonly messages: readonly Message[]
  /** How often each fault may still happen. */
  readonly faults: Readonly<Record<Fault, number>>
  /** For names and tokens. */
  readonly readsBegun: number
  /** The promise that the last step broke. */
  readonly broken: Breach | null
}

/** What can go wrong. */
export type Breach =
  /** A row is shown, left out or placed as it was never after the writes that the answer must have seen. */
  | 'stale answer'
  /** The rows that are left out were never all left out at one moment. */
  | 'rows left out'
  /** The list was never the list of one moment. */
  | 'list of no moment'
  | 'uncommitted row'
  | 'stale entry until TTL'
  | 'stale row until TTL'
  | 'lease left behind'

export const databaseOf = ({ history }: State): readonly Row[] => history.at(-1)!

export const changeSlot = changing<State, Slot>('slots')
export const changeRead = changingById<State, Read>('reads')
export const changeWriter = changing<State, Writer>('writers')
export const changeProcess = changing<State, Process>('processes')

/** Whether the database knows how the writer's transaction ended. */
export const isDecided = ({ phase }: Writer): boolean =>
  phase === 'committed' ||
  phase === 'returned' ||
  phase === 'rolled back' ||
  phase === 'released' ||
  phase === 'dead'

/** Whether the writer has locked its rows. */
export const isWithin = ({ phase }: Writer): boolean =>
  phase === 'fenced' || phase === 'unfenced' || phase === 'orphaned'
