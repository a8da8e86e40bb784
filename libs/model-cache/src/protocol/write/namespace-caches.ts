import { setTimeout as delay } from 'node:timers/promises'
import { FenceError } from '../../errors.js'
import type { AffectedCache, WrittenCache } from './affected-cache.js'
import {
  AffectedCaches,
  type EndedWrite,
  type UnansweredNamespace,
  type WriterCaches,
} from './affected-caches.js'
import { Catalogue } from '../registry/catalogue.js'
import type { Store, CatalogueFinding } from '../backend/store.js'
import { CleanUp } from '../registry/clean-up.js'
import { createForeignCache, type WrittenNamespace } from './foreign-cache.js'
import { reasonIn, type OperatorLog } from '../operator-log.js'
import { WriterCheck } from '../registry/writer-check.js'

const firstRetryMs = 100
const lastRetryMs = 5_000

/** The caches of one namespace of a store, as writers see them: those of this process and all others in the catalogue. */
export class NamespaceCaches implements WriterCaches, UnansweredNamespace {
  readonly catalogue: Catalogue
  readonly cleanUp: CleanUp
  readonly writer: WriterCheck
  readonly tables = undefined
  readonly #namespace: WrittenNamespace
  readonly #own = new Set<WrittenCache>()
  readonly #foreign = new Map<string, WrittenCache>()
  /** Derived from the catalogue's list and {@link #own}, until one of them changes. */
  #all: readonly WrittenCache[] = []
  #derivedFrom: unknown
  readonly #affected = new AffectedCaches(() => this)
  /** The caches that all ended writes knew which could not read the catalogue; undefined without such a write. */
  #knownToAll: ReadonlySet<WrittenCache> | undefined
  /** `'unknown'` if one of these writes may still commit. */
  #missedEnd: 'known' | 'unknown' = 'known'
  /** The models that they wrote. */
  readonly #missedModels = new Set<string>()
  #catchingUp: Promise<void> | undefined
  /** Why the catalogue could not be read last. */
  #readError: unknown
  #hasWarnedOfReplicas = false
  readonly #stop = new AbortController()

