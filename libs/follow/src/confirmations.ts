import { setTimeout as delay } from 'node:timers/promises'

/** How often a position is confirmed at most. */
const confirmMs = 50

/** Confirms positions to a log: where they follow each other, the last one stands for those before. */
export class Confirmations {
  readonly #log: { confirm(position: bigint): unknown }
  readonly #over: AbortSignal
  #position = 0n
  #isConfirming = false

  /** @param over from then on, nothing is confirmed any more */
  constructor(log: { confirm(position: bigint): unknown }, over: AbortSignal) {
    this.#log = log
    this.#over = over
  }

  /** Never throws: what is not confirmed is sent again. */
  add(position: bigint): void {
    this.#position = position
    if (!this.#isConfirming) void this.#confirmAll().catch(() => {})
  }

  async #confirmAll(): Promise<void> {
    this.#isConfirming = true
    for (let last; last !== this.#position && !this.#over.aborted;) {
      last = this.#position
      await this.#log.confirm(last)
      await delay(confirmMs, undefined, { ref: false })
    }
    this.#isConfirming = false
  }
}
