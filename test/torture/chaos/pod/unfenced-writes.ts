import type { OwnDeath } from './own-death.ts'
import type { WriteSteps } from './write-steps.ts'
import type { TrackedStore } from './tracked-store.ts'

/** The unfenced writes whose invalidation the store has not taken yet. Until it has, nothing is promised of them. */
export class UnfencedWrites {
  readonly #death: OwnDeath
  readonly #store: TrackedStore
  #ended = 0

  constructor(death: OwnDeath, store: TrackedStore) {
    this.#death = death
    this.#store = store
  }

  /** Whether the store has taken all invalidations. */
  get areTaken(): boolean {
    return this.#ended === 0 && this.#store.isCaughtUp
  }

  began(): void {
    this.#death.began()
  }

  rolledBack(): void {
    this.#death.taken(1)
  }

  ended({ isReleased }: WriteSteps): void {
    if (isReleased || this.#store.isCaughtUp) this.#death.taken(1)
    else this.#ended++
  }

  /** The store has taken all pending invalidations. */
  caughtUp(): void {
    const taken = this.#ended
    this.#ended = 0
    this.#death.taken(taken)
  }
}
