import type { AuctionItem } from '#prisma/client/client.js'
import type { CountingSource } from '../counting-source.ts'

export interface StormEnvironment {
  /** A `redis://` URL, of an empty database. */
  readonly url: string
  readonly source: CountingSource
  readonly lots: ReadonlyMap<string, AuctionItem>
}

/** A case in its own process, connected. */
export interface OpenCase {
  /** One row, read through, as a resolver asks for it. */
  get(id: string): Promise<unknown>
  /** All rows of one user; with this, `get` is not used. */
  getMany?(ids: readonly string[]): Promise<readonly unknown[]>
  /** The row in what `get` gave, where that is not the row itself. */
  rowOf?(given: unknown): unknown
  /** Forgets what is kept in this process; the store is emptied at the same time. */
  forget?(): Promise<void>
}

export interface StormCase {
  readonly name: string
  /** A published cache, not a way of reading that this project once had. */
  readonly isPeer?: boolean
  /** What to know before comparing. */
  readonly note?: string
  /** Loads what the case needs and nothing of the others. */
  open(environment: StormEnvironment): Promise<OpenCase>
}

/** How long rows are stored, in milliseconds: longer than the storm lasts. */
export const TTL_MS = 600_000
