import type {
  CatalogueAnswer,
  CatalogueCheck,
  CatalogueEntry,
  CatalogueFinding,
  Store,
} from '../backend/store.js'
import { cacheOf, entryOf, type CacheDescription, type DescribedCache } from './cache-description.js'
import { catalogueEpochKey, catalogueKey } from '../format/key-space.js'

/**
 * The caches of all processes that share a namespace of a store. Writers act on it, whatever caches their own process has.
 *
 * A cache is described here before it stores a row, and a writer reads the catalogue with each fence. So a writer misses
 * only caches that were described after it read, and these store nothing until its write has ended ({@link storableFromMs}). Every
 * stored value carries the catalogue epoch, which changes when entries are lost.
 */
export class Catalogue {
  readonly #store: Store
  readonly #key: string
  readonly #epochKey: string
  readonly #replicas: number
  readonly #report: (finding: CatalogueFinding) => void
  /** The entries of this process's caches: text by field. */
  readonly #own = new Map<string, string>()
  /** The own entries that the catalogue lacks, as of the store's last answer; undefined until they are needed. */
  #missing: ReadonlyMap<string, string> | undefined
  #entries: ReadonlyMap<string, CatalogueEntry> = new Map()
  #caches: readonly DescribedCache[] = []
  /** The fingerprints of {@link #caches} by layout. */
  readonly #fingerprints = new Map<string, readonly string[]>()
  #epoch: string | null = null
  /** The epoch that a check has found, if it is another one, until the store has been asked. */
  #found: string | null | undefined
  readonly #onLoss = new Set<() => void>()
  #losses = 0
  /** The epoch under which enough replicas know that this process writes. */
  #acknowledged: string | null = null
  #version = ''
  /** How far the store's clock is ahead of `performance.now()`, in milliseconds. A lower bound, because the answer takes time to arrive. */
  #aheadMs = 0
  #asking: Promise<void> | undefined
  /** The fields that are described by the next request, which is sent when the one before it has been answered. */
  readonly #toDescribe = new Set<string>()
  #describing: Promise<void> | undefined
  #describingNext: Promise<void> | undefined
  #reading: Promise<string | null> | undefined
  readonly #unwatch: (() => void) | undefined

  /**
   * @param replicas how many must have what this process relies on
   * @param report receives what checks of the store's servers find
   */
  constructor(
    store: Store,
    namespace: string,
    replicas = 0,
    report: (finding: CatalogueFinding) => void = () => {},
  ) {
    this.#replicas = replicas
    this.#report = report
    this.#store = store
    this.#key = catalogueKey(namespace)
    this.#epochKey = catalogueEpochKey(namespace)
    this.#unwatch = store.watchCatalogue?.(this.#key, this.#check, replicas)
  }

  /** Ends with the caches of this process: its store may be used by others. */
  close(): void {
    this.#unwatch?.()
  }

  /** Whether it has been read. */
  get isKnown(): boolean {
    return this.#epoch !== null
  }

  /** All caches as of the store's last answer. The same list until it changes. */
  get caches(): readonly DescribedCache[] {
    return this.#caches
  }

  /** The epoch that values must carry to count, as of the store's last answer; null if there is another one since. */
  get epoch(): string | null {
    return this.#found === undefined ? this.#epoch : null
  }

  /** How often the epoch that this process knew has been replaced. What was read before that does not count after it. */
  get losses(): number {
    return this.#losses
  }

  /**
   * Adds a listener that is called when the epoch that this process knew has been replaced, before anything else is read.
   *
   * @returns a function that removes it
   */
  onLoss(listener: () => void): () => void {
    this.#onLoss.add(listener)
    return () => void this.#onLoss.delete(listener)
  }

  /** The fingerprints under which a cache is described; see {@link DescribedCache.layout}. */
  fingerprintsOf(layout: string): readonly string[] {
    let known = this.#fingerprints.get(layout)
    if (!known) {
      known = this.#caches.filter((cache) => cache.layout === layout).map(({ fingerprint }) => fingerprint)
      this.#fingerprints.set(layout, known)
    }
    return known
  }

  /** Adds a cache of this process, to be described from now on. @returns the field of its entry */
  add(description: CacheDescription, fingerprint: string): string {
    const { field, text } = entryOf(description, fingerprint)
    this.#own.set(field, text)
    this.#missing = undefined
    return field
  }

  /** Takes a cache of this process from those that it describes. Its entry stays until the fingerprint is no longer in use. */
  forget(field: string): void {
    this.#own.delete(field)
    this.#missing = undefined
  }

