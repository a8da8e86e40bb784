import type { CatalogueListing } from 'model-cache/internal'

/** What the checks of PostgreSQL need to know. */
export interface PostgresContext {
  /** The URL of the database; undefined if none is known. */
  readonly url: string | undefined
  readonly namespace: string
  /** Whether the log of the database is followed, or is to be. */
  readonly isFollowed: boolean
  /** A durable replication slot. */
  readonly slot: string | undefined
  /** @default that of the namespace */
  readonly publication: string | undefined
  /** `fenceMs` of the application, in milliseconds. */
  readonly fenceMs: number
  /** Rejects if the catalogue cannot be read. */
  readonly listed: Promise<CatalogueListing>
}
