import type { Models } from '../../schema-facts.js'
import type { WriteCoordinator } from '../../write-coordinator.js'

/** What writes are planned with: the schema, the caches, and what the database can do. */
export interface WritePlanning {
  readonly models: Models
  readonly coordinator: WriteCoordinator
  /** The maximum number of rows of one query that are reported one by one. */
  readonly limit: number
  /** The maximum number of groups of compound keys in one query. */
  readonly groupsPerQuery: number
  /** Whether the database has createManyAndReturn and updateManyAndReturn. */
  readonly returnsCreated: boolean
  /** Whether rows can be locked before a write. */
  readonly locksRows: boolean
}
