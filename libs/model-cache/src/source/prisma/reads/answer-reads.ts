import { invalidOptionError } from '../../../configuration-errors.js'
import { notStartedError } from '../../../errors.js'
import type { QueryResults } from '../../query-results.js'
import type { WriteCoordinator } from '../../write-coordinator.js'
import { addUncached } from '../client-extensions.js'
import { replicasBeside } from '../extended-clients.js'
import { originalOf } from '../internals.js'
import { AnsweredModels } from './answered-models.js'
import type { WrittenModels } from '../written-models.js'
import { BypassedQueries } from './bypassed-queries.js'
import { type Reads, readSettingsOf } from './read-options.js'
import type { ReadParts } from './read-parts.js'
import { readModelsOf } from './readable-cache.js'
import { ResultShapes } from './result-shapes.js'
import { ReadRunner } from './read-runner.js'

export interface AnswerReadsOptions extends Pick<ReadParts, 'facts' | 'query' | 'isReplica'> {
  readonly reads: Reads
  readonly coordinator: WriteCoordinator
  /** Counts what the client writes. */
  readonly written: WrittenModels
}

/** How the queries of a client are answered. */
export interface ClientReads extends ReadParts {
  readonly written: WrittenModels
  readonly runner: ReadRunner
}

const answered = new WeakMap<object, ClientReads>()

/** How the queries of a client, and of all clients of the same PrismaClient, are answered; undefined without `reads`. */
export function readsOf(client: object): ClientReads | undefined {
  const original = originalOf(client)
  return original && answered.get(original)
}

/** How the queries of a client are answered, and those of clients that read its replicas. */
export function readsOn(client: object): readonly ClientReads[] {
  const originals = new Set([originalOf(client) ?? client, ...replicasBeside(client)])
  return [...originals].flatMap((original) => answered.get(original) ?? [])
}

/** Whether a cache answers queries of a client, or of its replicas. In shadow mode, it loads its rows as without `reads`. */
export function isAnswering(client: object, { name, model }: { name: string; model: string }): boolean {
  return readsOn(client).some(
    ({ models, settings }) =>
      !settings.isShadow && models.of(model)?.caches.some(({ cache }) => cache.name === name),
  )
}

/** @throws ModelCacheError (`E_NOT_STARTED`): without a start, nobody would end the results of other processes */
export function startedResultsOf({ caches }: ClientReads): QueryResults {
  if (!caches.results) throw notStartedError('results')
  return caches.results
}

/**
 * Ends the results of queries that read one of these models, in all processes: at once, or with the transaction of the
 * caller. Call it after a write that no client of the library has sent, and that no follower sees.
 *
 * @param models of the Prisma schema, also those whose results `cached` alone keeps. @default all results, those that may be stale among them
 * @throws ConfigurationError for a client without `reads`, or a model that its schema lacks
 * @throws ModelCacheError (`E_NOT_STARTED`)
 */
export async function invalidateResults(client: object, models?: readonly string[]): Promise<void> {
  const reads = readsOf(client)
  if (!reads) throw invalidOptionError('reads', undefined, 'set for a client whose results are kept')
  const unknown = models?.find((model) => !reads.facts.models.get(model)?.isVisible)
  if (unknown !== undefined)
    throw invalidOptionError('invalidateResults.models', unknown, 'models of the Prisma schema')
  await startedResultsOf(reads).invalidate(models)
}

/** @throws ConfigurationError */
export function answerReads(
  client: object,
  { reads, coordinator, written, ...given }: AnswerReadsOptions,
): ReadRunner {
  const { reads: caches } = coordinator
  if (!caches)
    throw invalidOptionError('reads', reads, 'a coordinator that has caches, such as ModelCacheWrites')
  const { facts } = given
  const settings = readSettingsOf(reads, facts.models)
  const parts: ReadParts = {
    ...given,
    client,
    settings,
    caches,
    models: new AnsweredModels(client, caches, settings.names, readModelsOf(facts)),
    bypassed: new BypassedQueries(facts.models),
    resultShapes: new ResultShapes(facts.models),
  }
  const runner = new ReadRunner(parts)
  addUncached(client)
  answered.set(originalOf(client)!, { ...parts, written, runner })
  return runner
}
