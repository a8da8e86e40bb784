import type { ReadCaches } from '../../read-caches.js'
import type { SchemaFacts } from '../../schema-facts.js'
import type { ClientMethods } from '../internals.js'
import type { AnsweredModels } from './answered-models.js'
import type { BypassedQueries } from './bypassed-queries.js'
import type { ReadSettings } from './read-options.js'
import type { ResultShapes } from './result-shapes.js'

/** What the parts that answer the queries of a client work with. */
export interface ReadParts {
  readonly client: object
  readonly settings: ReadSettings
  readonly facts: SchemaFacts
  readonly caches: ReadCaches
  readonly models: AnsweredModels
  /** Leads to the database. */
  readonly query: ClientMethods['query']
  /** Whether the client reads a replica of the database that the caches load from. */
  readonly isReplica: boolean
  /** Counts the queries that the database answers. */
  readonly bypassed: BypassedQueries
  /** Counts those that results answer. */
  readonly resultShapes: ResultShapes
}
