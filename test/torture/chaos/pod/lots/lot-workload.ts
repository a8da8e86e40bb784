import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import type { Prisma, PrismaClient } from '#prisma/client/client.js'
import type { Random } from '#prisma/demo/random.js'
import { lookupsOf, type Release } from '../../lots/lookups.ts'
import type { LotAnswer, LotWrite } from '../../lots/protocol.ts'
import { Loops } from '../loops.ts'
import type { OwnDeath } from '../own-death.ts'
import { machineTime } from '../protocol.ts'
import type { UnfencedWrites } from '../unfenced-writes.ts'
import type { Watch, WatchedWrites } from '../watched-writes.ts'
import { changes, creations, deletions, type LotForm, type LotFormResult, sequences } from './lot-forms.ts'
import { type LotCache, readLookup } from './lot-cache.ts'
import type { LotPicks } from './lot-picks.ts'

export interface LotWorkloadDependencies {
  /** Undefined in a worker. */
  readonly cache: LotCache | undefined
  readonly release: Release
  /** Extended, with the watched writes. */
  readonly prisma: PrismaClient
  readonly watched: WatchedWrites
  /** Not through a wire. */
  readonly directPool: pg.Pool
  readonly picks: LotPicks
  readonly random: Random
  readonly death: OwnDeath
  readonly unfenced: UnfencedWrites
  readonly count: (name: string, times: number) => void
  readonly onRead: (answer: LotAnswer) => void
  /** Resolves when the report has been sent. */
  readonly onWritten: (write: LotWrite, end: 'known' | 'unknown') => Promise<void>
  /** First part of its tags. */
  readonly name: string
}

const READERS = 5
const WRITERS = 2
const READ_PAUSE_MS = 40
const WRITE_PAUSE_MS = 500
const LEARN_EVERY_MS = 200
/** Lots of a fundraiser on average: above only deletions follow, below only creations. */
const [FEW, MANY] = [5, 7]

/** Random reads of lists and unique keys, and random writes of their rows, concurrently. */
export class LotWorkload {
  readonly #parts: LotWorkloadDependencies
  readonly #loops: Loops
  #writes = 0

  constructor(parts: LotWorkloadDependencies) {
    this.#parts = parts
    this.#loops = new Loops(parts)
  }

  async start(): Promise<void> {
    const { cache, directPool, picks } = this.#parts
    await picks.refresh(directPool)
    this.#loops.start(1, LEARN_EVERY_MS, () => picks.refresh(directPool))
    if (cache) this.#loops.start(READERS, READ_PAUSE_MS, () => this.#read(cache))
    this.#loops.start(WRITERS, WRITE_PAUSE_MS, () => this.#write())
  }

  /** Resolves when all work is done. */
  stop(): Promise<void> {
    return this.#loops.stop()
  }

  async #read(cache: LotCache): Promise<void> {
    const { picks, random, release } = this.#parts
    const lookup = random.pick(lookupsOf(release))
    const keys = Array.from({ length: random.integer(1, 4) }, () => picks.key())
    for (const answer of await readLookup(cache, lookup, keys)) this.#parts.onRead(answer)
  }

  async #write(): Promise<void> {
    const { count, death, onWritten, unfenced, watched } = this.#parts
    const tag = `${this.#parts.name}-${++this.#writes}`
    let isFenced: boolean | undefined
    const watch: Watch = {
      onFenced: async (isTaken) => {
        if (!isTaken && isFenced !== false) unfenced.began()
        isFenced = isTaken && isFenced !== false
        await this.#linger()
        death.passes('fenced')
      },
      onEnded: async () => {
        death.passes('committed')
        await this.#linger()
      },
    }
    const written = (result: LotFormResult): LotWrite => ({
      fencedAt: isFenced ? watch.fencedAt : undefined,
      committedAt: watch.endedAt!,
      releasedAt: machineTime(),
      isReleased: watch.isReleased!,
      tag,
      deleted: [],
      ...result,
    })
    let ended: LotWrite | undefined
    try {
      const result = await watched.watch(watch, () => this.#perform(tag))
      ended = written(result)
      await onWritten(ended, 'known')
    } catch (error) {
      if (error instanceof RollBack) count('rolled back', 1)
      // Without a fence neither COMMIT nor a single statement has been sent.
      else if (watch.end !== 'unknown' || watch.fencedAt === undefined) throw error
      else {
        ended = written({ written: 0 })
        await onWritten(ended, 'unknown')
      }
    } finally {
      if (isFenced === false) {
        if (ended) unfenced.ended(ended)
        else unfenced.rolledBack()
      }
    }
  }

  async #perform(tag: string): Promise<LotFormResult> {
    const { picks, prisma, random } = this.#parts
    const form = (): LotForm => random.pick(this.#formsNow())
    const run = (client: Prisma.TransactionClient, one: LotForm) => one({ prisma: client, picks, tag })
    if (random.chance(0.6)) return run(prisma, form())
    if (random.chance(0.15)) return this.#performBatch(tag)
    return prisma.$transaction(async (client) => {
      const forms = random.chance(0.6) ? [random.pick(sequences)] : [form(), form()]
      const results: LotFormResult[] = []
      for (const one of forms) results.push(await run(client, one))
      if (random.chance(0.1)) throw new RollBack()
      return {
        written: Math.max(...results.map(({ written }) => written)),
        deleted: results.flatMap(({ deleted = [] }) => deleted),
      }
    })
  }

  async #performBatch(tag: string): Promise<LotFormResult> {
    const { picks, prisma } = this.#parts
    const data = () => ({ sortOrder: picks.sortOrder(), status: picks.status(), label: tag })
    await prisma.$transaction(
      picks.lots(2).map(({ id }) => prisma.auctionItem.update({ where: { id }, data: data() })),
    )
    return { written: 1 }
  }

  #formsNow(): readonly LotForm[] {
    const { picks, random } = this.#parts
    const kind = random.next()
    if (kind < 0.7) return changes
    if (picks.average < FEW) return creations
    return picks.average > MANY || kind < 0.85 ? deletions : creations
  }

  /** Sometimes widens the window between two steps. */
  async #linger(): Promise<void> {
    const { random } = this.#parts
    if (random.chance(0.1)) await sleep(random.integer(1, 80))
  }
}

class RollBack extends Error {}
