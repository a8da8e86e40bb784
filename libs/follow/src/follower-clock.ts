/** How much two clocks may move apart from one report to the next, in milliseconds: those of hosts that nobody sets do so by seconds a day. */
const driftMs = 0.5
/** So many reports in a row that have taken about as long show the clock of the follower: with one each half second, ten seconds. */
const steadyReports = 20
/** How much longer or shorter one of them may have taken, in milliseconds. */
const steadyMs = 50

/**
 * The clock of a follower in another process, as far as its reports show it. A report that has been on its way for longer than others is
 * older than it seems, as after this process was suspended.
 *
 * The clock of a virtual machine stands still with it. All reports seem to take longer then, but by the same time.
 */
export class FollowerClock {
  /** How far the clock of this process is ahead, as far as the fastest reports say. */
  #leastAheadMs = Infinity
  /** How far ahead it is by the first of the last reports that took about as long, and below, by the fastest of them. */
  #steadyAheadMs = Infinity
  #leastSteadyMs = Infinity
  #steady = 0

  /** When a report was sent that has just arrived, by the clock of this process. @param atMs by that of the follower */
  sentAtMs(atMs: number): number {
    const aheadMs = performance.now() - atMs
    this.#leastAheadMs = Math.min(this.#leastAheadMs + driftMs, aheadMs)
    if (Math.abs(aheadMs - this.#steadyAheadMs) > steadyMs) {
      this.#steady = 0
      this.#steadyAheadMs = this.#leastSteadyMs = aheadMs
    }
    this.#leastSteadyMs = Math.min(this.#leastSteadyMs, aheadMs)
    if (++this.#steady >= steadyReports) this.#leastAheadMs = this.#leastSteadyMs
    return atMs + this.#leastAheadMs
  }
}
