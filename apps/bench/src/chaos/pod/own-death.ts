import type { Death } from './protocol.ts'

/**
 * Ends the process by SIGKILL at a point of its work. Not while there are writes that the store would never be told of then,
 * as they stood under no fence: what becomes of those nobody promises.
 */
export class OwnDeath {
  #at: Death | undefined
  #untold = 0

  order(at: Death): void {
    this.#at = at
    if (at === 'anywhere') this.passes('anywhere')
  }

  /** A write without a fence begins. */
  began(): void {
    this.#untold++
  }

  /** The store has been told of so many of them. */
  told(writes: number): void {
    this.#untold -= writes
    this.passes('anywhere')
  }

  isDueAt(point: Death): boolean {
    return this.#at === point && this.#untold === 0
  }

  passes(point: Death): void {
    if (this.isDueAt(point)) process.kill(process.pid, 'SIGKILL')
  }
}
