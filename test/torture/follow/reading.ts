import { NestFactory } from '@nestjs/core'
import { getModelCacheToken, MODEL_CACHE_STORE, modelCaches, type CacheOf } from 'model-cache'
import type { ValkeyStore } from 'model-cache/advanced'
import { followElsewhere, type FollowerReport } from '@model-cache/follow'
import type { Prisma } from '#prisma/client/client.js'
import { createRandom } from '#prisma/demo/random.js'
import { type ApplicationOptions, moduleOf } from '../application.ts'
import { machineTime } from '../clock.ts'
import { type Defect, inflict } from '../defects.ts'
import type { Answer } from '../history/history.ts'
import { Loops } from '../loops.ts'
import { cityName, numbers, userId } from '../users.ts'
import { CITIES, type ReaderCall, rowOf, ROWS, SILENCE_MS } from './judge-reads.ts'

/** How a reader keeps rows: in the store alone, or in a memory layer as well. */
export type ReaderKind = 'rows' | 'memory'

export interface ReadingOptions extends Omit<ApplicationOptions, 'definitions' | 'follow' | 'valkey'> {
  readonly kind: ReaderKind
  readonly valkeyUrl: string
  readonly readsLists: boolean
  /** Queries that it has sent, and those of rows to the primary, where the database is a standby. */
  readonly counts: { all: number; ofPrimary: number }
}

const LOOPS = 4
/** Of one read, at most. */
const MOST_ROWS = 12
/** The channel of the follower's reports. */
const REPORTS = 'mc:{follow}'
const TTL_MS = 3_600_000

const { defineModelCache } = modelCaches<Prisma.TypeMap>()

/** The followed rows, with lists. */
const defineUsers = (hasMemory: boolean) =>
  defineModelCache('User', {
    ttl: TTL_MS,
    follow: 'required',
    ...(hasMemory && { l1: { ttl: TTL_MS, maxEntries: 2 * ROWS } }),
    lists: { ofCity: { by: 'city', orderBy: { id: 'asc' }, caseSensitive: true } },
  })

type UsersCache = CacheOf<ReturnType<typeof defineUsers>>
type User = Awaited<ReturnType<UsersCache['list']>>[number]
type Found = readonly [lookup: number, key: string, users: readonly (User | null)[]]

/**
 * An application whose caches need a follower, and the methods by which a process reads through them. It records what was read, and what
 * the follower had reported by then.
 */
export async function openReading({ counts, kind, readsLists, valkeyUrl, ...options }: ReadingOptions) {
  const random = createRandom(`model-cache bench follow, ${kind}`)
  const users = defineUsers(kind === 'memory')
  const application = await NestFactory.createApplicationContext(
    moduleOf({
      ...options,
      valkey: { url: valkeyUrl },
      follow: followElsewhere(),
      definitions: { users },
    }),
    { logger: false },
  )
  const store = application.get<ValkeyStore>(MODEL_CACHE_STORE)
  const cache = application.get<UsersCache>(getModelCacheToken(users))
  let report: FollowerReport | undefined
  let sentAt = -Infinity
  /** How far the machine's clock is ahead of that of its follower, by its fastest report. */
  let aheadMs = Infinity
  // The connection that the caches hear it by, at the same moment.
  store.messages.subscriber!.on('message', (channel: string, message: string) => {
    if (channel !== REPORTS) return
    const said = JSON.parse(message) as FollowerReport
    const onItsWayMs = machineTime() - said.atMs
    aheadMs = said.follower === report?.follower ? Math.min(aheadMs, onItsWayMs) : onItsWayMs
    report = said
    sentAt = said.atMs + aheadMs
  })

  /** The last report; undefined where caches do not count as followed. */
  function hear(): ReaderCall['report'] {
    const ageMs = machineTime() - sentAt
    const isFollowed = report?.state === 'following' && report.caches.length > 0 && ageMs < SILENCE_MS
    return isFollowed ? { lagMs: report!.lagMs + (report!.standbyLagMs ?? 0), ageMs } : undefined
  }

  /** With the last report when it began. */
  async function noting(read: () => Promise<readonly Found[]>): Promise<ReaderCall> {
    const [said, at] = [hear(), machineTime()]
    const found = await read()
    const end = machineTime()
    const answers = found.map(([lookup, key, users]): Answer => {
      const rows = users.filter((user) => user !== null)
      return [lookup, key, at, end, rows.map(({ city, ...user }) => rowOf({ ...user, city: city! }))]
    })
    return { at, report: said ?? hear(), answers }
  }

  const readRows = (rows: readonly number[]): Promise<ReaderCall> =>
    noting(async () => {
      const ids = rows.map(userId)
      const found = await cache.getMany(ids)
      return ids.map((id, i): Found => [0, id, [found[i]!]])
    })

  const readCity = (city: number): Promise<ReaderCall> =>
    noting(async () => [[1, cityName(city), await cache.list('ofCity', cityName(city))]])

  /** Rows, or a list. */
  function readAny(): Promise<ReaderCall> {
    if (readsLists && random.chance(0.5)) return readCity(random.integer(0, CITIES - 1))
    const rows = numbers(random.integer(1, MOST_ROWS)).map(() => random.integer(0, ROWS - 1))
    return readRows([...new Set(rows)])
  }

  let recorded: ReaderCall[] = []
  let mend = (): void => {}
  let loops: Loops
  return {
    application,
    random,
    readRows,
    readCity,
    record: (call: ReaderCall): void => void recorded.push(call),
    methods: {
      /** What it lacks: it hears of no follower, or stores no rows, as a schema that is new among processes waits at first. */
      async lacks(): Promise<string[]> {
        try {
          await readRows([0])
          const before = counts.all
          await readRows([0])
          return [...(counts.all === before ? [] : ['stored rows']), ...(hear() ? [] : ['a report'])]
        } catch {
          return ['an answer']
        }
      },
      /** Gives its store a defect, until it is mended. */
      inflict(defect: Defect): void {
        mend = inflict(store, defect)
      },
      mend: () => mend(),
      start({ pauseMs }: { readonly pauseMs: number }): void {
        recorded = []
        counts.ofPrimary = 0
        // Reads fail while the database is away.
        loops = new Loops(random, () => {})
        loops.start(LOOPS, pauseMs, async () => void recorded.push(await readAny()))
      },
      /** What was read since the start. */
      async stopReading() {
        await loops.stop()
        return { reads: recorded, primaryQueries: counts.ofPrimary }
      },
      /** Everything, by all lookups that are used. */
      async readAll(): Promise<readonly ReaderCall[]> {
        const all = [await readRows(numbers(ROWS))]
        if (readsLists) for (const city of numbers(CITIES)) all.push(await readCity(city))
        return all
      },
    },
  }
}
