import type { ClientQueries, InspectedRoot, LocalExplanation, RootCache, RowId } from 'model-cache/internal'
import { maxEntryRows } from './entry-comparison.js'
import type { OwnFacts, ProcessFacts } from './process-facts.js'
import { recentIdsOf } from './recent-ids.js'
import type { RecentSamples } from './recent-samples.js'
import type { CacheName, ChartSample, RecentIdReport } from './report.js'
import type { ProcessKnowledge } from './row-report.js'

/** What processes ask each other. Ids and keys are texts, as people type them. */
export type Question =
  | { readonly about: 'process' }
  | { readonly about: 'history' }
  | { readonly about: 'queries' }
  | ({ readonly about: 'recent' } & CacheName)
  | ({ readonly about: 'row'; readonly id: string } & CacheName)
  | ({ readonly about: 'entry'; readonly lookup: string; readonly key: string } & CacheName)
  | ({ readonly about: 'writes'; readonly ids: readonly string[] } & CacheName)

/** What a process knows of a row or an entry; see {@link ProcessKnowledge}. */
export type Knowledge = Omit<ProcessKnowledge, 'process' | 'host' | 'pid'>

/** The last write to a row that a process remembers. */
export interface RowWrite {
  readonly id: string
  readonly at: string
  readonly by: string
}

/** What became of the queries of the client of a root. */
export interface RootQueries {
  readonly root: string | null
  readonly queries: ClientQueries
}

/** What a process answers; null for a cache that it does not have. */
export type LocalAnswer =
  | ProcessFacts
  | readonly ChartSample[]
  | readonly RootQueries[]
  | readonly RecentIdReport[]
  | Knowledge
  | readonly RowWrite[]
  | null

/** Answers questions about this process. */
export class LocalAnswers {
  readonly #roots: readonly InspectedRoot[]
  readonly #own: OwnFacts
  readonly #recent: RecentSamples

  constructor(roots: readonly InspectedRoot[], own: OwnFacts, recent: RecentSamples) {
    this.#roots = roots
    this.#own = own
    this.#recent = recent
  }

  /**
   * Never has values of rows.
   *
   * @throws InvalidIdError, ModelCacheError (`E_UNKNOWN_LOOKUP`)
   */
  async answer(question: Question): Promise<LocalAnswer> {
    if (question.about === 'process') return this.#own.read()
    if (question.about === 'history') return this.#recent.samples
    if (question.about === 'queries')
      return this.#roots.flatMap(({ name, queries }) =>
        queries().map((each) => ({ root: name ?? null, queries: each })),
      )
    const { inspected } = findCache(this.#roots, question) ?? {}
    if (!inspected) return null
    if (question.about === 'recent')
      return recentIdsOf(inspected).map(({ agoMs, id, lookup, what }) => ({
        lookup,
        id,
        at: timeBefore(agoMs),
        what,
      }))
    const textOf = (rowId: RowId): string => inspected.textOf(rowId)
    if (question.about === 'row') return knowledgeOf(inspected.explainLocally(question.id), textOf)
    if (question.about === 'writes') {
      return question.ids.slice(0, maxEntryRows).flatMap((id): RowWrite[] => {
        const { lastWrite } = inspected.explainLocally(id)
        return lastWrite ? [{ id, at: timeBefore(lastWrite.agoMs), by: lastWrite.by }] : []
      })
    }
    const { key, lookup } = inspected.keyOf(question.lookup, question.key)
    return knowledgeOf(lookup.explainLocally(key), textOf)
  }
}

/** The cache with a name; undefined if the application has none. */
export function findCache(roots: readonly InspectedRoot[], { name, root }: CacheName): RootCache | undefined {
  return roots
    .find((known) => (known.name ?? null) === root)
    ?.caches()
    .get(name)
}

function knowledgeOf(
  { isInvalidationPending, l1, lastMiss, lastUnknownWrite, lastWrite }: LocalExplanation,
  textOf: (rowId: RowId) => string,
): Knowledge {
  return {
    l1: l1 ?? null,
    isInvalidationPending,
    lastMiss: lastMiss ? { at: timeBefore(lastMiss.agoMs), reason: lastMiss.reason } : null,
    lastWrite: lastWrite
      ? {
          at: timeBefore(lastWrite.agoMs),
          by: lastWrite.by,
          rows: lastWrite.rows.map(textOf),
          rowCount: lastWrite.rowCount,
        }
      : null,
    lastUnknownWrite: lastUnknownWrite
      ? { at: timeBefore(lastUnknownWrite.agoMs), what: lastUnknownWrite.what }
      : null,
  }
}

function timeBefore(agoMs: number): string {
  return new Date(Date.now() - agoMs).toISOString()
}
