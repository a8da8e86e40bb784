import { type CacheOf, modelCaches } from 'model-cache'
import type { ValkeyStore } from 'model-cache/advanced'
import type { FollowerReport } from 'model-cache/follow'
import type { Prisma } from '#prisma/client/client.js'
import type { Random } from '#prisma/demo/random.js'
import { machineTime } from '../clock.ts'
import type { Answer } from '../history/history.ts'
import { cityName, numbers, userId } from '../users.ts'
import { CITIES, type ReaderCall, rowOf, ROWS, SILENCE_MS } from './judge-reads.ts'

/** Of one read, at most. */
const MOST_ROWS = 12
/** The channel of the follower's reports. */
const REPORTS = 'mc:{follow}'

const TTL_MS = 3_600_000

const { defineModelCache } = modelCaches<Prisma.TypeMap>()

/** The followed rows, with lists. */
export const defineUsers = (hasMemory: boolean) =>
  defineModelCache('User', {
    ttl: TTL_MS,
    follow: 'required',
    ...(hasMemory && { l1: { ttl: TTL_MS, maxEntries: 2 * ROWS } }),
    lists: { ofCity: { by: 'city', orderBy: { id: 'asc' }, caseSensitive: true } },
  })

export type UsersCache = CacheOf<ReturnType<typeof defineUsers>>
type User = Awaited<ReturnType<UsersCache['list']>>[number]
type Found = readonly [lookup: number, key: string, users: readonly (User | null)[]]

/** Reads rows and lists through a cache, and notes what was read and what the follower had reported by then. */
export class RecordedReads {
  readonly #cache: UsersCache
  readonly #random: Random
  #report: FollowerReport | undefined
  #heardAt = -Infinity
  #reads: ReaderCall[] = []

  constructor(cache: UsersCache, store: ValkeyStore, random: Random) {
    this.#cache = cache
    this.#random = random
    // The connection that the caches hear it by, at the same moment.
    const { subscriber } = store.messages
    subscriber!.on('message', (channel: string, message: string) => {
      if (channel !== REPORTS) return
      this.#report = JSON.parse(message) as FollowerReport
      this.#heardAt = machineTime()
    })
  }

  /** The last report; undefined where caches do not count as followed. */
  hear(): ReaderCall['report'] {
    const report = this.#report
    const ageMs = machineTime() - this.#heardAt
    const isFollowed = report?.state === 'following' && report.caches.length > 0
    return isFollowed && ageMs < SILENCE_MS
      ? { lagMs: report.lagMs + (report.standbyLagMs ?? 0), ageMs }
      : undefined
  }

  readRows(rows: readonly number[]): Promise<ReaderCall> {
    return this.#noting(async () => {
      const ids = rows.map(userId)
      const found = await this.#cache.getMany(ids)
      return ids.map((id, i): Found => [0, id, [found[i]!]])
    })
  }

  readCity(city: number): Promise<ReaderCall> {
    return this.#noting(async () => [[1, cityName(city), await this.#cache.list('ofCity', cityName(city))]])
  }

  /** Reads and records rows, or a list. */
  async readAny(mayBeList: boolean): Promise<void> {
    const random = this.#random
    const rows = Array.from({ length: random.integer(1, MOST_ROWS) }, () => random.integer(0, ROWS - 1))
    const readsList = mayBeList && random.chance(0.5)
    this.record(
      await (readsList ? this.readCity(random.integer(0, CITIES - 1)) : this.readRows([...new Set(rows)])),
    )
  }

  record(call: ReaderCall): void {
    this.#reads.push(call)
  }

  /** What was recorded since the last call. */
  take(): readonly ReaderCall[] {
    return this.#reads.splice(0)
  }

  /** Everything, by all lookups that are used. */
  async readAll(lists: boolean): Promise<readonly ReaderCall[]> {
    const all = [await this.readRows(numbers(ROWS))]
    if (lists) for (let city = 0; city < CITIES; city++) all.push(await this.readCity(city))
    return all
  }

  /** With the last report when it began. */
  async #noting(read: () => Promise<readonly Found[]>): Promise<ReaderCall> {
    const [said, at] = [this.hear(), machineTime()]
    const found = await read()
    const end = machineTime()
    const answers = found.map(([lookup, key, users]): Answer => {
      const rows = users.filter((user) => user !== null)
      return [lookup, key, at, end, rows.map(({ city, ...user }) => rowOf({ ...user, city: city! }))]
    })
    return { at, report: said ?? this.hear(), answers }
  }
}
