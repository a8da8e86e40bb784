import { setTimeout as sleep } from 'node:timers/promises'
import { type Process, sum } from '../bench/harness.ts'
import { start } from '../process.ts'
import { FaultyWire } from '../servers/faulty-wire.ts'
import { numbers } from '../users.ts'
import type { FollowerSettings, Following } from './follow-process.ts'

/** One follower, in a session of its own. */
export interface FollowerProcess {
  readonly process: Process<Following>
  /** Undefined if it reaches the database directly. */
  readonly wire: FaultyWire | undefined
  /** Whether it answers: it is neither stopped nor dead. */
  isUp: boolean
}

export interface FleetOptions extends FollowerSettings {
  /** Whether each is behind a wire of its own to the database: for faults, as it costs time. */
  readonly isWired?: boolean
}

/** Deadline for somebody to follow. */
const PATIENCE_MS = 30_000

/** The followers of a namespace: one leads, the others stand by. */
export class Fleet {
  readonly #options: FleetOptions
  #followers: readonly FollowerProcess[] = []

  private constructor(options: FleetOptions) {
    this.#options = options
  }

  static async start(options: FleetOptions, size: number): Promise<Fleet> {
    const fleet = new Fleet(options)
    await Promise.all(numbers(size).map(() => fleet.add()))
    return fleet
  }

  async add(): Promise<void> {
    const { isWired = false, ...settings } = this.#options
    const { url, wire } = isWired ? await FaultyWire.to(settings.databaseUrl) : { url: settings.databaseUrl }
    const own = { ...settings, databaseUrl: url }
    const process = await start<Following>(import.meta.dirname, 'follow-process.ts', own, { detached: true })
    void process.exited.then(() => wire?.close())
    this.#followers = [...this.#followers, { process, wire, isUp: true }]
  }

  /** The follower that was the last to take over, and when. @throws when there is none in time */
  async leader(since = -Infinity): Promise<{ readonly follower: FollowerProcess; readonly at: number }> {
    const end = performance.now() + PATIENCE_MS
    while (performance.now() < end) {
      const looks = await Promise.all(
        this.#up.map(async (follower) => ({ follower, ...(await follower.process.call('look')) })),
      )
      const [last] = looks
        .flatMap(({ follower, takeovers }) => takeovers.map((at) => ({ follower, at })))
        .toSorted((one, other) => other.at - one.at)
      if (last && last.at > since && looks.some(({ report }) => report?.state === 'following')) return last
      await sleep(20)
    }
    throw new Error(`Nobody has followed within ${PATIENCE_MS} ms.`)
  }

  /** When followers have taken over. */
  async takeovers(): Promise<number[]> {
    const looks = await Promise.all(this.#up.map(({ process }) => process.call('look')))
    return looks.flatMap(({ takeovers }) => takeovers)
  }

  /** What the followers did since the last call, in sum. */
  async take() {
    const taken = await Promise.all(this.#up.map(({ process }) => process.call('take')))
    return {
      lagsMs: taken.flatMap(({ lagsMs }) => lagsMs),
      events: sum(taken.map(({ events }) => events)),
      messages: taken.flatMap(({ messages }) => messages),
      cpuUs: sum(taken.map(({ cpuUs }) => cpuUs)),
    }
  }

  async kill(follower: FollowerProcess): Promise<void> {
    this.#followers = this.#followers.filter((one) => one !== follower)
    follower.process.signal('SIGKILL')
    await follower.process.exited
  }

  /** Ends all, and starts as many others. */
  async replaceAll(meanwhile: () => Promise<void>): Promise<void> {
    const size = this.#followers.length
    await this.stop()
    await meanwhile()
    this.#followers = []
    await Promise.all(numbers(size).map(() => this.add()))
    await this.leader()
  }

  async stop(): Promise<void> {
    await Promise.all(this.#up.map(({ process }) => process.call('leave').catch(() => {})))
    await Promise.all(
      this.#followers.map(({ isUp, process }) => {
        if (!isUp) process.signal('SIGKILL')
        return process.stop()
      }),
    )
  }

  get #up(): readonly FollowerProcess[] {
    return this.#followers.filter(({ isUp }) => isUp)
  }
}
