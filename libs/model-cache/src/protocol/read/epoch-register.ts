import type { Store } from '../backend/store.js'
import type { Catalogue } from '../registry/catalogue.js'
import { handled } from '../write/handled.js'
import {
  epochsOf,
  registerIn,
  type RegisterView,
  fingerprintIn,
  extendAfterMs,
  listingMarginMs,
} from '../format/register.js'

export interface EpochRegisterOptions {
  readonly store: Store
  readonly catalogue: Catalogue
  /** The database that rows are loaded from: no stored value counts while its mark is undefined. */
  readonly database: { readonly mark: string | undefined }
  readonly registerKey: string
  readonly cache: RegisteredCache
  readonly times: RegisterTimes
  /** How many replicas must have acknowledged that the cache is listed. */
  readonly replicas: number
  /** Called once when the process begins to wait for writers that may not know the cache, with the milliseconds. */
  readonly onJoining: (ms: number) => void
  /** Called when the cache has been listed, or its listing extended. */
  readonly onListed: () => void
}

/** A cache as the catalogue and the register list it, until it is described otherwise. */
export interface RegisteredCache {
  /** The field of its entry in the catalogue. */
  readonly entry: string
  /** What the register lists; see `listingOf`. */
  readonly listing: string
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
  /**
   * Until when leases may be taken for that, in milliseconds by the store's clock; undefined while nothing may be stored. What is stored
   * under a later lease could outlive the listing of its description, and be served again after writers have forgotten it.
   */
  readonly leaseUntilMs?: number | undefined
  /** {@link EpochRegister.losses} at its time: what is read from the store after another loss does not count under it. */
  readonly losses: number
}

interface ChangedView {
  /** The time of the store. */
  readonly nowMs: number
  readonly view: RegisterView | undefined
}

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
 * unknown rows, and the listings of descriptions under which rows may be stored. Each tick reads it. It is one key, so that no part is
 * lost alone: without it no stored row counts, and none is stored before it exists again with this process's listing.
 *
 * A read counts by what the store has answered to it, or to a change that was sent after it began: the answer of an older one may be of the
 * time before a write that the read has to see.
 */
export class EpochRegister {
  readonly #options: EpochRegisterOptions
  /** The register as of the last answer. */
  #view: RegisterView | undefined
  #snapshots: Snapshots | undefined
  #joining: Promise<RegisterView | undefined> | undefined
  /** Whether {@link #joining} replaces the epoch. */
  #isReplacing = false
  #extending: Promise<RegisterView | undefined> | undefined
  #joinedAtMs = -Infinity
  /** As what this process has joined then. A cache that is described otherwise by now has not joined. */
  #joinedAs: string | undefined
  #hasReportedJoining = false
  /** How many changes the store has answered. */
  #changes = 0
  /** How many of them have listed the cache. */
  #joins = 0

  constructor(options: EpochRegisterOptions) {
    this.#options = options
  }

