import { type FollowerReport, type FollowReports, type Messages, randomId } from 'model-cache/internal'
import { FollowerClock } from './follower-clock.js'

export interface FollowWatchOptions {
  /** The first part of every key. */
  readonly namespace: string
  /** Undefined where the store has one process. */
  readonly messages: Messages | undefined
  /** The lag above which caches do not count as followed. */
  readonly maxLagMs: number
}

/** How often the follower reports. */
export const reportMs = 500
/** After this time without a report nobody follows. */
const silenceMs = 2_500
/** How long a process that hears nothing waits for a message to itself. */
const probeMs = 1_000

/** Hears the reports of the follower, in every process. */
export class FollowWatch implements FollowReports {
  readonly id = randomId()
  readonly #options: FollowWatchOptions
  readonly #channel: string
  #report: FollowerReport | undefined
  #caches: ReadonlySet<string> = new Set()
  #heardAtMs = -Infinity
  #clock = new FollowerClock()
  #startedAtMs = Infinity
  #wasFollowing = false
  readonly #onResume = new Set<() => void>()
  #timer: NodeJS.Timeout | undefined
  #probe: (() => void) | undefined

  constructor(options: FollowWatchOptions) {
    this.#options = options
    this.#channel = `${options.namespace}:{follow}`
  }

  /** The last report of a follower; undefined if there is none from a moment ago. */
  get report(): FollowerReport | undefined {
    return performance.now() - this.#heardAtMs < silenceMs ? this.#report : undefined
  }

  /** How long this process has not heard a follower, in milliseconds. */
  get silentForMs(): number {
    return performance.now() - Math.max(this.#heardAtMs, this.#startedAtMs)
  }

  /** Whether changes of a cache are followed now, with a lag that is not too high. */
  isFollowed(layout: string): boolean {
    const { report } = this
    return report?.state === 'following' && report.lagMs <= this.#options.maxLagMs && this.#caches.has(layout)
  }

  /**
   * Calls a listener whenever a follower follows again, before anything counts as followed.
   *
   * @returns a function that removes it
   */
  onResume(listener: () => void): () => void {
    this.#onResume.add(listener)
    return () => void this.#onResume.delete(listener)
  }

  /** Starts listening. Never rejects, and does not keep the process alive. */
  async start(): Promise<void> {
    this.#startedAtMs = performance.now()
    const { messages } = this.#options
    if (!messages || this.#timer) return
    this.#timer = setInterval(() => void this.#subscribe(), silenceMs).unref()
    await this.#subscribe()
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer)
    this.#timer = undefined
    const { messages } = this.#options
    const ends = [
      messages?.unsubscribe(this.#channel, this.#receive),
      messages?.unsubscribe(this.#ownChannel),
    ]
    await Promise.all(ends.map((end) => end?.catch(() => {})))
  }

  /** Reports to all processes, this one among them. @throws StoreError */
  async publish(report: FollowerReport): Promise<void> {
    const { messages } = this.#options
    const text = JSON.stringify(report)
    this.#receive(text)
    await messages?.publish(this.#channel, text)
  }

  /** Whether this process receives messages at all. */
  async hears(): Promise<boolean> {
    const { messages } = this.#options
    if (!messages) return true
    try {
      await messages.subscribe(this.#ownChannel, this.#hear, () => {})
      const heard = new Promise<boolean>((resolve) => {
        this.#probe = () => resolve(true)
        setTimeout(resolve, probeMs, false).unref()
      })
      await messages.publish(this.#ownChannel, 'probe')
      return await heard
    } catch {
      return false
    }
  }

  readonly #hear = (): void => this.#probe?.()

  get #ownChannel(): string {
    return `${this.#channel}:${this.id}`
  }

  /** Subscribing again does nothing where the subscription stands. */
  async #subscribe(): Promise<void> {
    if (performance.now() - this.#heardAtMs < silenceMs) return
    await this.#options.messages?.subscribe(this.#channel, this.#receive, this.#lose).catch(() => {})
  }

  /** Silence before the connection was lost, or while it was away, does not tell whether somebody follows. */
  readonly #lose = (): void => {
    this.#startedAtMs = performance.now()
  }

  readonly #receive = (text: string): void => {
    const report = reportIn(text)
    if (!report) return
    const isSame = report.follower === this.#report?.follower
    if (!isSame) this.#clock = new FollowerClock()
    const heardAtMs = this.#clock.sentAtMs(report.atMs)
    const isFollowing = report.state === 'following' && report.lagMs <= this.#options.maxLagMs
    const wasFollowing = this.#wasFollowing && this.report !== undefined && isSame
    this.#report = report
    this.#heardAtMs = heardAtMs
    // What this process has held since before a gap may have been written in it.
    if (isFollowing && !wasFollowing) for (const resume of this.#onResume) resume()
    this.#wasFollowing = isFollowing
    this.#caches = new Set(report.caches)
  }
}

function reportIn(text: string): FollowerReport | undefined {
  try {
    const { atMs, caches, follower, isStandby, lagBytes, lagMs, standbyLagMs, state } = Object(
      JSON.parse(text),
    ) as Record<string, unknown>
    const isReport =
      typeof follower === 'string' &&
      (state === 'opening' || state === 'following' || state === 'resigned') &&
      typeof atMs === 'number' &&
      typeof lagMs === 'number' &&
      typeof lagBytes === 'number' &&
      Array.isArray(caches)
    return isReport
      ? {
          follower,
          state,
          atMs,
          lagMs,
          lagBytes,
          isStandby: isStandby === true,
          standbyLagMs: lagIn(standbyLagMs),
          caches: caches as string[],
        }
      : undefined
  } catch {
    return undefined
  }
}

function lagIn(value: unknown): number | null {
  return typeof value === 'number' ? value : null
}
