/**
 * The world of a follower of the database's log: one row, the log of its commits, the followers that invalidate it, the
 * store, and the processes that read it. Every value is plain and immutable.
 *
 * Writers of a row wait for each other, so a version is the number of commits that it has seen. The log has one event for each.
 *
 * Epochs are random and never come back, so only values with the current one can count. The model keeps no others: when
 * the epoch changes, values with the old one are gone, and reads in flight are marked.
 */
import { changing, changingById, NOTHING, type Bits } from '../values.ts'
import type { Fault } from './fault.ts'

export { bit, NOTHING, patched, spend } from '../values.ts'
export type { Bits } from '../values.ts'

/** A version of the row: the number of commits that it has seen. */
export type Version = number

export interface Database {
  /** The commits that the log has. */
  readonly logged: Version
  /** The commits that other transactions see: at most one less, as a COMMIT is logged first. */
  readonly visible: Version
  /** What a read replica has. */
  readonly replayed: Version
  /** The version of what the publication has of the table: see {@link isPublished}. */
  readonly publication: Publication
  /** The commits of rows that were written before the publication had the table: their events are not sent. */
  readonly unpublished: Bits
  /** The commits that change the row by a foreign key: of these, the log has the row of the parent. */
  readonly cascaded: Bits
}

/** Counts changes of a publication, which take the table out of it and put it back in turn. */
export type Publication = number

/** Whether a publication of this version has the table. */
export const isPublished = (publication: Publication): boolean => publication % 2 === 0

/** A durable replication slot, or a log that the server keeps as it likes. */
export interface Slot {
  /** The last event that a follower, or another program, has acknowledged. */
  readonly confirmed: Version
  readonly isLost: boolean
  /** Whether another program reads it. */
  readonly isTaken: boolean
  /** The last event that the server has deleted of such a log, or NOTHING. */
  readonly begins: Version
}

/** What the store knows of a durable slot: how far a follower had taken it, and under which publication; NOTHING if it has no bookmark. */
export interface Bookmark {
  readonly position: Version
  readonly publication: Publication
}

export const noBookmark: Bookmark = { position: NOTHING, publication: NOTHING }

export type WriterPhase =
  | 'idle'
  /** Its statement has run; that of the extended client has fenced the row, too. */
  | 'written'
  /** Its COMMIT is in the log, but nobody sees it yet. */
  | 'logged'
  | 'visible'
  /** Its fence is released. */
  | 'released'

export interface Writer {
  readonly phase: WriterPhase
  /** Whether the publication had the table when it wrote. */
  readonly isPublished: boolean
}

export type FollowerPhase =
  | 'absent'
  /** Is the leader. */
  | 'elected'
  /** Its slot exists. */
  | 'connected'
  /** Reads its slot. */
  | 'streaming'
  /** Reads a log that was deleted: the server tells it that there is nothing new. */
  | 'deaf'
  /** Its connections are gone, and it does not know. Of a log that the server keeps, its lock alone is gone: it reads on. */
  | 'zombie'
  | 'gone'

/** One leadership. A process that is elected again is another follower. */
export interface Follower {
  readonly phase: FollowerPhase
  /** The last event that it has read. */
  readonly read: Version
  /** The last event of which the store has taken the invalidation. */
  readonly taken: Version
  /** The last event whose message has been sent to other processes. */
  readonly notified: Version
  /** The version of the publication that it has compared last, and the one for which it has closed its gap, or NOTHING. */
  readonly publication: Publication
  readonly closedFor: Publication
  /** What may have been missed before it: it changes the epoch, or reads what the slot has kept, before it counts as healthy. */
  readonly gap: 'to be bumped' | 'to be read' | 'closed'
  /** Up to where its gap reaches, and no stored row is older once the gap is closed. */
  readonly closes: Version
  /** Whether it has had every process empty its L1. */
  readonly isAnnounced: boolean
}

