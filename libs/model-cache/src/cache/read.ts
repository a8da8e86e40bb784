import type { RowId } from '../consistency/row-id.js'
import { guardOf } from '../consistency/key-space.js'
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

/** What the store has told of its model when it was asked for a row. */
export interface Epochs {
  /** Under which the row is stored, or null when it must not be. */
  readonly epoch: string | null
  /** The same for its absence. */
  readonly membership: string | null
}

/** Where nothing may be stored, or the store could not be asked. */
export const noEpochs: Epochs = { epoch: null, membership: null }

/** One row that somebody waits for. There is one for each hit, so what only a load needs is apart. */
export interface Read<Row, Id> {
  readonly id: Id
  readonly rowId: RowId
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
  standing: Epochs
  /** See {@link loadOf}. */
  load: Load<Row> | undefined
}

/** What becomes of a row that its source has to be asked for. */
export interface Load<Row> {
  readonly rowId: RowId
  readonly since: number
  readonly key: string
  readonly guard: string
  /** Of its lease, without which it is not stored; null where it has none. */
  token: string | null
  /** Whether the store has a value, which is to be replaced. */
  isReplacing: boolean
  /** Told when the load is over and what is to be stored has been; undefined until it begins. */
  over: Promise<void> | undefined
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
export function newRead<Row, Id>(id: Id, rowId: RowId, since: number, batch: ReadBatch): Read<Row, Id> {
  return {
    id,
    rowId,
    since,
    batch,
    waiter: nobody,
    others: undefined,
    crowd: undefined,
    key: '',
    standing: noEpochs,
    load: undefined,
  }
}

/** Made when it is first asked for, which is after the key. */
export function loadOf<Row>(read: Read<Row, unknown>): Load<Row> {
  const { rowId, since, key } = read
  return (read.load ??= {
    rowId,
    since,
    key,
    guard: guardOf(key),
    token: null,
    isReplacing: false,
    over: undefined,
    onStored: undefined,
    waits: 0,
    expired: undefined,
  })
}

export function newBatch(isBackground = false): ReadBatch {
  return { askedAtMs: performance.now(), ids: 0, unanswered: 0, isBackground }
}

/** Reads again what has been answered, for nobody but the store. */
export function backgroundRead<Row, Id>(answered: Read<Row, Id>): Read<Row, Id> {
  const { id, rowId, since, key, standing } = answered
  const read = Object.assign(newRead<Row, Id>(id, rowId, since, newBatch(true)), { key, standing })
  loadOf(read).isReplacing = true
  return read
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
  if (other.load && read.load?.expired?.value !== other.load.expired?.value) other.load.expired = undefined
}
