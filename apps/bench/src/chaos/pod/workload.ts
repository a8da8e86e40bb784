import { setTimeout as sleep } from 'node:timers/promises'
import type { ModelCache } from 'model-cache'
import type { FeatureFlags } from '#prisma/client/client.js'
import type { Random } from '#prisma/demo/random.js'
import { machineTime } from '../machine-time.ts'
import type { OwnDeath } from './own-death.ts'
import type { Write } from './protocol.ts'
import { idOf } from './revisions.ts'
import { raiseWithPrisma, type PrismaParts } from './raise-with-prisma.ts'
import { raiseByHand, raiseRevisions, type Moments, type WriteParts } from './raise-revisions.ts'

export interface WorkloadParts extends WriteParts, PrismaParts {
  readonly cache: ModelCache<FeatureFlags, string>
  readonly rows: number
  readonly random: Random
  readonly death: OwnDeath
  readonly count: (name: string, times: number) => void
  readonly onRead: (row: number, revision: number, start: number, end: number) => void
  /** Resolves when it has been reported. */
  readonly onWritten: (write: Write) => Promise<void>
}

const READERS = 6
const WRITERS = 5
/** Milliseconds between two reads of a reader, and two writes of a writer, at most. */
const READ_PAUSE_MS = 40
const WRITE_PAUSE_MS = 60
/** How many of the writes go through Prisma's extension; the others can also be killed right after their commit. */
const BY_PRISMA = 0.25
/** A tenth of the rows gets half of the work. */
const HOT = 0.1

/** Reads and writes at random, side by side. */
export class Workload {
  readonly #parts: WorkloadParts
  #isWorking = false
  #loops: Promise<unknown> = Promise.resolve()
  /** Writes without a fence that the store has not taken yet. */
  #untold: Write[] = []

  constructor(parts: WorkloadParts) {
    this.#parts = parts
  }

  start(): void {
    this.#isWorking = true
    const loops = [
      ...Array.from({ length: READERS }, () => this.#loop(READ_PAUSE_MS, () => this.#read())),
      ...Array.from({ length: WRITERS }, () => this.#loop(WRITE_PAUSE_MS, () => this.#write())),
    ]
    this.#loops = Promise.all(loops)
  }

  /** Resolves when all that was begun is done, and the store has been told of all that was written. */
  async rest(): Promise<void> {
    this.#isWorking = false
    await this.#loops
    while (this.#untold.length > 0) await sleep(20)
  }

  /** The store has been told of all invalidations that it had not taken. */
  caughtUp(): void {
    this.#parts.death.told(this.#untold.length)
    this.#untold = []
  }

  async #loop(pauseMs: number, work: () => Promise<void>): Promise<void> {
    const { random, count } = this.#parts
    while (this.#isWorking) {
      await work().catch((error: Error) => count(`error ${error.name}`, 1))
      await sleep(random.integer(0, pauseMs))
    }
  }

  async #read(): Promise<void> {
    const { cache, onRead, random } = this.#parts
    const wanted = this.#pick(random.integer(1, 12))
    const start = machineTime()
    const found = await (wanted.length === 1
      ? cache.get(idOf(wanted[0]!)).then((row) => [row])
      : cache.getMany(wanted.map(idOf)))
    const end = machineTime()
    for (const [i, row] of wanted.entries()) onRead(row, found[i]?.revision ?? -1, start, end)
  }

  async #write(): Promise<void> {
    const { cache, count, death, onWritten, random } = this.#parts
    const kind = random.next()
    const ids = this.#pick(random.chance(0.6) ? 1 : random.integer(2, 5)).map(idOf)
    if (kind < 0.04) return this.#writeByHand(ids, () => cache.invalidate(ids))
    if (kind < 0.042) return this.#writeByHand(ids, () => cache.invalidateAll())
    const plan = { ids, isUnknown: kind > 0.997, rollsBack: random.chance(0.08) }
    const moments = this.#moments()
    let write: Write | null = null
    try {
      write =
        random.chance(BY_PRISMA) && !plan.isUnknown
          ? await raiseWithPrisma(this.#parts, plan, moments)
          : await raiseRevisions(this.#parts, plan, moments)
    } finally {
      if (moments.isUnfenced && !write) death.told(1)
    }
    if (!write) return count('rolled back', 1)
    if (moments.isUnfenced) this.#toldOf(write)
    await onWritten(write)
  }

  async #writeByHand(ids: readonly string[], invalidate: () => Promise<void>): Promise<void> {
    const { death, onWritten } = this.#parts
    death.began()
    const write = await raiseByHand(this.#parts, ids, invalidate).catch((error: unknown) => {
      death.told(1)
      throw error
    })
    this.#toldOf(write)
    await onWritten(write)
  }

  #toldOf(write: Write): void {
    if (write.isSettled) this.#parts.death.told(1)
    else this.#untold.push(write)
  }

  #moments(): Moments & { isUnfenced: boolean } {
    const { death, onWritten, random } = this.#parts
    /** Widens the windows between two steps now and then. */
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
  #pick(count: number): number[] {
    const { random, rows } = this.#parts
    const hot = Math.ceil(rows * HOT)
    const picked = new Set<number>()
    while (picked.size < count) picked.add(random.integer(0, (random.chance(0.5) ? hot : rows) - 1))
    return [...picked]
  }
}
