import type { Store } from '../store/store.js'
import type { Catalogue } from './catalogue.js'

export interface EpochRegisterParts {
  readonly store: Store
  readonly key: string
  /** Lists the cache, under this field, before it stores a row. */
  readonly catalogue: Catalogue
  readonly entry: string
  /** The cache's name. */
  readonly name: string
  /** Of the rows that this process stores. */
  readonly fingerprint: string
  /** How long a row stays in the store, at most. */
  readonly rowLifeMs: number
  /** How long a write may take that began before the cache was in the catalogue. */
  readonly fenceMs: number
  /** How long a write to the whole model is remembered: as long as ago rows may have been read that are to be stored. */
  readonly leaseMs: number
  /** Called once when it begins to wait for such writes, with the milliseconds. */
  readonly onJoining: (ms: number) => void
}

/** What a read may do with the store. */
export interface RegisterSnapshot {
  /** Rows that are stored under another word do not count; null while none does. */
  readonly epoch: string | null
  /**
   * The word under which it counts which rows there are: absences, and the ids of lookups. What is stored of these under
   * another word does not count; null while none does. It is null whenever {@link epoch} is.
   */
  readonly membership: string | null
  /** Whether rows may be stored. */
  readonly mayFill: boolean
}

/** How old this process's entry may get before it is prolonged. */
const heartbeatMs = 30_000

/** Entries outlive the rows of their process by this, so that no writer forgets one that is alive. */
const marginMs = 3 * heartbeatMs

interface View {
  readonly text: string
  readonly epoch: string
  /** Null while it is fenced. */
  readonly membership: string | null
  /** Until when a write to the whole model is remembered, by the clock of the store. */
  readonly markMs: number
  readonly isFenced: boolean
  readonly fingerprints: ReadonlySet<string>
}

/** What reads are given under a register and a word of the catalogue: made once, not for each read. */
interface Standings {
  readonly view: View
  readonly word: string
  readonly filling: RegisterSnapshot
  readonly reading: RegisterSnapshot
}

/**
 * What all processes know of a model, in one key of the store: the epoch of its rows, the membership word, writers of unknown rows at work, and
 * the fingerprints whose rows may be there. It is read with each tick. One key, so that none of it is lost alone: without
 * it no row that is stored counts, and none is stored before it is there again, with this process's fingerprint in it.
 */
export class EpochRegister {
  readonly #parts: EpochRegisterParts
  #view: View | undefined
  #standings: Standings | undefined
  #joining: Promise<boolean> | undefined
  #prolonging: Promise<void> | undefined
  #joinedAtMs = -Infinity
  #isWaitTold = false

  constructor(parts: EpochRegisterParts) {
    this.#parts = parts
  }

