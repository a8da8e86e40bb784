import type { Death } from './protocol.ts'

/**
 * Ends the process by SIGKILL at a point of its work, but not while it has unfenced writes whose invalidation the store has
 * not taken: nothing is promised of those.
 */
export class OwnDeath {
  #at: Death | undefined
  #pending = 0

  order(at: Death): void {
    this.#at = at
    if (at === 'anywhere') this.passes('anywhere')
  }

  /** An unfenced write begins. */
  began(): void {
    this.#pending++
  }

  /** The store has taken the invalidations of that many unfenced writes. */
  taken(writes: number): void {
    this.#pending -= writes
    this.passes('anywhere')
  }

  isDueAt(point: Death): boolean {
    return this.#at === point && this.#pending === 0
  }

  passes(point: Death): void {
    if (this.isDueAt(point)) process.kill(process.pid, 'SIGKILL')
  }
}
