/**
 * The catalogue of caches as a model: the descriptions in the store, the caches that describe themselves, and the writers
 * that act on the descriptions. One row of the database, which each cache stores under its own fingerprint.
 *
 * Epochs, of the catalogue and of registers, are random and never come back, so only values with the current ones can count. The
 * model keeps no others: when an epoch changes, values with the old one are gone, and reads in flight are marked.
 */
import { changing, changingById, type Bits } from '../values.ts'
import type { Fault } from './fault.ts'

export { bit, hasAll, NOTHING, patched, spend } from '../values.ts'
export type { Bits } from '../values.ts'

/** The hash of entries, and the key with a copy of its epoch. */
export interface Catalogue {
  readonly hasHash: boolean
  readonly hasEpochKey: boolean
  /** Whether a writer has asked: entries that are added from then on have to wait. */
  readonly isWritten: boolean
  readonly entries: Bits
  /** By entry: the writers that asked before it was added, and had not committed by then. */
  readonly awaits: readonly Bits[]
}

/** Of all entries with one name. */
export interface Register {
  /** The entries whose fingerprints it lists. */
  readonly listed: Bits
  /** The writers whose fences close the whole cache. */
  readonly fences: Bits
  /** Whether there may be processes that it does not list yet, because it was created, or lost, not long ago. */
  readonly isNew: boolean
}

/** The keys of the row under the fingerprint of one entry. */
export interface Row {
  /** What is stored under the current epochs, or NOTHING. */
  readonly value: Bits
  /** The read that has the lease, or NOTHING. */
  readonly lease: number
  readonly fences: Bits
}

export type ProcessState =
  | 'absent'
  /** Runs, but is not in the register. */
  | 'unlisted'
  | 'described'
  | 'joined'
  /** May store rows once the writers it waits for have ended. */
  | 'serving'
  /** Has read another catalogue epoch than it knows, and will describe itself again. */
  | 'outdated'

export interface Process {
  readonly state: ProcessState
  readonly readsLeft: number
  /** The entries in the last answer of the store; NOTHING before the first. */
  readonly entries: Bits
  /** Whether the catalogue epoch in the last answer is the one in the epoch key. */
  readonly knowsCatalogueEpoch: boolean
  /** The writers that its own entry had to wait for, by the last answer. */
  readonly awaits: Bits
  /** How often it may begin to clean up. */
  readonly cleanUpsLeft: number
  /** What it does next to clean up: it reads the entries, then the registers, and removes the entries that these do not list. */
  readonly cleanUp: 'begin' | 'read the others' | 'remove'
  /** The entries that it may remove: of others, as it read them, and not put again since. */
  readonly removable: Bits
  /** Whether it reads the row from the database, as an invalidation of its own has not arrived. */
  readonly bypasses: boolean
  /** Whether a command of it is in flight that lists it in the register for longer. */
  readonly extends: boolean
}

export type WriterPhase =
  | 'idle'
  /** Its statement runs. */
  | 'begun'
  /** FENCE, its ask, or both are done. */
  | 'in flight'
  /** It crashed; the database may still have its COMMIT on the way. */
  | 'orphaned'
  | 'committed'
  /** Its fences are released, but its ask had failed. */
  | 'behind'
  | 'released'
  /** It crashed, and the database has decided. */
  | 'dead'

export interface Writer {
  readonly phase: WriterPhase
  /** The entries that it knew when it began. */
  readonly known: Bits
  /** Those of them that FENCE was for. */
  readonly fenced: Bits
  /** The entries that its ask added to these, and that are not fenced yet. */
  readonly added: Bits
  /** The entries that it has fenced as whole caches on top of what it knew. */
  readonly closed: Bits
  readonly hasFenced: boolean
  readonly hasAsked: boolean
  /** Whether its ask failed, and it has not asked since. */
  readonly isBehind: boolean
}

/** A read that missed. One that has answered is gone. */
export interface Read {
  readonly id: number
  readonly process: number
  readonly phase: 'missed' | 'leased' | 'loaded'
  /** What it has loaded, or NOTHING. */
  readonly value: Bits
  /** Whether the listing that it read has ended since. */
  readonly isLate: boolean
  /** Whether the catalogue epoch, and the epoch, that it read are still the ones in the store. */
  readonly hasCatalogueEpoch: boolean
  readonly hasEpoch: boolean
}

export interface State {
  /** The committed writes. */
  readonly database: Bits
  readonly catalogue: Catalogue
  /** By cache name. */
  readonly registers: readonly Register[]
  /** By entry. */
  readonly rows: readonly Row[]
  readonly processes: readonly Process[]
  readonly writers: readonly Writer[]
  readonly reads: readonly Read[]
  /** How often each fault may still happen. */
  readonly faults: Readonly<Record<Fault, number>>
  readonly readsBegun: number
  /** The promise that the last step broke. */
  readonly broken: Breach | null
}

/** What can go wrong. */
export type Breach = 'stale after COMMIT' | 'stale until TTL'

export const changeCatalogue = (state: State, change: Partial<Catalogue>): State => ({
  ...state,
  catalogue: { ...state.catalogue, ...change },
})

export const changeProcess = changing<State, Process>('processes')
export const changeWriter = changing<State, Writer>('writers')
export const changeRow = changing<State, Row>('rows')
export const changeRead = changingById<State, Read>('reads')

/** Whether the database knows how the writer's transaction ended. */
export const isDecided = ({ phase }: Writer): boolean =>
  phase === 'committed' || phase === 'behind' || phase === 'released' || phase === 'dead'

/** Whether FENCE and its ask are done, and every entry that it knows of is fenced. */
export const isReady = ({ phase, hasFenced, hasAsked, added }: Writer): boolean =>
  phase === 'in flight' && hasFenced && hasAsked && added === 0
