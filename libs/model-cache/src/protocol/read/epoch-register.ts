import type { Store } from '../backend/store.js'
import type { Catalogue } from '../registry/catalogue.js'
import { awaitedLater } from '../write/awaited-later.js'
import { epochsOf, registerIn, type RegisterView } from '../format/register.js'
import { RegisterWriter } from '../write/register-writer.js'

export interface EpochRegisterOptions {
  readonly store: Store
  readonly catalogue: Catalogue
  /** The database that rows are loaded from: no stored value counts while its mark is undefined. */
  readonly database: { readonly mark: string | undefined }
  readonly cache: RegisteredCache
  readonly times: RegisterTimes
  /** How many replicas must have acknowledged that the cache is listed. */
  readonly replicas: number
  /** Called once when the process begins to wait for writers that may not know the cache, with the milliseconds. */
  readonly onJoining: (ms: number) => void
}

/** A cache as the register and the catalogue list it. */
export interface RegisteredCache {
  readonly name: string
  readonly registerKey: string
  /** The field of its entry in the catalogue. */
  readonly entry: string
  /** The fingerprint of the rows that this process stores. */
  readonly fingerprint: string
}

/** Milliseconds. */
export interface RegisterTimes {
  /** How long a row stays in the store at most. */
  readonly rowLifeMs: number
  /** How long a write may take that began before the cache was in the catalogue, until replicas of the database have it. */
  readonly writesMs: number
  /** How long a write to the whole model is remembered: rows may be stored that were read this long ago. */
  readonly leaseMs: number
}

/** What a read may do with the store. */
export interface RegisterSnapshot {
  /** The epoch that stored rows must carry to count; null while none counts. */
  readonly epoch: string | null
  /**
   * The existence epoch, which stands for the set of existing rows. Negative entries and the ids of lookups must carry it to
   * count; null while none counts. It is null whenever {@link epoch} is.
   */
  readonly existence: string | null
  /** Whether rows may be stored. */
  readonly mayFill: boolean
  /** {@link EpochRegister.losses} at its time: what is read from the store after another loss does not count under it. */
  readonly losses: number
}

/** The age at which this process's entry is extended. */
const heartbeatMs = 30_000

/** Entries outlive the rows of their process by this time, so that no writer misses the fingerprint of a running process. */
const marginMs = 3 * heartbeatMs

/** The snapshots of one view, catalogue epoch and database, created once instead of for each read. */
interface Snapshots {
  readonly view: RegisterView
  readonly catalogueEpoch: string
  readonly mark: string
  readonly filling: RegisterSnapshot
  readonly reading: RegisterSnapshot
}

/**
 * What all processes know of a model, in one key of the store: the epoch of its rows, the existence epoch, the fences of writers of
 * unknown rows, and the fingerprints whose rows may be stored. Each tick reads it. It is one key, so that no part is lost alone:
 * without it no stored row counts, and none is stored before it exists again with this process's fingerprint.
 */
export class EpochRegister {
  readonly #store: Store
  readonly #catalogue: Catalogue
  readonly #database: EpochRegisterOptions['database']
  readonly #cache: RegisteredCache
  readonly #times: RegisterTimes
  readonly #replicas: number
  readonly #onJoining: (ms: number) => void
  #view: RegisterView | undefined
  #snapshots: Snapshots | undefined
  #joining: Promise<boolean> | undefined
  #extending: Promise<void> | undefined
  #joinedAtMs = -Infinity
  #hasReportedJoining = false
  /** How many changes the store has answered. */
  #changes = 0

  constructor({ store, catalogue, database, cache, times, replicas, onJoining }: EpochRegisterOptions) {
    this.#store = store
    this.#catalogue = catalogue
    this.#database = database
    this.#cache = cache
    this.#times = times
    this.#replicas = replicas
    this.#onJoining = onJoining
  }

