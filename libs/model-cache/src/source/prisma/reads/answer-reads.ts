import { invalidOptionError } from '../../../configuration-errors.js'
import type { SchemaFacts } from '../../schema-facts.js'
import type { WriteCoordinator } from '../../write-coordinator.js'
import { addUncached } from '../client-extensions.js'
import { type ClientMethods, originalOf } from '../internals.js'
import { AnsweredModels } from './answered-models.js'
import { type Reads, type ReadSettings, readSettingsOf } from './read-options.js'
import { readModelsOf } from './readable-cache.js'
import { Shadow } from './shadow.js'
import { ReadRunner } from './read-runner.js'

export interface AnswerReadsOptions {
  readonly reads: Reads
  readonly coordinator: WriteCoordinator
  readonly facts: SchemaFacts
  /** Leads to the database. */
  readonly query: ClientMethods['query']
}

/** How the queries of a client are answered. */
export interface ClientReads {
  readonly settings: ReadSettings
  readonly models: AnsweredModels
  readonly runner: ReadRunner
}

const answered = new WeakMap<object, ClientReads>()

/** How the queries of a client, and of all clients of the same PrismaClient, are answered; undefined without `reads`. */
export function readsOf(client: object): ClientReads | undefined {
  const original = originalOf(client)
  return original && answered.get(original)
}

/** Whether a cache answers queries of a client. In shadow mode, it loads its rows as without `reads`. */
export function isAnswering(client: object, { name, model }: { name: string; model: string }): boolean {
  const reads = readsOf(client)
  if (!reads || reads.settings.isShadow) return false
  return reads.models.of(model)?.caches.some(({ cache }) => cache.name === name) ?? false
}

/** @throws ConfigurationError */
export function answerReads(
  client: object,
  { reads, coordinator, facts, query }: AnswerReadsOptions,
): ReadRunner {
  const { reads: caches } = coordinator
  if (!caches)
    throw invalidOptionError('reads', reads, 'a coordinator that has caches, such as ModelCacheWrites')
  const settings = readSettingsOf(reads, facts.models)
  const models = new AnsweredModels(client, caches, settings.names, readModelsOf(facts))
  const runner = new ReadRunner(client, query, caches, models, settings.isShadow ? new Shadow() : undefined)
  addUncached(client)
  answered.set(originalOf(client)!, { settings, models, runner })
  return runner
}
