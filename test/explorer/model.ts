/**
 * The world of the explorer: one row, its keys in Valkey, the processes that read and write it, and what is on the
 * way between them. Every value is plain and immutable. A version of the row is the set of writes that it has seen.
 */
import type { Fault } from './fault.ts'
import { changing, changingById, NOTHING, type Bits } from './values.ts'

export { bit, hasAll, NOTHING, patched, spend } from './values.ts'
export type { Bits } from './values.ts'

/** The lease that a repeated LEASE takes: nobody can fill under it. It expires. */
export const UNUSABLE = -10

/** The keys of the row under one fingerprint. */
export interface Row {
  /** What `v` holds, or NOTHING. */
  readonly value: Bits
  /** Whether the soft TTL of the value is over. */
  readonly expired: boolean
  /** The token that the guard holds, or NOTHING. */
  readonly lease: number
  /** The writers whose fences the guard holds. */
  readonly fences: Bits
  /** Whether the guard remembers a write. */
  readonly marked: boolean
  /** The epoch under which the value was stored. */
  readonly epoch: number
}

/** What all processes know of the model. */
export interface Register {
  readonly epoch: number
  /** The writers of unknown rows that are at work. */
  readonly fences: Bits
  /** Whether it remembers a write to unknown rows. */
  readonly marked: boolean
}

/** Stores a row that was read before anything else: `prime`. */
export interface Prime {
  readonly phase: 'read' | 'named' | 'leased'
  readonly value: Bits
  /** The epoch that it was given after it had read. */
  readonly epoch: number
  readonly token: number
}

export type WriterPhase =
  /** Its transaction has written, what nobody sees yet. */
  | 'open'
  /** It has read which fingerprints are live. */
  | 'listed'
  | 'fenced'
  /** FENCE failed, and it goes on: `available`. */
  | 'unfenced'
  /** It crashed, or its process does not know how it ended; the database may still have its COMMIT on the way. */
  | 'orphaned'
  | 'committed'
  /** Its caller knows that the write is done, and RELEASE is on the way. */
  | 'returned'
  | 'rolled back'
  | 'released'
  /** It crashed, and the database has decided. */
  | 'dead'

export interface Writer {
  readonly phase: WriterPhase
  /** The fingerprints that it fences and releases. */
  readonly fingerprints: Bits
}

export type ReadPhase =
  /** L1 had no answer. */
  | 'asked'
  /** `v` had no answer. */
  | 'missed'
  | 'leased'
  | 'loaded'
  /** Found a fence or the lease of another process: will read the database and cache nothing. */
  | 'uncached'
  /** Has a value that is in Valkey, and may keep it in L1. */
  | 'got'

/** A read in flight. One that has answered is gone. */
export interface Read {
  readonly id: number
  readonly pod: number
  readonly phase: ReadPhase
  /** Of its lease, or NOTHING. */
  readonly token: number
  /** What it has loaded or got, or NOTHING. */
  readonly value: Bits
  /** The expired value that it found on the way, or NOTHING. */
  readonly copy: Bits
  /** What the database held when it began. */
  readonly snapshot: Bits
  /** Whether the key's invalidation clock has advanced since it began. */
  readonly moved: boolean
  /** The epoch that it was given before it loaded. */
  readonly epoch: number
  /** The writes that its answer must have seen: it is no older than what was promised when it, or one that joined it, began. */
  readonly floor: Bits
}

export interface Pod {
  readonly state: 'live' | 'joining' | 'absent'
  readonly readsLeft: number
  /** What L1 holds, or NOTHING. */
  readonly l1: Bits
  /** Whether it reads the row so often that L1 may keep it. */
  readonly isHot: boolean
  /** Whether it is subscribed; if not, L1 is off. */
  readonly subscribed: boolean
  /** The number of messages it has published. */
  readonly published: number
  /** The sequence number that it expects next, by publisher. */
  readonly expects: readonly number[]
  /** The writes that every read from now on must have seen: those of its own, and those that earlier reads have seen. */
  readonly knows: Bits
  /** The writers of which it has received an invalidation. */
  readonly heard: Bits
  /** Whether it passes the row by, because an invalidation of its own has not arrived. */
  readonly bypasses: boolean
  /** The writers that its join window has to outlast. */
  readonly awaits: Bits
}

/** A command that its client has given up or has sent again, and that runs late. */
export type LateCommand =
  | {
      readonly run: 'FILL'
      readonly fingerprint: number
      readonly token: number
      readonly value: Bits
      readonly epoch: number
    }
  | { readonly run: 'LEASE'; readonly fingerprint: number; readonly token: number }
  | { readonly run: 'FENCE'; readonly writer: number }
  /** With the epoch that its first run has brought. */
  | { readonly run: 'RELEASE'; readonly writer: number; readonly epoch: number }

/** An invalidation on its way to one pod. */
export interface Message {
  readonly from: number
  readonly to: number
  readonly sequence: number
  readonly writer: number
}

export interface State {
  /** The committed writes. */
  readonly database: Bits
  /** What a lagging replica holds. */
  readonly replica: Bits
  /** The live fingerprints that Valkey knows. */
  readonly live: Bits
  readonly register: Register
  /** By fingerprint. */
  readonly rows: readonly Row[]
  /** What the replica of Valkey has of both; null if it cannot take its place. */
  readonly copy: Pick<State, 'rows' | 'register'> | null
  readonly writers: readonly Writer[]
  readonly pods: readonly Pod[]
  readonly reads: readonly Read[]
  readonly primes: readonly Prime[]
  readonly primesLeft: number
  readonly late: readonly LateCommand[]
  readonly messages: readonly Message[]
  /** How often each fault may still happen. */
  readonly faults: Readonly<Record<Fault, number>>
  /** For names and tokens: the number of reads and of leases so far. */
  readonly readsBegun: number
  readonly leasesTaken: number
  readonly epochsBegun: number
  /** The promise that the last step broke. */
  readonly broken: Breach | null
}

/** What can go wrong. */
export type Breach =
  | 'stale until TTL'
  | 'stale in L1 until TTL'
  | 'stale after deploy'
  | 'uncommitted row until TTL'
  | 'lease left behind'
  | 'stale read after own write'
  | 'non-monotonic read'
  | 'stale although the invalidation came'
  | 'transient stale'
  | 'uncommitted row read'

export const changeRead = changingById<State, Read>('reads')
export const changeRow = changing<State, Row>('rows')

/** Whether what `v` holds is a value of the model's epoch. */
export const counts = ({ register }: State, { value, epoch }: Row): boolean =>
  value !== NOTHING && register.fences === 0 && epoch === register.epoch

export const changeWriter = changing<State, Writer>('writers')
export const changePod = changing<State, Pod>('pods')

/** Whether the database knows how the writer's transaction ended. */
export function isDecided({ phase }: Writer): boolean {
  return (
    phase === 'committed' ||
    phase === 'returned' ||
    phase === 'rolled back' ||
    phase === 'released' ||
    phase === 'dead'
  )
}

/** Whether the writer will not do anything any more. */
export const isFinished = ({ phase }: Writer): boolean =>
  phase === 'open' || phase === 'released' || phase === 'dead'
