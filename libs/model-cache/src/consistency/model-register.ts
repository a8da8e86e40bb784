import type { ChangedRegister, RegisterChange, Store } from '../store/store.js'
import { randomWord } from './token.js'

export interface ModelRegisterParts {
  readonly store: Store
  readonly key: string
  /** Of the rows that this process writes. */
  readonly fingerprint: string
  /** How long a row stays in the store, at most. */
  readonly rowLifeMs: number
  /** How long a fingerprint that is new among others waits before it fills: as long as a write of before may be under way. */
  readonly joinMs: number
  /** Told once when it begins to wait, for how long. */
  readonly onJoining: (ms: number) => void
}

/** What a read may do with the store. */
export interface Standing {
  /** Rows that are stored under another word do not count; null while none does. */
  readonly epoch: string | null
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
  readonly isFenced: boolean
  readonly fingerprints: ReadonlySet<string>
}

/**
 * What all processes know of a model, in one key of the store: the epoch of its rows, writers of unknown rows at work, and
 * the fingerprints whose rows may be there. It is read with each tick. One key, so that none of it is lost alone: without
 * it no row that is stored counts, and none is stored before it is there again, with this process's fingerprint in it.
 */
export class ModelRegister {
  readonly #parts: ModelRegisterParts
  #view: View | undefined
  #joining: Promise<void> | undefined
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

  /** Milliseconds until this process may store rows, as its fingerprint is new among others; 0 when it need not wait. */
  get joiningForMs(): number {
    return Math.max(0, this.#mayFillFromMs - performance.now())
  }

  /** @throws StoreError when it cannot be read */
  async read(): Promise<Standing> {
    await this.refresh()
    const isJoined = this.#view?.fingerprints.has(this.#parts.fingerprint) ?? false
    const ageMs = performance.now() - this.#joinedAtMs
    if (!isJoined || this.#view?.isFenced || ageMs > marginMs) await this.#join()
    else if (ageMs > heartbeatMs) void this.#join()
    return this.#standing()
  }

  /** @throws StoreError */
  async refresh(): Promise<void> {
    const [text = null] = await this.#parts.store.getMany([this.#parts.key])
    if (text === null) this.#view = undefined
    else this.#see(text)
  }

  /**
   * Lets no row of the model count or be stored from now on, until {@link settle}, or until the time is over.
   *
   * @throws StoreError
   */
  fence(token: string, fenceMs: number): Promise<void> {
    return this.#change({ kind: 'fence', token, fenceMs, epoch: randomWord() })
  }

  /**
   * Lets no row count that has been stored until now.
   *
   * @param token of the fence that ends; `''` for none
   * @throws StoreError
   */
  settle(token: string, holdMs: number): Promise<void> {
    return this.#change({ kind: 'settle', token, holdMs, epoch: randomWord() })
  }

  #standing(): Standing {
    const view = this.#view
    if (!view || view.isFenced) return noStanding
    const mayFill =
      view.fingerprints.has(this.#parts.fingerprint) &&
      performance.now() >= this.#mayFillFromMs &&
      performance.now() - this.#joinedAtMs <= marginMs
    return { epoch: view.epoch, mayFill }
  }

  /** Never rejects: who has not joined does not fill. */
  #join(): Promise<void> {
    const { fingerprint, rowLifeMs } = this.#parts
    const change = { kind: 'join', fingerprint, lifeMs: rowLifeMs + marginMs, epoch: randomWord() } as const
    return (this.#joining ??= this.#change(change)
      .catch(() => {})
      .finally(() => (this.#joining = undefined)))
  }

  async #change(change: RegisterChange): Promise<void> {
    const { key, store, joinMs, fingerprint } = this.#parts
    const askedAtMs = performance.now()
    const { text, nowMs }: ChangedRegister = await store.change(key, change)
    this.#see(text)
    if (change.kind !== 'join') return
    this.#joinedAtMs = askedAtMs
    const joined = Number(text.split(`${fingerprint}@`)[1]?.split('@')[0] ?? nowMs)
    const wasJoining = this.joiningForMs > 0
    this.#mayFillFromMs = performance.now() + Math.max(0, joined + joinMs - nowMs)
    if (!wasJoining && this.joiningForMs > 0) this.#parts.onJoining(this.joiningForMs)
  }

  #see(text: string): void {
    if (this.#view?.text === text) return
    const [epoch = '', fences = '', printed = ''] = text.split(';')
    const fingerprints = new Set(printed.split(' ').map((entry) => entry.split('@')[0]!))
    this.#view = { text, epoch, isFenced: fences !== '', fingerprints }
    fingerprints.delete('')
    this.#known = [...new Set([this.#parts.fingerprint, ...fingerprints])]
  }
}

/** Of a model of which nothing is known. */
export const noStanding: Standing = { epoch: null, mayFill: false }
