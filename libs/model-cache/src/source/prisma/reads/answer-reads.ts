import { InvalidOptionError } from '../../../errors.js'
import type { SchemaFacts } from '../../schema-facts.js'
import type { WriteCoordinator } from '../../write-coordinator.js'
import { addUncached, type ClientMethods, originalOf, refusesUndefined } from '../internals.js'
import { AnsweredModels } from './answered-models.js'
import { type Reads, type ReadSettings, readSettingsOf } from './read-options.js'
import { readModelsOf } from './readable-cache.js'
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
  readonly runner: ReadRunner
}

const answered = new WeakMap<object, ClientReads>()

/** How the queries of a client, and of all clients of the same PrismaClient, are answered; undefined without `reads`. */
export function readsOf(client: object): ClientReads | undefined {
  const original = originalOf(client)
  return original && answered.get(original)
}

/** Whether a cache answers queries of a client. */
export function isAnswering(client: object, { name, model }: { name: string; model: string }): boolean {
  const reads = readsOf(client)
  if (!reads) return false
  const { names } = reads.settings
  return names === undefined || (names.get(model)?.has(name) ?? false)
}

/** @throws InvalidOptionError */
export function answerReads(
  client: object,
  { reads, coordinator, facts, query }: AnswerReadsOptions,
): ReadRunner {
  const { reads: caches } = coordinator
  if (!caches)
    throw new InvalidOptionError('reads', reads, 'a coordinator that has caches, such as ModelCacheWrites')
  const settings = readSettingsOf(reads, facts.models)
  const models = new AnsweredModels({ client, settings, caches, models: readModelsOf(client, facts) })
  const runner = new ReadRunner({ caches, models, query, isStrict: refusesUndefined(client) })
  addUncached(client)
  answered.set(originalOf(client)!, { settings, runner })
  return runner
}
