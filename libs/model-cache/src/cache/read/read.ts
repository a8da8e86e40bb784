import type { RegisterSnapshot, RowId } from '../../protocol/index.js'
import type { InvalidationMoment } from '../invalidation-clock.js'
import { outsiders, type SourceCall } from '../load/source-call.js'
import { nobody, type Waiter, type WaiterGroup } from './waiters.js'

/** The reads of one tick, which share a start time. */
export interface TickBatch {
  readonly requestedAtMs: number
  /** Distinct ids. */
  ids: number
  undelivered: number
  /** Whether one of its rows had to be loaded. */
  isMiss: boolean
  /** Whether nobody waits for them. */
  readonly isBackground: boolean
  /** The calls of sources that wait for rows, by row; undefined if none does. Most reads have none, so it is not theirs. */
  callers: Map<RowId, readonly SourceCall[]> | undefined
}

/** The epochs under which a read may be stored, as the register had them when the store was read. */
export interface Epochs {
  /** For a row; null when it must not be stored. */
  readonly epoch: string | null
  /** For a negative entry; null when it must not be stored. */
  readonly existence: string | null
  /** For the rows that are loaded with the entry of a lookup; undefined for rows. */
  readonly ofRows?: string | null | undefined
  /** {@link RegisterSnapshot.leaseUntilMs} */
  readonly leaseUntilMs?: number | undefined
}

/** The epochs where nothing may be stored, or the store did not answer. */
export const noEpochs: Epochs = { epoch: null, existence: null }

/** What a read of entries may do with the store; as that of rows, with the epoch of the rows besides. */
export interface EntrySnapshot extends RegisterSnapshot {
  readonly epochOfRows?: string | null
}

/** The epochs under which what is loaded after a snapshot may be stored. */
export function fillEpochsOf(snapshot: EntrySnapshot): Epochs {
  const { epoch, existence, epochOfRows, leaseUntilMs, mayFill } = snapshot
  return mayFill ? { epoch, existence, ofRows: epochOfRows, leaseUntilMs } : noEpochs
}

/** A read of a row: which one, and since when. */
export interface RowRequest {
  readonly rowId: RowId
  /** Time of the invalidation clock. A row that was invalidated later may be delivered, but not kept. */
  readonly since: InvalidationMoment
}

/** One row that callers wait for. There is one for each hit, so what only a load needs is apart. */
export interface Read<Row, Id> extends RowRequest {
  readonly id: Id
  readonly batch: TickBatch
  waiter: Waiter<Row>
  /** Further waiters. A group is listed as often as it has callers. */
  others: Waiter<Row>[] | undefined
  /** The group that the next caller joins, unless it is full. */
  group: WaiterGroup<Row> | undefined
  /** Set before the store is read. */
  key: string
  epochs: Epochs
  /** How often the read has waited for the load of another process. */
  waits: number
}

/** A row past its ttl, served when there is no other. */
export interface StaleRow<Row> {
  readonly row: Row | null
  /** The payload as it was stored. */
  readonly value: string
}

/** A read that has no waiter yet. */
export function newRead<Row, Id>(
  id: Id,
  rowId: RowId,
  since: InvalidationMoment,
  batch: TickBatch,
): Read<Row, Id> {
  return {
    id,
    rowId,
    since,
    batch,
    waiter: nobody,
    others: undefined,
    group: undefined,
    key: '',
    epochs: noEpochs,
    waits: 0,
  }
}

export function newBatch(isBackground = false): TickBatch {
  return {
    requestedAtMs: performance.now(),
    ids: 0,
    undelivered: 0,
    isMiss: false,
    isBackground,
    callers: undefined,
  }
}

/** Reads a delivered row again, for the store alone. */
export function backgroundRead<Row, Id>(delivered: Read<Row, Id>): Read<Row, Id> {
  const { id, rowId, since, key, epochs } = delivered
  return Object.assign(newRead<Row, Id>(id, rowId, since, newBatch(true)), { key, epochs })
}

export function addWaiter<Row>(read: Read<Row, unknown>, waiter: Waiter<Row>): void {
  if (read.waiter === nobody) read.waiter = waiter
  else if (read.others) read.others.push(waiter)
  else read.others = [waiter]
}

/** Whether somebody waits for a read, as nobody does for a refresh that no other read has joined. */
export function isAwaited({ others, waiter }: Read<unknown, unknown>): boolean {
  return waiter !== nobody || others !== undefined
}

/** The calls of sources that wait for a read, of which some may have ended, and `outsiders` if others wait as well. */
export function callersOf({ batch, rowId }: Read<unknown, unknown>): readonly SourceCall[] | undefined {
  return batch.callers?.get(rowId)
}

export function addCallers(read: Read<unknown, unknown>, calls: readonly SourceCall[]): void {
  const { batch, rowId } = read
  const callers = (batch.callers ??= new Map())
  // Those who have waited for it without a call are outside of calls.
  const known = callers.get(rowId) ?? (isAwaited(read) ? [outsiders] : [])
  callers.set(rowId, [...new Set([...known, ...calls])])
}

/** Notes a waiter outside of calls. */
export function addOutsider(read: Read<unknown, unknown>): void {
  if (callersOf(read)) addCallers(read, [outsiders])
}

/** Moves the waiters of a read to another read of the same row. */
export function moveWaiters<Row>(from: Read<Row, unknown>, to: Read<Row, unknown>): void {
  const callers = callersOf(from)
  if (callers) addCallers(to, callers)
  else addOutsider(to)
  const others = (to.others ??= [])
  others.push(from.waiter)
  if (from.others) for (const waiter of from.others) others.push(waiter)
}
