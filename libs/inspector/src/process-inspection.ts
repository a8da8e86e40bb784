import { InvalidIdError, StoreError } from 'model-cache'
import { type Examination, hasCode, type InspectedRoot, type RootCache } from 'model-cache/internal'
import { cacheReportOf, foreignCaches, processReportOf } from './caches-report.js'
import { compareEntry } from './compare-entry.js'
import { compareRow } from './compare-row.js'
import { entryComparisonOf } from './entry-comparison.js'
import type { Inspection } from './inspection.js'
import { InspectionError } from './inspection-error.js'
import { findCache, type Question } from './local-answers.js'
import type { Answers, Peers } from './peers.js'
import { maxRecent } from './recent-ids.js'
import type {
  Action,
  CacheName,
  CachesReport,
  HistoryReport,
  InvalidationReport,
  ProcessesReport,
  QueriesReport,
  RecentIdReport,
  RecentReport,
} from './report.js'
import type { EntryReport, EntryRow, ProcessKnowledge, RowReport } from './row-report.js'
import { comparisonOf } from './row-comparison.js'
import { storedReportOf } from './stored-report.js'
import { suggestDefinitions } from './suggestions/suggest-definitions.js'
import { factsIn, knowledgeIn, recentIdsIn, rootQueriesIn, samplesIn, writesIn } from './well-formed.js'

/** Queries for which a process looks for definitions while it answers requests. */
const maxPlanned = 200

/** What operators may see and do. */
export interface Permissions {
  /** Whether the values of a field may be shown. */
  isShown(cache: CacheName, field: string): boolean
  actionsOf(cache: CacheName): readonly Action[]
}

/** Inspects the caches of an application, in this process and in all others that share its namespace. */
export class ProcessInspection implements Inspection {
  readonly #roots: readonly InspectedRoot[]
  readonly #peers: Peers
  readonly #permissions: Permissions
  readonly #asking = new Map<'process' | 'history' | 'queries', Promise<Answers>>()

  constructor(roots: readonly InspectedRoot[], peers: Peers, permissions: Permissions) {
    this.#roots = roots
    this.#peers = peers
    this.#permissions = permissions
  }

  async processes(): Promise<ProcessesReport> {
    const { answers, silent } = await this.#askProcesses('process')
    return {
      ...this.#header(silent),
      processes: answers.flatMap(({ answer }) => factsIn(answer)).map(processReportOf),
    }
  }

  async history(): Promise<HistoryReport> {
    const { answers, silent } = await this.#askProcesses('history')
    return {
      ...this.#header(silent),
      processes: answers.map(({ answer, peer: { id } }) => ({ id, samples: samplesIn(answer) })),
    }
  }

