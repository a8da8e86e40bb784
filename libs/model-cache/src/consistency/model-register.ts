import type { ChangedRegister, RegisterChange, RegisterScope, Store } from '../store/store.js'

export interface ModelRegisterParts {
  readonly store: Store
  readonly key: string
  /** Of the rows that this process writes. */
  readonly fingerprint: string
  /** How long a row stays in the store, at most. */
  readonly rowLifeMs: number
  /** How long a fingerprint that is new among others waits before it fills: as long as a write of before may be under way. */
  readonly joinMs: number
  /** How long a write to the whole model is remembered: as long as ago rows may have been read that are to be stored. */
  readonly leaseMs: number
}

/** What a read may do with the store. */
export interface Standing {
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
  /** What reads are given, as long as this process may store rows and while it may not. */
  readonly filling: Standing
  readonly reading: Standing
  /** Until when a write to the whole model is remembered, by the clock of the store. */
  readonly markMs: number
  readonly isFenced: boolean
  readonly isMembershipFenced: boolean
  readonly fingerprints: ReadonlySet<string>
}

/**
 * What all processes know of a model, in one key of the store: the epoch of its rows, the membership word, writers of unknown rows at work, and
 * the fingerprints whose rows may be there. It is read with each tick. One key, so that none of it is lost alone: without
 * it no row that is stored counts, and none is stored before it is there again, with this process's fingerprint in it.
 */
export class ModelRegister {
  readonly #parts: ModelRegisterParts
  #view: View | undefined
  #joining: Promise<unknown> | undefined
  #joinedAtMs = -Infinity
  #mayFillFromMs = 0
  /** Fingerprints that were there once: a writer counts them in even when the store has lost them. */
  #known: readonly string[]

  constructor(parts: ModelRegisterParts) {
    this.#parts = parts
    this.#known = [parts.fingerprint]
  }

  /** Fingerprints whose rows may be in the store, as far as is known now; this process's own is among them. */
  get fingerprints(): readonly string[] {
    return this.#known
  }

  /** @throws StoreError when it cannot be read */
  async read(): Promise<Standing> {
    await this.refresh()
    const isJoined = this.#view?.fingerprints.has(this.#parts.fingerprint) ?? false
    const ageMs = performance.now() - this.#joinedAtMs
    if (!isJoined || this.#view?.isFenced || ageMs > marginMs) await this.#join()
    // A join leaves out fences that are over; rows do not wait for one of the membership.
    else if (ageMs > heartbeatMs || this.#view?.isMembershipFenced) void this.#join()
    return this.#standing()
  }

  /**
   * As {@link read}, for rows that have been read from their source already, less than `leaseMs` ago: they must not be stored under the
   * epoch of a write that may have come after them.
   *
   * @throws StoreError
   */
  async readForLoaded(): Promise<Standing> {
    // The time of the store comes with a change only.
    const nowMs = await this.#change(this.#joinChange())
    return this.#view!.markMs > nowMs ? noStanding : this.#standing()
  }

  /** @throws StoreError */
  async refresh(): Promise<void> {
    const [text = null] = await this.#parts.store.getMany([this.#parts.key])
    if (text === null) this.#view = undefined
    else this.#see(text)
  }

  /**
   * Fences the model before a write to rows that are not known, until {@link settle}, or until `fenceMs` are over. Meanwhile
   * nothing of the scope counts or is stored: rows and absences for `'all'`, absences alone for `'membership'`.
   *
   * @throws StoreError
   */
  async fence(token: string, fenceMs: number, scope: RegisterScope): Promise<void> {
    await this.#change({ kind: 'fence', scope, token, fenceMs, markMs: this.#parts.leaseMs })
  }

  /**
   * Invalidates what has been stored of the scope until now, and releases the fence.
   *
   * @param token of the fence; `''` for none
   * @param holdMs how long the scope stays fenced all the same
   * @throws StoreError
   */
  async settle(token: string, holdMs: number, scope: RegisterScope): Promise<void> {
    await this.#change({ kind: 'settle', scope, token, holdMs, markMs: this.#parts.leaseMs })
  }

  #standing(): Standing {
    const view = this.#view
    if (!view || view.isFenced) return noStanding
    const nowMs = performance.now()
    const mayFill =
      view.fingerprints.has(this.#parts.fingerprint) &&
      nowMs >= this.#mayFillFromMs &&
      nowMs - this.#joinedAtMs <= marginMs
    return mayFill ? view.filling : view.reading
  }

  /** Never rejects: who has not joined does not fill. */
  #join(): Promise<unknown> {
    return (this.#joining ??= this.#change(this.#joinChange())
      .catch(() => {})
      .finally(() => (this.#joining = undefined)))
  }

  #joinChange(): RegisterChange {
    const { fingerprint, leaseMs, rowLifeMs } = this.#parts
    return { kind: 'join', fingerprint, lifeMs: rowLifeMs + marginMs, markMs: leaseMs }
  }

  /** @returns the time of the store */
  async #change(change: RegisterChange): Promise<number> {
    const { key, store, joinMs, fingerprint } = this.#parts
    const askedAtMs = performance.now()
    const { text, nowMs }: ChangedRegister = await store.change(key, change)
    this.#see(text)
    if (change.kind !== 'join') return nowMs
    this.#joinedAtMs = askedAtMs
    const joined = Number(text.split(`${fingerprint}@`)[1]?.split('@')[0] ?? nowMs)
    this.#mayFillFromMs = performance.now() + Math.max(0, joined + joinMs - nowMs)
    return nowMs
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
    const words = { epoch, membership: membershipFences === '' ? membership : null }
    this.#view = {
      text,
      filling: { ...words, mayFill: true },
      reading: { ...words, mayFill: false },
      markMs: Number(mark),
      isFenced: fences !== '',
      isMembershipFenced: membershipFences !== '',
      fingerprints,
    }
    fingerprints.delete('')
    this.#known = [...new Set([this.#parts.fingerprint, ...fingerprints])]
  }
}

/** Of a model of which nothing is known. */
export const noStanding: Standing = { epoch: null, membership: null, mayFill: false }