export type ReadPhase =
  /** L1 had no answer. */
  | 'asked'
  | 'missed'
  | 'leased'
  | 'loaded'
  /** Bypasses the cache, or found a fence, the lease of another, or no store: will read the database and store nothing. */
  | 'uncached'
  /** Has a value that is in the store, and may keep it in L1. */
  | 'got'
  /** Of a row that is primed: it is read from the database; then the epoch is read; then it takes the lease. */
  | 'primable'
  | 'named'
  | 'priming'

/** A read in flight. One that has answered is gone. */
export interface Read {
  readonly id: number
  readonly process: number
  readonly phase: ReadPhase
  readonly value: Version
  /** Whether the epoch that it has read is the current one. */
  readonly hasEpoch: boolean
  /** Whether the invalidation clock of its process has advanced since it began. */
  readonly moved: boolean
  /** Whether its process heard no healthy follower when it began. */
  readonly bypasses: boolean
  /** The oldest version that it may answer with: by its acknowledged events, by gaps, by COMMITs. */
  readonly acknowledged: Version
  readonly closed: Version
  readonly committed: Version
}

export interface Process {
  readonly readsLeft: number
  readonly primesLeft: number
  /** What L1 holds, or NOTHING. */
  readonly l1: Version
  /** The follower whose heartbeats it hears, or NOTHING: then it bypasses the cache, if it requires a follower. */
  readonly hears: number
  /** The follower that it heard last: what is in L1 was put there under it. */
  readonly trusted: number
  /** Heartbeats on their way, by follower: what its gap was closed with when it sent one, or NOTHING. */
  readonly beats: readonly Version[]
  /** Heartbeats on their way that should not count. */
  readonly lateBeats: Bits
  /** Messages on their way, by the version that they make everything older than outdated. */
  readonly inbox: Bits
  /** Whether a message was lost, and it has not noticed. */
  readonly isMissing: boolean
  /** The last version that it has received a message of. */
  readonly heard: Version
  /** The version from which on gaps are closed for it. */
  readonly closed: Version
}

export interface State {
  readonly database: Database
  readonly slot: Slot
  readonly bookmark: Bookmark
  readonly writers: readonly Writer[]
  readonly followers: readonly Follower[]
  /** What the store holds under the current epoch, or NOTHING. */
  readonly value: Version
  /** The read that has the lease, or NOTHING. */
  readonly lease: number
  /** Of writers, then of followers. */
  readonly fences: Bits
  /** Whether the guard, and the register, remember a write. */
  readonly marked: boolean
  readonly registerMarked: boolean
  readonly isDown: boolean
  /** The last event that was acknowledged, or closed with a gap. */
  readonly acknowledged: Version
  /** The last commit of the extended client. */
  readonly committed: Version
  readonly processes: readonly Process[]
  readonly reads: readonly Read[]
  /** How often each fault may still happen. */
  readonly faults: Readonly<Record<Fault, number>>
  readonly readsBegun: number
  /** The promise that the last step broke. */
  readonly broken: Breach | null
}

/** What can go wrong. */
export type Breach =
  /** A read that began after the event was acknowledged, and delivered to its process, is older. */
  | 'stale although acknowledged'
  /** A read of a process that hears a healthy follower again is older than the end of the gap. */
  | 'stale after a gap'
  /** A read that bypasses the cache is older than what was committed when it began. */
  | 'stale while bypassing'
  /** A read is older than a COMMIT of the extended client. */
  | 'stale after COMMIT'
  | 'stale until TTL'
  | 'stale in L1 until TTL'
  /** A follower ends the reader of a slot that is none of its own. */
  | 'takes what is not its own'

export const changeDatabase = (state: State, change: Partial<Database>): State => ({
  ...state,
  database: { ...state.database, ...change },
})

export const changeFollower = changing<State, Follower>('followers')
export const changeWriter = changing<State, Writer>('writers')
export const changeProcess = changing<State, Process>('processes')
export const changeRead = changingById<State, Read>('reads')

/** The process empties L1, and keeps what is being read from it. */
export function advanceClock(state: State, process: number): State {
  const reads = state.reads.map((read) =>
    read.process === process && !read.moved ? { ...read, moved: true } : read,
  )
  return changeProcess({ ...state, reads }, process, { l1: NOTHING })
}