  async queries(): Promise<QueriesReport> {
    const { answers, silent } = await this.#askProcesses('queries')
    const found = answers.flatMap(({ answer }) => rootQueriesIn(answer))
    return {
      ...this.#header(silent),
      roots: this.#roots.flatMap(({ name: root = null, schema }) => {
        const facts = schema()
        const own = found.filter((each) => each.root === root).map((each) => each.queries)
        const queries = facts && suggestDefinitions(own, facts, maxPlanned)
        return queries ? [{ root, ...queries }] : []
      }),
    }
  }

  async caches(): Promise<CachesReport> {
    const roots = this.#roots
    const [{ answers, silent }] = await Promise.all([
      this.#askProcesses('process'),
      ...roots.map(({ catalogue }) => catalogue.read().catch(() => {})),
    ])
    const processes = answers.flatMap(({ answer }) => factsIn(answer))
    const names = roots.flatMap(({ caches, name: root = null }) =>
      [...caches()].map(([name, cache]) => ({ name, root, cache })),
    )
    return {
      ...this.#header(silent),
      caches: names
        .toSorted((a, b) => (a.root ?? '').localeCompare(b.root ?? '') || a.name.localeCompare(b.name))
        .map(({ cache, name, root }) =>
          cacheReportOf({ name, root }, cache, processes, this.#permissions.actionsOf({ name, root })),
        ),
      foreign: foreignCaches(roots, processes),
    }
  }

  async recent(name: CacheName): Promise<RecentReport> {
    this.#cache(name)
    const { answers, silent } = await this.#peers.ask({ about: 'recent', ...name } satisfies Question)
    const ids = answers.flatMap(({ answer }) => recentIdsIn(answer))
    return { ...this.#header(silent), cache: name, ids: newestOf(ids) }
  }

  async row(name: CacheName, id: string): Promise<RowReport> {
    const { inspected } = this.#cache(name)
    const key = attempt(() => inspected.storeKeyOf(id))
    const isId = (field: string): boolean => inspected.description.id.some((part) => part.name === field)
    const [examination, knowledge, comparison] = await Promise.all([
      ifAnswered(inspected.examine(id)),
      this.#ask({ about: 'row', ...name, id }),
      comparisonOf(
        () => compareRow(inspected.context, inspected.idOf(id)),
        // Who asks for a row knows its id.
        (field) => isId(field) || this.#permissions.isShown(name, field),
      ),
    ])
    return { id, ...this.#layers(name, key, examination), ...knowledge, comparison }
  }

  async entry(name: CacheName, lookup: string, text: string): Promise<EntryReport> {
    const { inspected } = this.#cache(name)
    const found = attempt(() => inspected.keyOf(lookup, text))
    const [examination, knowledge, comparison] = await Promise.all([
      ifAnswered(found.lookup.examine(found.key)),
      this.#ask({ about: 'entry', ...name, lookup, key: text }),
      entryComparisonOf(
        () => compareEntry(inspected.context, found.lookup, found.key),
        (rowId) => inspected.textOf(rowId),
        (ids) => this.#lastWritesTo(name, ids),
      ),
    ])
    const stored = examination instanceof StoreError ? undefined : examination.stored
    return {
      lookup,
      lookupKey: text,
      ids: stored?.isHit && stored.row ? stored.row.ids.map((id) => inspected.textOfId(id)) : null,
      ...this.#layers(name, found.lookup.storeKeyOf(found.key), examination),
      ...knowledge,
      comparison,
    }
  }

  async invalidate(name: CacheName, target: InvalidationReport['target']): Promise<InvalidationReport> {
    const { cache, inspected } = this.#cache(name)
    const action = 'all' in target ? 'invalidateAll' : 'invalidate'
    if (!this.#permissions.actionsOf(name).includes(action)) {
      throw new InspectionError(
        'action_not_allowed',
        403,
        `The option \`actions\` of the inspector does not allow "${action}" for the cache "${name.name}".`,
      )
    }
    const pending = await attempt(async () => {
      if ('all' in target) {
        await cache.invalidateAll()
        return (await inspected.status()).pending === 'all'
      }
      if ('id' in target) {
        await cache.invalidate(inspected.idOf(target.id))
        return inspected.explainLocally(target.id).isInvalidationPending
      }
      const { key, lookup } = inspected.keyOf(target.lookup, target.key)
      await lookup.invalidate([key])
      return lookup.explainLocally(key).isInvalidationPending
    })
    return { at: new Date().toISOString(), cache: name, target, isPending: pending }
  }

  /** Requests of one moment share an answer: asking costs every process some work. */
  #askProcesses(about: 'process' | 'history' | 'queries'): Promise<Answers> {
    let asking = this.#asking.get(about)
    if (!asking) {
      asking = this.#peers
        .ask({ about } satisfies { about: Question['about'] })
        .finally(() => this.#asking.delete(about))
      this.#asking.set(about, asking)
    }
    return asking
  }

  async #ask(question: Question): Promise<Pick<RowReport, 'processes' | 'silent'>> {
    const { answers, silent } = await this.#peers.ask(question)
    const processes = answers.flatMap(({ answer, peer: { host, id, pid } }): ProcessKnowledge[] =>
      knowledgeIn(answer).map((knowledge) => ({ ...knowledge, process: id, host, pid })),
    )
    return { processes, silent }
  }

  /** The latest of what all processes remember. */
  async #lastWritesTo(
    cache: CacheName,
    ids: readonly string[],
  ): Promise<ReadonlyMap<string, EntryRow['lastWrite']>> {
    if (ids.length === 0) return new Map()
    const question: Question = { about: 'writes', ...cache, ids }
    const { answers } = await this.#peers.ask(question)
    const writes = answers.flatMap(({ answer, peer }) =>
      writesIn(answer).map((write) => ({ ...write, process: peer.id })),
    )
    const inOrder = writes.toSorted((one, other) => Date.parse(one.at) - Date.parse(other.at))
    return new Map(inOrder.map(({ id, ...write }) => [id, write]))
  }

  #header(silent: ProcessesReport['silent']): Pick<ProcessesReport, 'at' | 'self' | 'silent'> {
    return { at: new Date().toISOString(), self: this.#peers.self.id, silent }
  }

  #layers(
    cache: CacheName,
    key: string,
    examination: Examination<unknown> | StoreError,
  ): Omit<RowReport, 'id' | 'processes' | 'silent' | 'comparison'> {
    const common = { at: new Date().toISOString(), cache, key }
    if (examination instanceof StoreError) {
      const stored = { isHit: null, error: examination.message }
      return { ...common, epoch: null, mayFill: false, stored, guard: 'unknown', holders: [] }
    }
    const { explanation, stored } = examination
    const { epoch, guard, holders, mayFill } = explanation
    return {
      ...common,
      epoch,
      mayFill,
      stored: storedReportOf(stored),
      guard,
      holders,
    }
  }

  /** @throws InspectionError */
  #cache(name: CacheName): RootCache {
    const roots = this.#roots
    const cache = findCache(roots, name)
    if (cache) return cache
    const known =
      roots
        .find((root) => (root.name ?? null) === name.root)
        ?.caches()
        .keys() ?? []
    const inRoot = name.root === null ? '' : ` in the root "${name.root}"`
    throw new InspectionError(
      'unknown_cache',
      404,
      `This application has no cache "${name.name}"${inRoot}; it has ${[...known].join(', ') || 'none'}.`,
    )
  }
}

