import { setTimeout as sleep } from 'node:timers/promises'
import type { ModelCache } from 'model-cache'
import type pg from 'pg'
import type { FeatureFlags } from '#prisma/client/client.js'
import type { Random } from '#prisma/demo/random.js'
import type { OwnDeath } from './own-death.ts'
import { machineTime, cacheNames, type CacheName, type UnknownEnd, type Write } from './protocol.ts'
import { hotRowsOf, idOf, isByHand, reads } from './revisions.ts'
import { Loops } from './loops.ts'
import { raiseWithPrisma, type PrismaDependencies } from './raise-with-prisma.ts'
import { raiseByHand, raiseRevisions, type Moments, type WriteDependencies } from './raise-revisions.ts'
import type { UnfencedWrites } from './unfenced-writes.ts'

type Cache = ModelCache<FeatureFlags, string>

export interface WorkloadDependencies extends WriteDependencies, PrismaDependencies {
  /** Empty in a worker. */
  readonly caches: ReadonlyMap<CacheName, Cache>
  /** For writes by hand. */
  readonly directPool: pg.Pool
  readonly rows: number
  readonly random: Random
  readonly death: OwnDeath
  readonly unfenced: UnfencedWrites
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
  readonly #loops: Loops

  constructor(parts: WorkloadDependencies) {
    this.#parts = parts
    this.#loops = new Loops(parts)
  }

  start(): void {
    if (this.#parts.caches.size > 0) this.#loops.start(READERS, READ_PAUSE_MS, () => this.#read())
    this.#loops.start(WRITERS, WRITE_PAUSE_MS, () => this.#write())
  }

  /** Resolves when all work is done. */
  stop(): Promise<void> {
    return this.#loops.stop()
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
    const { caches, count, onWritten, random, unfenced } = this.#parts
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
      if (moments.isUnfenced && !write) unfenced.rolledBack()
    }
    if (!write) return count('rolled back', 1)
    // First, since the process may die right after.
    await onWritten(write)
    if (moments.isUnfenced) unfenced.ended(write)
  }

  async #writeByHand(ids: readonly string[], invalidate: () => Promise<void>): Promise<void> {
    const { onWritten, unfenced } = this.#parts
    unfenced.began()
    const write = await raiseByHand(this.#parts, ids, invalidate).catch((error: unknown) => {
      unfenced.rolledBack()
      throw error
    })
    await onWritten(write)
    unfenced.ended(write)
  }

  #moments(): Moments & { isUnfenced: boolean } {
    const { death, onWritten, random, unfenced } = this.#parts
    /** Sometimes widens the window between two steps. */
    const linger = async (): Promise<void> => {
      if (random.chance(0.1)) await sleep(random.integer(1, 80))
    }
    const moments = {
      isUnfenced: false,
      async fenced(isTaken: boolean) {
        moments.isUnfenced = !isTaken
        if (!isTaken) unfenced.began()
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