  /** The fingerprints whose rows may be in the store, as of the last read. */
  get fingerprints(): readonly string[] {
    return [...(this.#view?.fingerprints ?? [])]
  }

  /** How often the epochs that this process knew have been replaced, because a server started with old data or lost the catalogue. */
  get losses(): number {
    return this.#catalogue.losses
  }

  /** Milliseconds until this process may store rows, because writers may not know its cache yet; 0 if it need not wait. */
  get joiningForMs(): number {
    const fromMs = this.#catalogue.storableFromMs(this.#cache.entry, this.#times.writesMs) ?? 0
    return Math.max(0, fromMs - performance.now())
  }

  /** @throws StoreError if it cannot be read */
  async read(): Promise<RegisterSnapshot> {
    const changes = this.#changes
    const reading = awaitedLater(this.#catalogue.readEpoch())
    await this.#refresh()
    const epoch = await reading
    const isRegistered = this.#view?.fingerprints.has(this.#cache.fingerprint)
    const isListed = this.#catalogue.has(this.#cache.entry) && isRegistered
    const ageMs = performance.now() - this.#joinedAtMs
    if (epoch === null || epoch !== this.#catalogue.epoch || !isListed || ageMs > marginMs) {
      // Joining reads the catalogue epoch as well, in the course of this read.
      const isOlder = isRegistered === false && ageMs <= marginMs && changes === this.#changes
      if (!(await this.join(isOlder))) return emptySnapshot
    } else if (this.#view?.isFenced) await this.#extend()
    // Extending drops expired fences. Rows need not wait for a fence of the existence.
    else if (ageMs > heartbeatMs || this.#view?.existence === null) void this.#extend()
    return this.#snapshot()
  }

  /**
   * As {@link read}, for rows that were read from their source before, less than `leaseMs` ago. They must not be stored under the
   * epoch of a write that may have followed.
   *
   * @throws StoreError
   */
  async readForLoaded(): Promise<RegisterSnapshot> {
    await this.read()
    // Only a change returns the store's time.
    const nowMs = await this.#change()
    // The store may have lost what it remembered of writes.
    const fromMs = this.#catalogue.storableFromMs(this.#cache.entry, this.#times.leaseMs) ?? Infinity
    if (performance.now() < fromMs) return emptySnapshot
    return this.#view!.markMs > nowMs ? emptySnapshot : this.#snapshot()
  }

  /**
   * Lists the cache in the catalogue and its fingerprint in the register, so that rows may be stored. Never rejects.
   *
   * @param isOlder whether the register is from before this process joined, since a replica that lacked that is the primary now.
   *   Others may have taken the cache from the catalogue, and written rows without knowing of it: so all rows get a new epoch
   * @returns whether it is listed
   */
  join(isOlder = false): Promise<boolean> {
    return (this.#joining ??= this.#join(isOlder).finally(() => (this.#joining = undefined)))
  }

  async #join(isOlder: boolean): Promise<boolean> {
    const catalogue = this.#catalogue
    const { entry, name } = this.#cache
    try {
      if (isOlder) await this.#replaceEpoch()
      // Once before the fingerprint is registered, because writers follow the catalogue, and once after it, because clean-up follows
      // the fingerprints.
      await catalogue.describe(entry)
      const entries = [...catalogue.entries]
      const nowMs = await this.#change(this.#replicas)
      await catalogue.describe(entry)
      // A register that was lost does not list running processes until they have read it; they may go on without for the margin.
      const { fingerprints, sinceMs } = this.#view!
      if (nowMs - sinceMs > marginMs) await catalogue.removeUnused(name, fingerprints, entries)
      this.#reportJoining()
      return true
    } catch {
      return false
    }
  }

  /** @throws StoreError */
  async #replaceEpoch(): Promise<void> {
    const consistency = { leaseMs: this.#times.leaseMs, replicas: this.#replicas }
    const writer = new RegisterWriter(this.#store, this.#cache.registerKey, consistency)
    await writer.release('', 0, 'all')
  }

  #reportJoining(): void {
    if (this.joiningForMs === 0 || this.#hasReportedJoining || this.losses > 0) return
    this.#hasReportedJoining = true
    this.#onJoining(this.joiningForMs)
  }

  /** Extends the life of the fingerprint and drops expired parts. Never rejects: after a failure the next read tries again. */
  #extend(): Promise<void> {
    return (this.#extending ??= this.#change()
      .then(
        () => {},
        () => {},
      )
      .finally(() => (this.#extending = undefined)))
  }

  /** @returns the store's time */
  async #change(replicas = 0): Promise<number> {
    const { fingerprint, registerKey } = this.#cache
    const askedAtMs = performance.now()
    const lifeMs = this.#times.rowLifeMs + marginMs
    const join = { kind: 'join', fingerprint, lifeMs, markMs: this.#times.leaseMs, replicas } as const
    const { text, nowMs } = await this.#store.change(registerKey, join)
    this.#parse(text)
    this.#changes++
    this.#joinedAtMs = askedAtMs
    return nowMs
  }

  async #refresh(): Promise<void> {
    const changes = this.#changes
    const [text = null] = await this.#store.getMany([this.#cache.registerKey])
    if (text !== null) return this.#parse(text)
    // Reads and changes have connections of their own, so the change that created the register may have overtaken this answer.
    if (changes !== this.#changes) return this.#refresh()
    this.#view = undefined
  }

  #snapshot(): RegisterSnapshot {
    const view = this.#view
    const catalogue = this.#catalogue
    const catalogueEpoch = catalogue.epoch
    const { mark } = this.#database
    if (!view || view.isFenced || catalogueEpoch === null || mark === undefined) return emptySnapshot
    const { losses } = catalogue
    const last = this.#snapshots
    const isSame = last?.view === view && last.catalogueEpoch === catalogueEpoch && last.mark === mark
    if (!isSame || last.filling.losses !== losses) {
      const { epoch, existence } = epochsOf(view, catalogueEpoch, mark)
      this.#snapshots = {
        view,
        catalogueEpoch,
        mark,
        filling: { epoch, existence, mayFill: true, losses },
        reading: { epoch, existence, mayFill: false, losses },
      }
    }
    const nowMs = performance.now()
    const mayFill =
      view.fingerprints.has(this.#cache.fingerprint) &&
      nowMs >= (catalogue.storableFromMs(this.#cache.entry, this.#times.writesMs) ?? Infinity) &&
      nowMs - this.#joinedAtMs <= marginMs
    return mayFill ? this.#snapshots!.filling : this.#snapshots!.reading
  }

  #parse(text: string): void {
    // The next change replaces what is not a register.
    if (this.#view?.text !== text) this.#view = registerIn(text)
  }
}

/** The snapshot of a model without a readable register. */
export const emptySnapshot: RegisterSnapshot = {
  epoch: null,
  existence: null,
  mayFill: false,
  losses: 0,
}
