/** Knows whether the standby that rows are loaded from has what was committed on its primary. */
export interface StandbyReplay {
  /**
   * Resolves with true once the standby has everything that was committed before the call, and with false when that takes too long, cannot
   * be determined, or the signal ends the wait. Never rejects.
   */
  passed(signal: AbortSignal): Promise<boolean>
}

/** Lets the fences of committed writes stand until the standby has these writes: until then, rows that it has are old. */
export class StandbyFences {
  readonly #replay: StandbyReplay
  readonly #ending = new Set<Promise<void>>()
  readonly #stop = new AbortController()

  constructor(replay: StandbyReplay) {
    this.#replay = replay
  }

  /** Calls `end` later. If the standby may not have the write by then, its fences stand for another `fenceMs`. */
  hold(end: (end: 'known' | 'unknown') => Promise<void>): void {
    const ending = this.#replay
      .passed(this.#stop.signal)
      .then((hasPassed) => end(hasPassed ? 'known' : 'unknown'))
      .finally(() => this.#ending.delete(ending))
    this.#ending.add(ending)
  }

  /** Resolves once no fence is held. */
  async ended(): Promise<void> {
    await Promise.all(this.#ending)
  }

  async stop(): Promise<void> {
    this.#stop.abort()
    await this.ended()
  }
}
