/** Somebody who waits for a row. */
export interface Waiter<Row> {
  resolve(row: Row | null): void
  reject(error: unknown): void
}

/** The reads of one tick, for their common clock. */
export interface ReadBatch {
  readonly askedAtMs: number
  unanswered: number
}

/** One id that somebody waits for. */
export interface Read<Row, Id> {
  readonly id: Id
  readonly key: string
  /** When it was asked for, by the stamps: a row from before a later invalidation may be answered with, but not kept. */
  readonly since: number
  readonly batch: ReadBatch
  readonly waiter: Waiter<Row>
  /** Who else waits for it. */
  others: Waiter<Row>[] | undefined
  /** Under which its row is stored, or null when it must not be. */
  epoch: string | null
}

/** Lets those who wait for one read wait for another of the same key. */
export function joinRead<Row, Id>(read: Read<Row, Id>, other: Read<Row, Id>): void {
  const others = (other.others ??= [])
  others.push(read.waiter)
  if (read.others) for (const waiter of read.others) others.push(waiter)
}
