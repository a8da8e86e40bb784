import type { Identity } from '../consistency/identity.js'
import { guardOf } from './key-space.js'
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
export interface ReadStanding {
  /** Under which the row is stored, or null when it must not be. */
  readonly epoch: string | null
  /** Whether writers of the row were seen at work, so that nothing of it may be kept. */
  readonly isFenced: boolean
}

/** Of what the store could not be asked. */
export const unknownStanding: ReadStanding = { epoch: null, isFenced: false }

/** One row that somebody waits for. There is one for each hit, so what only a load needs is apart. */
export class Read<Row, Id> {
  readonly id: Id
  readonly identity: Identity
  /** When it was asked for, by the stamps: a row from before a later invalidation may be answered with, but not kept. */
  readonly since: number
  readonly batch: ReadBatch
  waiter: Waiter<Row> = nobody
  /** Who else waits for it: a crowd as often as it has callers. */
  others: Waiter<Row>[] | undefined
  /** Which the next caller joins, if it is not full. */
  crowd: Crowd<Row> | undefined
  /** Made when the store is asked. */
  key = ''
  standing: ReadStanding = unknownStanding
  #load: Load<Row> | undefined

  constructor(id: Id, identity: Identity, since: number, batch: ReadBatch) {
    this.id = id
    this.identity = identity
    this.since = since
    this.batch = batch
  }

  /** Made when it is first asked for, after the key. */
  get load(): Load<Row> {
    return (this.#load ??= newLoad(this))
  }
}

/** What becomes of a row that its source has to be asked for. */
export interface Load<Row> {
  readonly identity: Identity
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

function newLoad<Row>({ identity, since, key }: Read<Row, unknown>): Load<Row> {
  return {
    identity,
    since,
    key,
    guard: guardOf(key),
    token: null,
    isReplacing: false,
    over: undefined,
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
  const read = new Read<Row, Id>(answered.id, answered.identity, answered.since, newBatch(true))
  read.key = answered.key
  read.standing = answered.standing
  read.load.isReplacing = true
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
  if (read.load.expired?.value !== other.load.expired?.value) other.load.expired = undefined
}
