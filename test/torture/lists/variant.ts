import type { PrismaClient } from '#prisma/client/client.js'
import type { Defect } from '../defects.ts'
import type { HighestBids, Page } from './page.ts'

/** What the comparison is about. */
export const OURS = 'model-cache'
/** The same without memory: what it reads is never stale, while memory hears of a write by a message. */
export const STORE_ONLY = `${OURS}, store only`
/** What it is compared with, beside the best peer. */
export const DATA_LOADER = 'DataLoader'

export interface ListsEnvironment {
  /** A plain client, connected. */
  readonly prisma: PrismaClient
  /** A `redis://` URL. */
  readonly valkeyUrl: string
  /** Of the store of our caches, in a rehearsal. */
  readonly defect?: Defect | undefined
}

/** What a process opens a variant by. */
export interface ProcessSettings extends Omit<ListsEnvironment, 'prisma'> {
  readonly variant: string
  readonly databaseUrl: string
}

/** A variant in its own process, connected. */
export interface OpenLists {
  /** What one user reads. */
  page(): Promise<Page>
  /** The lists of some lots, in the order of their ids, as one request reads them. */
  highest(lotIds: readonly string[]): Promise<readonly HighestBids[]>
  /** Ends the lists of these lots, as a careful writer does right after COMMIT. Missing where nothing is kept. */
  endLists?(lotIds: readonly string[]): Promise<void>
  /** Ends the names of these users in the same way. */
  endNames?(userIds: readonly string[]): Promise<void>
  /** Drops what the process keeps, before the store is emptied. */
  forget?(): Promise<void>
  /** The client of writers, where writing through it ends the lists; else they write through Prisma, and end the lists. */
  readonly writer?: PrismaClient
}

/** One way to read the same page. */
export interface Variant {
  readonly name: string
  /** Whether it is what others use instead of this library. */
  readonly isPeer?: boolean
  /** Whether a second page needs no query. */
  readonly isCache?: boolean
  /** What to know before comparing. */
  readonly note: string
  open(environment: ListsEnvironment): Promise<OpenLists>
}

/** Longer than a run lasts. */
export const TTL_MS = 600_000
/** More than there are lists. */
export const MAX_ENTRIES = 5_000
