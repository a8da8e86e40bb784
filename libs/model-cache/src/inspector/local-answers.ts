import type { LocalExplanation } from '../cache/inspection/explanation.js'
import type { InspectedRoot, RootCache } from '../nest/inspected-root.js'
import type { OwnFacts, ProcessFacts } from './process-facts.js'
import type { RecentSamples } from './recent-samples.js'
import type { CacheName, ChartSample, ProcessKnowledge } from './report.js'

/** What processes ask each other. Ids and keys are texts, as people type them. */
export type Question =
  | { readonly about: 'process' }
  | { readonly about: 'history' }
  | ({ readonly about: 'row'; readonly id: string } & CacheName)
  | ({ readonly about: 'entry'; readonly lookup: string; readonly key: string } & CacheName)

/** What a process knows of a row or an entry; see {@link ProcessKnowledge}. */
export type Knowledge = Omit<ProcessKnowledge, 'process' | 'host' | 'pid'>

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
   * @returns null for a cache that this process does not have
   * @throws InvalidIdError, UnknownLookupError
   */
  async answer(question: Question): Promise<ProcessFacts | readonly ChartSample[] | Knowledge | null> {
    if (question.about === 'process') return this.#own.read()
    if (question.about === 'history') return this.#recent.samples
    const { inspected } = findCache(this.#roots, question) ?? {}
    if (!inspected) return null
    if (question.about === 'row') return knowledgeOf(inspected.explainLocally(question.id))
    const { key, lookup } = inspected.keyOf(question.lookup, question.key)
    return knowledgeOf(lookup.explainLocally(key))
  }
}

/** The cache with a name; undefined if the application has none. */
export function findCache(roots: readonly InspectedRoot[], { name, root }: CacheName): RootCache | undefined {
  return roots
    .find((known) => (known.name ?? null) === root)
    ?.caches()
    .get(name)
}

function knowledgeOf({ isInvalidationPending, l1, lastMiss, lastWrite }: LocalExplanation): Knowledge {
  return {
    l1: l1 ?? null,
    isInvalidationPending,
    lastMiss: lastMiss ? { at: timeBefore(lastMiss.agoMs), reason: lastMiss.reason } : null,
    lastWrite: lastWrite ? { at: timeBefore(lastWrite.agoMs), by: lastWrite.by } : null,
  }
}

function timeBefore(agoMs: number): string {
  return new Date(Date.now() - agoMs).toISOString()
}
