import { setTimeout as sleep } from 'node:timers/promises'
import type { ModelCache } from 'model-cache'
import type pg from 'pg'
import type { FeatureFlags } from '#prisma/client/client.js'
import type { Random } from '#prisma/demo/random.js'
import type { OwnDeath } from './own-death.ts'
import { machineTime, cacheNames, type CacheName, type UnknownEnd, type Write } from './protocol.ts'
import { hotRowsOf, idOf, isByHand, reads } from './revisions.ts'
import { raiseWithPrisma, type PrismaDependencies } from './raise-with-prisma.ts'
import { raiseByHand, raiseRevisions, type Moments, type WriteDependencies } from './raise-revisions.ts'

type Cache = ModelCache<FeatureFlags, string>

export interface WorkloadDependencies extends WriteDependencies, PrismaDependencies {
  /** Empty in a worker. */
  readonly caches: ReadonlyMap<CacheName, Cache>
  /** For writes by hand. */
  readonly directPool: pg.Pool
  readonly rows: number
  readonly random: Random
  readonly death: OwnDeath
  readonly count: (name: string, times: number) => void
  readonly onRead: (cache: number, row: number, revision: number, start: number, end: number) => void
  /** Resolves when the report has been sent. */
  readonly onWritten: (write: Write | UnknownEnd) => Promise<void>
}

/** Part of the reads of the cache that all pods have which are queries of Prisma that it answers. */
const READ_BY_PRISMA = 0.3
const READERS = 6
const WRITERS = 5
/** Longest pause of a reader between reads, and of a writer between writes. */
const READ_PAUSE_MS = 40
const WRITE_PAUSE_MS = 60
/** Part of the writes that go through Prisma's extension; pods can also die right after the commit of the others. */
const BY_PRISMA = 0.4

/** Random reads and writes, concurrently. */
export class Workload {
  readonly #parts: WorkloadDependencies
  #isWorking = false
  #loops: Promise<unknown> = Promise.resolve()
  /** Unfenced writes whose invalidation the store has not taken yet. */
  #pending = 0

  constructor(parts: WorkloadDependencies) {
    this.#parts = parts
  }

  start(): void {
    this.#isWorking = true
    const readers = this.#parts.caches.size > 0 ? READERS : 0
    const loops = [
      ...Array.from({ length: readers }, () => this.#loop(READ_PAUSE_MS, () => this.#read())),
      ...Array.from({ length: WRITERS }, () => this.#loop(WRITE_PAUSE_MS, () => this.#write())),
    ]
    this.#loops = Promise.all(loops)
  }

  /** Resolves when all work is done and the store has taken all invalidations. */
  async rest(): Promise<void> {
    this.#isWorking = false
    await this.#loops
    while (this.#pending > 0 || !this.#parts.store.isCaughtUp) await sleep(20)
  }

  /** The store has taken all pending invalidations. */
  caughtUp(): void {
    this.#parts.death.taken(this.#pending)
    this.#pending = 0
  }

  async #loop(pauseMs: number, work: () => Promise<void>): Promise<void> {
    const { random, count } = this.#parts
    while (this.#isWorking) {
      await work().catch((error: Error) => count(`error ${error.name}`, 1))
      await sleep(random.integer(0, pauseMs))
    }
  }

  async #read(): Promise<void> {
    const { caches, onRead, random } = this.#parts
    const [name, cache] = random.pick([...caches])
    const wanted = this.#pick(random.integer(1, 12), (row) => reads(name, row))
    const byPrisma = name === cacheNames[0] && random.chance(READ_BY_PRISMA)
    const start = machineTime()
    const found = await (byPrisma ? this.#query(wanted) : this.#get(cache, wanted))
    const end = machineTime()
    for (const [i, row] of wanted.entries())
      onRead(cacheNames.indexOf(name), row, found[i]?.revision ?? -1, start, end)
  }

  async #get(cache: Cache, wanted: readonly number[]): Promise<readonly (FeatureFlags | null)[]> {
    if (wanted.length > 1) return cache.getMany(wanted.map(idOf))
    return [await cache.get(idOf(wanted[0]!))]
  }

  async #query(wanted: readonly number[]): Promise<readonly (FeatureFlags | null)[]> {
    const { featureFlags } = this.#parts.prisma
    if (wanted.length === 1) return [await featureFlags.findUnique({ where: { id: idOf(wanted[0]!) } })]
    const rows = await featureFlags.findMany({ where: { id: { in: wanted.map(idOf) } } })
    return wanted.map((row) => rows.find(({ id }) => id === idOf(row)) ?? null)
  }

  async #write(): Promise<void> {
    const { caches, count, death, onWritten, random } = this.#parts
    const kind = random.next()
    const size = random.chance(0.6) ? 1 : random.integer(2, 5)
    const cache = caches.get(cacheNames[0])
    if (cache && kind < 0.042) {
      const ids = this.#pick(size, isByHand).map(idOf)
      return this.#writeByHand(ids, () => (kind < 0.04 ? cache.invalidate(ids) : cache.invalidateAll()))
    }
    const ids = this.#pick(size).map(idOf)
    const plan = { ids, isUnknown: kind > 0.997, rollsBack: random.chance(0.08) }
    const moments = this.#moments()
    let write: Write | UnknownEnd | null = null
    try {
      write =
        random.chance(BY_PRISMA) && !plan.isUnknown
          ? await raiseWithPrisma(this.#parts, plan, moments)
          : await raiseRevisions(this.#parts, plan, moments)
    } finally {
      if (moments.isUnfenced && !write) death.taken(1)
    }
    if (!write) return count('rolled back', 1)
    // First, since the process may die right after.
    await onWritten(write)
    if (moments.isUnfenced) this.#noteEnd(write)
  }

  async #writeByHand(ids: readonly string[], invalidate: () => Promise<void>): Promise<void> {
    const { death, onWritten } = this.#parts
    death.began()
    const write = await raiseByHand(this.#parts, ids, invalidate).catch((error: unknown) => {
      death.taken(1)
      throw error
    })
    await onWritten(write)
    this.#noteEnd(write)
  }

  #noteEnd({ isReleased }: Write | UnknownEnd): void {
    const { death, store } = this.#parts
    if (isReleased || store.isCaughtUp) death.taken(1)
    else this.#pending++
  }

  #moments(): Moments & { isUnfenced: boolean } {
    const { death, onWritten, random } = this.#parts
    /** Sometimes widens the window between two steps. */
    const linger = async (): Promise<void> => {
      if (random.chance(0.1)) await sleep(random.integer(1, 80))
    }
    const moments = {
      isUnfenced: false,
      async fenced(isTaken: boolean) {
        moments.isUnfenced = !isTaken
        if (!isTaken) death.began()
        await linger()
        death.passes('fenced')
      },
      async committed(write: Write) {
        if (death.isDueAt('committed')) {
          await onWritten(write)
          death.passes('committed')
        }
        await linger()
      },
    }
    return moments
  }

  /** Different rows. */
  #pick(count: number, isFit: (row: number) => boolean = () => true): number[] {
    const { random, rows } = this.#parts
    const picked = new Set<number>()
    while (picked.size < count) {
      const row = random.integer(0, (random.chance(0.5) ? hotRowsOf(rows) : rows) - 1)
      if (isFit(row)) picked.add(row)
    }
    return [...picked]
  }
}