  /** The names of the caches of this process, those among them that keep results of queries. */
  get own(): readonly string[] {
    return [...new Set([...this.#own].map(([field, text]) => cacheOf({ field, text }).name))]
  }

  /**
   * Reads the catalogue as a writer: a cache that is described later cannot assume that this writer knows it. All calls of one turn
   * share one command.
   *
   * @throws StoreError
   */
  ask(): Promise<void> {
    this.#asking ??= Promise.resolve().then(() => {
      this.#asking = undefined
      return this.#ask()
    })
    return this.#asking
  }

  /**
   * Reads the catalogue for a process that learns of writes after their COMMIT: later caches need not wait for it.
   *
   * @throws StoreError
   */
  read(): Promise<void> {
    return this.#send({ isWriter: false }, this.#replicas).then(() => {})
  }

  async #ask(): Promise<void> {
    const epoch = this.#epoch
    const put = (this.#missing ??= new Map([...this.#own].filter(([field]) => !this.#entries.has(field))))
    const isKnown = epoch !== null && epoch === this.#acknowledged && put.size === 0
    const replicas = isKnown ? 0 : this.#replicas
    const answered = await this.#send({ isWriter: true, put }, replicas)
    if (!isKnown) this.#acknowledged = answered
    // A new epoch means that entries were lost: the catalogue must have those of this process before it counts a writer.
    if (epoch !== null && epoch !== this.#epoch) await this.#ask()
  }

  /** Whether an entry exists, as of the store's last answer. */
  has(field: string): boolean {
    return this.#entries.has(field)
  }

  /**
   * Describes a cache of this process, and those of its caches that the catalogue lacks, and reads the catalogue. Calls share the next
   * request, so that many caches need few: as long as one is in flight, the next one waits.
   *
   * @param field of its entry
   * @throws StoreError
   */
  describe(field: string): Promise<void> {
    this.#toDescribe.add(field)
    const send = (): Promise<void> => {
      this.#describingNext = undefined
      return (this.#describing = this.#describe().finally(() => (this.#describing = undefined)))
    }
    return (this.#describingNext ??= (this.#describing ?? Promise.resolve()).then(send, send))
  }

  async #describe(): Promise<void> {
    const isDue = new Set(this.#toDescribe)
    this.#toDescribe.clear()
    const put = [...this.#own].filter(([field]) => isDue.has(field) || !this.has(field))
    await this.#send({ isWriter: false, put: new Map(put) }, this.#replicas)
    // Entries were lost just then.
    const lost = [...this.#own].filter(([field]) => !this.has(field))
    if (lost.length > 0) await this.#send({ isWriter: false, put: new Map(lost) }, this.#replicas)
  }

  /**
   * Removes entries, unless another process has put them again since they were read.
   *
   * @throws StoreError
   */
  async remove(entries: readonly CatalogueEntry[]): Promise<void> {
    await this.#send({ isWriter: false, remove: entries }, 0)
  }

  /** The entries, as of the store's last answer, that are not those of this process's caches. */
  get entriesOfOthers(): readonly CatalogueEntry[] {
    return [...this.#entries.values()].filter(({ field }) => !this.#own.has(field))
  }

  /**
   * The time, by `performance.now()`, from which on a cache may store rows: all writes that began before it was described have ended.
   * Undefined while it is not described.
   *
   * @param fenceMs how long a write may take
   */
  storableFromMs(field: string, fenceMs: number): number | undefined {
    const entry = this.#entries.get(field)
    if (!entry) return undefined
    return entry.addedMs === 0 ? 0 : entry.addedMs + fenceMs - this.#aheadMs
  }

  /**
   * Reads the current epoch from the store; null if it is lost. All calls of one turn share one command.
   *
   * @throws StoreError
   */
  readEpoch(): Promise<string | null> {
    return (this.#reading ??= this.#store.shardOf ? this.#readEpochLater() : this.#readEpochNow())
  }

  /** Reads the epoch in one command with the other keys that are read now. */
  #readEpochNow(): Promise<string | null> {
    queueMicrotask(() => (this.#reading = undefined))
    return this.#sendRead()
  }

  /** In a cluster the key has a command of its own, which is sent once all caches that are read in this turn wait for it. */
  async #readEpochLater(): Promise<string | null> {
    await new Promise<void>((resolve) => process.nextTick(resolve))
    this.#reading = undefined
    return this.#sendRead()
  }

  #sendRead(): Promise<string | null> {
    return this.#store.getMany([this.#epochKey]).then(([epoch = null]) => epoch)
  }

  /** @returns the catalogue epoch */
  #send(
    change: {
      readonly isWriter: boolean
      readonly put?: ReadonlyMap<string, string>
      readonly remove?: readonly CatalogueEntry[]
    },
    replicas: number,
  ): Promise<string> {
    const known = this.#version
    const asked = this.#store.askCatalogue(this.#key, { known, ...change, replicas })
    if (this.#found === undefined) return asked.then((answer) => this.#take(answer, known))
    // An answer from before the check may have the epoch that was lost.
    const losses = this.#losses
    return asked.then((answer) => {
      if (losses === this.#losses) this.#found = undefined
      return this.#take(answer, known)
    })
  }

  readonly #check = ({ epoch, finding }: CatalogueCheck): void => {
    this.#report(finding)
    const known = this.#found === undefined ? this.#epoch : this.#found
    if (epoch === undefined || this.#epoch === null || epoch === known) return
    this.#found = epoch
    this.#lose()
  }

  #lose(): void {
    this.#losses++
    for (const listener of this.#onLoss) listener()
  }

  /** @param known the version that was known when the store was asked */
  #take({ entries, epoch, nowMs, version }: CatalogueAnswer, known: string): string {
    if (this.#epoch !== null && this.#epoch !== epoch) this.#lose()
    this.#epoch = epoch
    this.#aheadMs = nowMs - performance.now()
    // One that waits for replicas may come after a newer one: without its entries, writes would miss these caches.
    const isOlder = known !== this.#version && isBefore(version, this.#version)
    if (entries && !isOlder) {
      this.#version = version
      this.#entries = new Map(entries.map((entry) => [entry.field, entry]))
      this.#caches = entries.map(cacheOf)
      this.#fingerprints.clear()
      this.#missing = undefined
    }
    return epoch
  }
}

/** Whether a version of the catalogue is an earlier one of the same epoch. */
function isBefore(version: string, other: string): boolean {
  const [[epoch, changes], [otherEpoch, otherChanges]] = [version.split('.'), other.split('.')]
  return epoch === otherEpoch && Number(changes) < Number(otherChanges)
}
