import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Defect } from '../defects.ts'
import { startProcess, type Process } from '../bench/harness.ts'
import { FaultyWire } from '../servers/faulty-wire.ts'
import type { Following } from './follow-process.ts'

/** One follower, behind a wire of its own to the database. */
export interface FollowerProcess {
  readonly process: Process<Following>
  readonly wire: FaultyWire
  /** Whether it answers: it is neither stopped nor dead. */
  isUp: boolean
}

export interface FleetOptions {
  readonly databaseUrl: string
  readonly valkeyUrl: string
  /** Undefined for temporary slots. */
  readonly slot: string | undefined
  /** Of the stores of all followers, in a rehearsal. */
  readonly defect?: Defect | undefined
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
    await Promise.all(Array.from({ length: size }, () => fleet.add()))
    return fleet
  }

  async add(): Promise<void> {
    const { databaseUrl, defect = '', slot = '', valkeyUrl } = this.#options
    const url = new URL(databaseUrl)
    const wire = await FaultyWire.start(Number(url.port))
    url.port = String(wire.port)
    const process = await startProcess<Following>(join(import.meta.dirname, 'follow-process.ts'), {
      args: [slot, defect],
      env: { DATABASE_URL: url.href, VALKEY_URL: valkeyUrl },
    })
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
      events: taken.reduce((all, { events }) => all + events, 0),
      messages: taken.flatMap(({ messages }) => messages),
      cpuUs: taken.reduce((all, { cpuUs }) => all + cpuUs, 0),
    }
  }

  /** Kills a follower. */
  async kill(follower: FollowerProcess): Promise<void> {
    this.#followers = this.#followers.filter((one) => one !== follower)
    process.kill(follower.process.pid, 'SIGKILL')
    await follower.process.stop()
    await follower.wire.close()
  }

  async stop(): Promise<void> {
    await Promise.all(this.#up.map(({ process }) => process.call('leave').catch(() => {})))
    await Promise.all(
      this.#followers.map(async ({ isUp, process: { pid, stop }, wire }) => {
        if (!isUp) process.kill(pid, 'SIGKILL')
        await stop()
        await wire.close()
      }),
    )
  }

  get #up(): readonly FollowerProcess[] {
    return this.#followers.filter(({ isUp }) => isUp)
  }
}
