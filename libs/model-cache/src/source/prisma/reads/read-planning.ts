import type { Relation } from '../../schema-facts.js'
import type { ReadableCache } from './readable-cache.js'
import type { Selections } from './selections.js'

/** What is known of the models when a query is planned. */
export interface ReadPlanning {
  /** Returns undefined for a model whose queries are never answered. */
  modelOf(model: string): PlannedModel | undefined
  /** Whether Prisma refuses `undefined` in arguments. */
  readonly isStrict: boolean
  /** Whether findFirst without an order takes any row that a list has. */
  readonly takesAnyRow: boolean
  /** Whether the database answers if that costs less than to read a long list. */
  readonly weighsCosts: boolean
  /** Whether rows of several caches make up the result of a query with this `relationLoadStrategy`. Undefined if Prisma has no such argument. */
  composes(strategy: unknown): boolean | undefined
}

export interface PlannedModel {
  /** The caches with the most fields come first. */
  readonly caches: readonly ReadableCache[]
  readonly selections: Selections
  readonly relations: ReadonlyMap<string, Relation | undefined>
}