/** The last event of each id, the newest first, and as many of each lookup as a process reports. */
function newestOf(ids: readonly RecentIdReport[]): readonly RecentIdReport[] {
  const found = new Map<string, RecentIdReport>()
  const counts = new Map<string | null, number>()
  for (const recent of ids.toSorted((one, other) => Date.parse(other.at) - Date.parse(one.at))) {
    const key = `${recent.lookup}\n${recent.id}`
    const count = counts.get(recent.lookup) ?? 0
    if (found.has(key) || count === maxRecent) continue
    counts.set(recent.lookup, count + 1)
    found.set(key, recent)
  }
  return [...found.values()]
}

/** @throws InspectionError for an id, a key or a lookup that cannot be */
function attempt<T>(work: () => T): T {
  try {
    const result = work()
    return result instanceof Promise ? (result.catch(refuse) as T) : result
  } catch (error) {
    return refuse(error)
  }
}

function refuse(error: unknown): never {
  if (error instanceof InvalidIdError) throw new InspectionError('invalid_id', 400, error.message)
  if (hasCode(error, 'E_UNKNOWN_LOOKUP')) throw new InspectionError('unknown_lookup', 404, error.message)
  if (error instanceof StoreError) throw new InspectionError('store_unavailable', 503, error.message)
  throw error
}

async function ifAnswered<T>(examination: Promise<T>): Promise<T | StoreError> {
  try {
    return await examination
  } catch (error) {
    if (error instanceof StoreError) return error
    throw error
  }
}
