import type { Identity } from '../consistency/identity.js'
import { nobody, type Crowd, type Waiter } from './waiters.js'

/** The reads of one tick, for their common clock. */
export interface ReadBatch {
  readonly askedAtMs: number
  /** Distinct ids. */
  ids: number
  unanswered: number
  /** Whether nobody waits for them. */
  readonly isBackground: boolean
}

/** One row that somebody waits for. */
export interface Read<Row, Id> {
  readonly id: Id
  readonly identity: Identity
  /** When it was asked for, by the stamps: a row from before a later invalidation may be answered with, but not kept. */
  readonly since: number
  readonly batch: ReadBatch
  waiter: Waiter<Row>
  /** Who else waits for it: a crowd as often as it has callers. */
  others: Waiter<Row>[] | undefined
  /** Which the next caller joins, if it is not full. */
  crowd: Crowd<Row> | undefined
  /** Made when the store is asked. */
  key: string
  /** Made when the row is to be leased. */
  guard: string
  /** Under which its row is stored, or null when it must not be. */
  epoch: string | null
  /** Of its lease, without which it is not stored; null where it has none. */
  token: string | null
  /** Whether the store has a value, which is to be replaced. */
  isReplacing: boolean
  /** Whether writers of the row were seen at work, so that nothing of it may be kept. */
  isFenced: boolean
  /** Told when its load is over and what is to be stored has been; undefined until the load begins. */
  loading: Promise<void> | undefined
  /** Told whether the store has taken its row. */
  onStored: ((isStored: boolean) => void) | undefined
  /** How often it has waited for another's load. */
  waits: number
  /** A row whose time is over, for when there is no other. */
  expired: Expired<Row> | undefined
}

export interface Expired<Row> {
  readonly row: Row | null
  /** As it was stored. */
  readonly value: string
}

/** A read that nobody waits for yet. */
export function newRead<Row, Id>(id: Id, identity: Identity, since: number, batch: ReadBatch): Read<Row, Id> {
  return {
    id,
    identity,
    since,
    batch,
    waiter: nobody,
    others: undefined,
    crowd: undefined,
    key: '',
    guard: '',
    epoch: null,
    token: null,
    isReplacing: false,
    isFenced: false,
    loading: undefined,
    onStored: undefined,
    waits: 0,
    expired: undefined,
  }
}

export function newBatch(isBackground = false): ReadBatch {
  return { askedAtMs: performance.now(), ids: 0, unanswered: 0, isBackground }
}

/** Reads again what has been answered, for nobody but the store. */
export function backgroundRead<Row, Id>(answered: Read<Row, Id>): Read<Row, Id> {
  const { id, identity, since, key, epoch } = answered
  const read = newRead<Row, Id>(id, identity, since, newBatch(true))
  return Object.assign(read, { key, epoch, isReplacing: true })
}

/** Lets one more wait for a read. */
export function addWaiter<Row>(read: Read<Row, unknown>, waiter: Waiter<Row>): void {
  if (read.waiter === nobody) read.waiter = waiter
  else if (read.others) read.others.push(waiter)
  else read.others = [waiter]
}

/** Lets those who wait for one read wait for another of the same row. */
export function joinRead<Row, Id>(read: Read<Row, Id>, other: Read<Row, Id>): void {
  const others = (other.others ??= [])
  others.push(read.waiter)
  if (read.others) for (const waiter of read.others) others.push(waiter)
  // One of them may have been asked for after the row was invalidated.
  if (read.expired?.value !== other.expired?.value) other.expired = undefined
}