  /** Fingerprints whose rows may be in the store, as of the last read. */
  get fingerprints(): readonly string[] {
    return [...(this.#view?.fingerprints ?? [])]
  }

  /** Milliseconds until this process may store rows, as writers may not know of it yet; 0 when it need not wait. */
  get joiningForMs(): number {
    const { catalogue, entry, fenceMs } = this.#parts
    return Math.max(0, (catalogue.storableFromMs(entry, fenceMs) ?? 0) - performance.now())
  }

  /** @throws StoreError when it cannot be read */
  async read(): Promise<RegisterSnapshot> {
    const { catalogue, entry, fingerprint } = this.#parts
    const [word] = await Promise.all([catalogue.readWord(), this.#refresh()])
    const isListed = catalogue.has(entry) && (this.#view?.fingerprints.has(fingerprint) ?? false)
    const ageMs = performance.now() - this.#joinedAtMs
    if (word === null || word !== catalogue.word || !isListed || ageMs > marginMs) {
      // The word that it brings was read in the course of this read as well.
      if (!(await this.join())) return emptySnapshot
    } else if (this.#view?.isFenced) await this.#prolong()
    // It leaves out fences that are over; rows do not wait for one of the membership.
    else if (ageMs > heartbeatMs || this.#view?.membership === null) void this.#prolong()
    return this.#standing()
  }

  /**
   * As {@link read}, for rows that have been read from their source already, less than `leaseMs` ago: they must not be stored under the
   * epoch of a write that may have come after them.
   *
   * @throws StoreError
   */
  async readForLoaded(): Promise<RegisterSnapshot> {
    await this.read()
    // The time of the store comes with a change only.
    const nowMs = await this.#change()
    return this.#view!.markMs > nowMs ? emptySnapshot : this.#standing()
  }

  /**
   * Lists the cache in the catalogue and its fingerprint here, so that rows may be stored. Never rejects.
   *
   * @returns whether it is listed
   */
  join(): Promise<boolean> {
    return (this.#joining ??= this.#join().finally(() => (this.#joining = undefined)))
  }

  async #join(): Promise<boolean> {
    const { catalogue, name } = this.#parts
    try {
      // Before the fingerprint is here, as writers go by the catalogue; and after it, for who cleans up goes by the fingerprints.
      await catalogue.describe()
      const entries = [...catalogue.entries]
      await this.#change()
      await catalogue.describe()
      await catalogue.removeUnused(name, this.#view!.fingerprints, entries)
      this.#tellOfWait()
      return true
    } catch {
      return false
    }
  }

  #tellOfWait(): void {
    if (this.joiningForMs === 0 || this.#isWaitTold) return
    this.#isWaitTold = true
    this.#parts.onJoining(this.joiningForMs)
  }

  /** Keeps the fingerprint here, and leaves out what is over. Never rejects: where it fails, time tells. */
  #prolong(): Promise<void> {
    return (this.#prolonging ??= this.#change()
      .then(
        () => {},
        () => {},
      )
      .finally(() => (this.#prolonging = undefined)))
  }

  /** @returns the time of the store */
  async #change(): Promise<number> {
    const { fingerprint, key, leaseMs, rowLifeMs, store } = this.#parts
    const askedAtMs = performance.now()
    const lifeMs = rowLifeMs + marginMs
    const { text, nowMs } = await store.change(key, { kind: 'join', fingerprint, lifeMs, markMs: leaseMs })
    this.#see(text)
    this.#joinedAtMs = askedAtMs
    return nowMs
  }

  async #refresh(): Promise<void> {
    const [text = null] = await this.#parts.store.getMany([this.#parts.key])
    if (text === null) this.#view = undefined
    else this.#see(text)
  }

  #standing(): RegisterSnapshot {
    const { catalogue, entry, fenceMs, fingerprint } = this.#parts
    const view = this.#view
    const word = catalogue.word
    if (!view || view.isFenced || word === null) return emptySnapshot
    if (this.#standings?.view !== view || this.#standings.word !== word) {
      const epoch = `${view.epoch}.${word}`
      const membership = view.membership && `${view.membership}.${word}`
      this.#standings = {
        view,
        word,
        filling: { epoch, membership, mayFill: true },
        reading: { epoch, membership, mayFill: false },
      }
    }
    const nowMs = performance.now()
    const mayFill =
      view.fingerprints.has(fingerprint) &&
      nowMs >= (catalogue.storableFromMs(entry, fenceMs) ?? Infinity) &&
      nowMs - this.#joinedAtMs <= marginMs
    return mayFill ? this.#standings.filling : this.#standings.reading
  }

  #see(text: string): void {
    if (this.#view?.text === text) return
    const [epoch, membership, mark, fences, membershipFences, printed] = text.split(';')
    // Whatever else stands there is replaced by the next change.
    if (!epoch || !membership || printed === undefined) {
      this.#view = undefined
      return
    }
    const fingerprints = new Set(printed.split(' ').map((entry) => entry.split('@')[0]!))
    fingerprints.delete('')
    this.#view = {
      text,
      epoch,
      membership: membershipFences === '' ? membership : null,
      markMs: Number(mark),
      isFenced: fences !== '',
      fingerprints,
    }
  }
}

/** Of a model of which nothing is known. */
export const emptySnapshot: RegisterSnapshot = { epoch: null, membership: null, mayFill: false }