  constructor(namespace: Omit<WrittenNamespace, 'catalogue'>) {
    const { consistency, log, namespace: name, store } = namespace
    this.catalogue = new Catalogue(
      store,
      name,
      consistency.replicas,
      findingLog(name, consistency.fenceMs, log),
    )
    this.#namespace = { ...namespace, catalogue: this.catalogue }
    this.cleanUp = new CleanUp(this.#namespace)
    this.writer = new WriterCheck(this.#namespace)
  }

  add(cache: WrittenCache): void {
    this.#own.add(cache)
    this.#derivedFrom = undefined
    this.#releaseMissed([cache])
  }

  /**
   * Removes a cache of this process. Its rows in the store count as those of a cache of another process from now on.
   *
   * @param entry the field of its entry in the catalogue
   */
  remove(cache: WrittenCache, entry: string): void {
    this.#own.delete(cache)
    this.#derivedFrom = undefined
    const isShared = [...this.#own].some(({ layout }) => layout === cache.layout)
    if (!isShared) this.catalogue.forget(entry)
  }

  get all(): readonly WrittenCache[] {
    this.#derive()
    return this.#all
  }

  /** Warns once that rows are loaded from replicas of the database, of whose lag nothing is known. */
  warnOfReplicas(): void {
    if (this.#hasWarnedOfReplicas) return
    this.#hasWarnedOfReplicas = true
    const { log, namespace } = this.#namespace
    log.warn(
      `ModelCache: the caches of namespace "${namespace}" load rows through a client that reads from replicas, and ` +
        '`consistency.replicaLagMs` is 0. A replica that lags behind gives a row as it was before a write, and the row is served until ' +
        'its ttl ends. Set `consistency.replicaLagMs` to the longest lag of your replicas, or load from the primary: give forRoot, or ' +
        'the source, a client without the extension.',
    )
  }

  /** Compares models and fields by name: they are those of the caches. */
  of(model: string): readonly AffectedCache[] {
    return this.#affected.of(model)
  }

  /** Reads the catalogue to learn of new caches. */
  async ask(): Promise<UnansweredNamespace | undefined> {
    const { atRest } = this.#namespace
    // A process that has no caches fetches its keys with its first write.
    if (atRest && !atRest.isOpen) await atRest.open()
    try {
      await this.catalogue.ask()
      if (this.writer.isDue) this.writer.look({ own: this.#own.size, listed: this.catalogue.caches.length })
      return undefined
    } catch (error) {
      this.#readError = error
      if (this.isStrict) throw new FenceError(undefined, error)
      return this
    }
  }

  catchUp({ end, known, models }: EndedWrite): void {
    for (const model of models) this.#missedModels.add(model)
    if (end === 'unknown') this.#missedEnd = end
    this.#knownToAll = new Set([...known].filter((cache) => this.#knownToAll?.has(cache) ?? true))
    this.#releaseMissed(this.#own)
    this.#catchingUp ??= this.#catchUp()
  }

  /** A write that did not know a cache of this process may have affected its rows: reads bypass the store until it knows. */
  #releaseMissed(own: Iterable<WrittenCache>): void {
    for (const cache of own) {
      if (this.#knownToAll?.has(cache) === false) void cache.fences.releaseAll('', 'all', this.#missedEnd)
    }
  }

  isOf(store: Store, namespace: string): boolean {
    return this.#namespace.store === store && this.#namespace.namespace === namespace
  }

  get isStrict(): boolean {
    return this.#namespace.consistency.mode === 'strict'
  }

  /** Whether its store has been closed. */
  get isClosed(): boolean {
    return this.#namespace.store.isClosed ?? false
  }

  /** Call it when writes no longer reach the store, which has been closed. */
  forget(): void {
    const { log, namespace } = this.#namespace
    log.warn(
      `ModelCache: the store of namespace "${namespace}" has been closed, so the writes of this process no longer invalidate its caches, ` +
        'also those of other processes. Close a store after the last write to the database of its caches.',
    )
    void this.stop()
  }

  /** Tries once more to catch up when the process ends, and to release what this process has written of caches of others. */
  async stop(): Promise<void> {
    this.catalogue.close()
    this.#stop.abort()
    await this.#catchingUp
    await Promise.all([...this.#foreign.values()].map(({ fences }) => fences.stop()))
  }

  async #catchUp(): Promise<void> {
    const { log, namespace } = this.#namespace
    log.warn(
      `ModelCache: the catalogue of namespace "${namespace}" cannot be read, so this process does not know which caches of other ` +
        `processes its writes${this.#ofModels()} affect. It empties the unknown ones when the store answers; until then they may serve outdated rows. ` +
        `The reason: ${reasonIn(this.#readError)}`,
    )
    for (let waitMs = firstRetryMs; this.#knownToAll; waitMs = Math.min(waitMs * 2, lastRetryMs)) {
      const isLast = this.#stop.signal.aborted
      await delay(isLast ? 0 : waitMs, undefined, { signal: this.#stop.signal, ref: false }).catch(() => {})
      try {
        await this.#emptyMissed()
      } catch {
        if (!isLast) continue
        log.warn(
          `ModelCache: the store of namespace "${namespace}" is closed before its catalogue could be read, which the writes` +
            `${this.#ofModels()} needed: caches of other processes may serve their outdated rows until the ttl ends. The reason: ` +
            reasonIn(this.#readError),
        )
        return
      }
    }
    this.#catchingUp = undefined
    if (!this.#knownToAll) this.#missedModels.clear()
    log.info(`ModelCache: the catalogue of namespace "${namespace}" has been read again.`)
  }

  /** Returns the models as a part of a sentence; an empty text if they are unknown. */
  #ofModels(): string {
    return this.#missedModels.size === 0 ? '' : ` to ${[...this.#missedModels].join(', ')}`
  }

  async #emptyMissed(): Promise<void> {
    // Another write may end meanwhile and miss other caches.
    const known = this.#knownToAll!
    const end = this.#missedEnd
    await this.catalogue.ask()
    const missed = this.all.filter((cache) => !known.has(cache))
    if (this.#knownToAll === known) {
      this.#knownToAll = undefined
      this.#missedEnd = 'known'
    }
    await Promise.all(missed.map(({ fences }) => fences.releaseAll('', 'all', end)))
  }

  #derive(): void {
    const { caches } = this.catalogue
    if (this.#derivedFrom === caches) return
    this.#derivedFrom = caches
    const layouts = new Set([...this.#own].map(({ layout }) => layout))
    const foreign = caches.filter(({ layout }) => !layouts.has(layout))
    for (const cache of foreign) {
      if (!this.#foreign.has(cache.layout)) {
        this.#foreign.set(cache.layout, createForeignCache(cache, this.#namespace))
      }
    }
    const listed = new Set(foreign.map(({ layout }) => layout))
    this.#all = [...this.#own, ...[...listed].map((layout) => this.#foreign.get(layout)!)]
  }
}

/** Tells operators what checks of the store's servers find. */
export function findingLog(
  namespace: string,
  fenceMs: number,
  log: OperatorLog,
): (finding: CatalogueFinding) => void {
  let isUnknown = false
  const store = `ModelCache: the store of namespace "${namespace}"`
  const emptied =
    `Nothing that was stored before counts any more. Rows come from the database, and are stored again in ${fenceMs / 1_000} s. ` +
    'You need not do anything.'
  return (finding) => {
    if (finding === 'old') {
      log.warn(
        `${store} came back with old data: a server started from a snapshot, a log that was cut or a backup, or took the place of a ` +
          `server without its last writes. ${emptied}`,
      )
    } else if (finding === 'empty') log.warn(`${store} came back empty: its server was restarted. ${emptied}`)
    else if (finding === 'unknown' && !isUnknown) {
      isUnknown = true
      log.warn(
        `${store} does not say when its server was started, because INFO is forbidden or hidden. If it is started with old data, this ` +
          'process does not notice, and may serve outdated rows until their ttl ends. Allow its user INFO. Where a provider hides it, ' +
          'have the server start empty, or delete the keys of the namespace after a restart.',
      )
    }
  }
}