  /** The fingerprints whose rows may be in the store, as of the last read. */
  get fingerprints(): readonly string[] {
    return [...new Set([...(this.#view?.listings.keys() ?? [])].map(fingerprintIn))]
  }

  /** How often the epochs that this process knew have been replaced, because a server started with old data or lost the catalogue. */
  get losses(): number {
    return this.#options.catalogue.losses
  }

  /** Milliseconds until this process may store rows, because writers may not know its cache yet; 0 if it need not wait. */
  get joiningForMs(): number {
    const fromMs = this.#storableFromMs(this.#options.times.writesMs) ?? 0
    return Math.max(0, fromMs - performance.now())
  }

  #storableFromMs(writesMs: number): number | undefined {
    const { cache, catalogue } = this.#options
    return catalogue.storableFromMs(cache.entry, writesMs)
  }

  /** @throws StoreError if it cannot be read */
  async read(): Promise<RegisterSnapshot> {
    const { cache, catalogue } = this.#options
    const joins = this.#joins
    const reading = handled(catalogue.readEpoch())
    const view = await this.#refresh()
    const epoch = await reading
    const isDescribed = epoch !== null && epoch === catalogue.epoch && catalogue.has(cache.entry)
    const ageMs = this.#joinedAs === cache.listing ? performance.now() - this.#joinedAtMs : Infinity
    if (!isDescribed || !view?.listings.has(cache.listing) || ageMs > listingMarginMs)
      return this.#readJoined(view?.listings.has(cache.listing) === false && joins === this.#joins, ageMs)
    // Extending drops expired fences. Rows need not wait for a fence of the existence.
    if (view.isFenced) return this.#snapshot(await this.#extendAgain())
    if (ageMs > extendAfterMs || view.existence === null) void this.#extend()
    return this.#snapshot(view)
  }

  /**
   * Joins, and reads the catalogue epoch as well, in the course of a read.
   *
   * @param isUnlisted whether the read has found a register that does not list the cache, and no join has ended since
   */
  async #readJoined(isUnlisted: boolean, ageMs: number): Promise<RegisterSnapshot> {
    const isOwn = this.#joining === undefined
    const joined = await this.#joinOnce(isUnlisted && ageMs <= listingMarginMs)
    return joined ? this.#snapshot(isOwn ? joined : await this.#refresh()) : emptySnapshot
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
    const { nowMs, view } = await this.#change('extend')
    // The store may have lost what it remembered of writes.
    const fromMs = this.#storableFromMs(this.#options.times.leaseMs) ?? Infinity
    if (performance.now() < fromMs) return emptySnapshot
    return !view || view.markMs > nowMs ? emptySnapshot : this.#snapshot(view)
  }

  /**
   * Lists the cache in the catalogue and in the register, so that rows may be stored. Never rejects.
   *
   * @param isOlder whether the register does not list the cache although this process has joined a short while ago: a replica that
   *   lacked that is the primary now, or the clock of the server has leapt. Others may have taken the cache from the catalogue, and
   *   written rows without knowing of it: so all rows get a new epoch
   * @returns whether it is listed
   */
  async join(isOlder = false): Promise<boolean> {
    return (await this.#joinOnce(isOlder)) !== undefined
  }

  async #joinOnce(isOlder: boolean): Promise<RegisterView | undefined> {
    // One that keeps the epoch would list the cache again under it, and nothing would show any more that the register is older.
    if (isOlder) while (this.#joining && !this.#isReplacing) await this.#joining
    if (this.#joining) return this.#joining
    this.#isReplacing = isOlder
    return (this.#joining = this.#join(isOlder).finally(() => (this.#joining = undefined)))
  }

  async #join(isOlder: boolean): Promise<RegisterView | undefined> {
    const { cache, catalogue, onListed, replicas } = this.#options
    try {
      if (isOlder) await this.#replaceEpoch()
      // Once before the register lists it, because writers follow the catalogue, and once after it, because clean-up follows the
      // register.
      await catalogue.describe(cache.entry)
      const { view } = await this.#change('join', replicas)
      await catalogue.describe(cache.entry)
      this.#reportJoining()
      onListed()
      return view
    } catch {
      return undefined
    }
  }

  /** @throws StoreError */
  async #replaceEpoch(): Promise<void> {
    const { registerKey, replicas, store, times } = this.#options
    const change = { kind: 'release', scope: 'all', token: '', holdMs: 0, markMs: times.leaseMs } as const
    await store.change(registerKey, { ...change, replicas })
  }

  #reportJoining(): void {
    if (this.joiningForMs === 0 || this.#hasReportedJoining || this.losses > 0) return
    this.#hasReportedJoining = true
    this.#options.onJoining(this.joiningForMs)
  }

  /**
   * Extends the life of the listing and drops expired parts. Never rejects: after a failure it resolves with undefined, and the next read
   * tries again.
   */
  #extend(): Promise<RegisterView | undefined> {
    return (this.#extending ??= this.#change('extend')
      .then(
        ({ view }) => {
          this.#options.onListed()
          return view
        },
        () => undefined,
      )
      .finally(() => (this.#extending = undefined)))
  }

  /** Extends the register, as {@link #extend} does, by a change that is sent after this call. */
  async #extendAgain(): Promise<RegisterView | undefined> {
    await this.#extending
    return this.#extend()
  }

  /**
   * Extends the listing, or adds it for `join`: one that has expired must not come back before the cache is described again.
   */
  async #change(kind: 'join' | 'extend', replicas = 0): Promise<ChangedView> {
    const { cache, registerKey, store, times } = this.#options
    const { listing } = cache
    const askedAtMs = performance.now()
    const change = {
      kind,
      listing,
      lifeMs: this.#storedMs + listingMarginMs,
      markMs: times.leaseMs,
      replicas,
    } as const
    const { text, nowMs } = await store.change(registerKey, change)
    const view = this.#parse(text)
    this.#changes++
    if (kind === 'join') this.#joins++
    if (view?.listings.has(listing)) {
      this.#joinedAtMs = askedAtMs
      this.#joinedAs = listing
    }
    return { nowMs, view }
  }

  /** How long what is stored under a lease lives at most, from the moment in which it is taken. */
  get #storedMs(): number {
    const { leaseMs, rowLifeMs } = this.#options.times
    return leaseMs + rowLifeMs
  }

  /** Reads the register again; undefined if there is none. */
  async #refresh(): Promise<RegisterView | undefined> {
    const changes = this.#changes
    const { registerKey, store } = this.#options
    const [text = null] = await store.getMany([registerKey])
    if (text !== null) return this.#parse(text)
    // Reads and changes have connections of their own, so the change that created the register may have overtaken this answer.
    if (changes !== this.#changes) return this.#refresh()
    return (this.#view = undefined)
  }

  #snapshot(view: RegisterView | undefined): RegisterSnapshot {
    const { cache, catalogue, database, times } = this.#options
    const catalogueEpoch = catalogue.epoch
    const { mark } = database
    const listedUntilMs = view?.listings.get(cache.listing)
    if (!view || view.isFenced || listedUntilMs === undefined) return emptySnapshot
    if (catalogueEpoch === null || mark === undefined) return emptySnapshot
    const { losses } = catalogue
    const last = this.#snapshots
    const isSame = last?.view === view && last.catalogueEpoch === catalogueEpoch && last.mark === mark
    if (!isSame || last.filling.losses !== losses) {
      const { epoch, existence } = epochsOf(view, catalogueEpoch, mark)
      this.#snapshots = {
        view,
        catalogueEpoch,
        mark,
        filling: { epoch, existence, mayFill: true, leaseUntilMs: listedUntilMs - this.#storedMs, losses },
        reading: { epoch, existence, mayFill: false, losses },
      }
    }
    const nowMs = performance.now()
    const mayFill =
      nowMs >= (this.#storableFromMs(times.writesMs) ?? Infinity) &&
      nowMs - this.#joinedAtMs <= listingMarginMs
    return mayFill ? this.#snapshots!.filling : this.#snapshots!.reading
  }

  /** Undefined for what is not a register, which the next change replaces. */
  #parse(text: string): RegisterView | undefined {
    if (this.#view?.text !== text) this.#view = registerIn(text)
    return this.#view
  }
}

/** The snapshot of a model without a readable register. */
export const emptySnapshot: RegisterSnapshot = {
  epoch: null,
  existence: null,
  mayFill: false,
  losses: 0,
}
