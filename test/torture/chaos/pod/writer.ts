import { AsyncLocalStorage } from 'node:async_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ModelCacheWrites } from 'model-cache'
import type { WriteEnd, WriterSchema } from 'model-cache/advanced'
import type { Random } from '#prisma/demo/random.js'
import { machineTime } from '../../clock.ts'
import type { WorkReport, Write, WriteSteps } from '../../history/history.ts'
import type { TrackedStore } from '../../tracked-store.ts'
import { withMembers } from '../../with-members.ts'

/** Where in its work a process ends by SIGKILL. */
export type Death = 'fenced' | 'committed' | 'anywhere'

/** What a write has written, as far as its results say. */
export type Written = Pick<Write, 'written'> & Partial<Pick<Write, 'versions' | 'deleted'>>

/** The steps of a write, as seen between its client and the caches. */
interface Watch {
  readonly tag: string
  fencedAt?: number
  /** Whether the store has taken all its fences; undefined without one. */
  isFenced?: boolean
  /** The database has answered. */
  endedAt?: number
  isReleased?: boolean
  end?: WriteEnd
  /** Confirmed before its end: a process that dies then has reported it. */
  confirmed?: Written
}

/** A write in progress. */
export interface Writing {
  /** The label that its statements give to rows. */
  readonly tag: string
  /** The database has confirmed the commit. */
  confirm(written: Written): void
}

export interface WriterOptions {
  readonly writes: ModelCacheWrites
  readonly store: TrackedStore
  readonly random: Random
  /** First part of its tags. */
  readonly name: string
  /** Whether writes pause at times after their fence and their COMMIT. */
  readonly pauses: boolean
  readonly count: (name: string, times: number) => void
  /** Resolves when the report has been sent. */
  readonly report: (report: WorkReport) => Promise<void>
}

/**
 * Runs the writes of a pod, watches their steps and reports them. It ends the process by SIGKILL at a point of a write, but not while
 * there are unfenced writes whose invalidation the store has not taken: nothing is promised of those.
 */
export class Writer {
  readonly #options: WriterOptions
  readonly #watches = new AsyncLocalStorage<Watch>()
  /** For an extended client, and for units of {@link run}. */
  readonly writes: ModelCacheWrites
  #deathAt: Death | undefined
  /** Unfenced writes, and those of them that have ended. */
  #pending = 0
  #ended = 0
  #tags = 0

  constructor(options: WriterOptions) {
    this.#options = options
    this.writes = this.#watched(options.writes)
  }

  /** Whether the store has taken all invalidations. */
  get isTaken(): boolean {
    return this.#ended === 0 && this.#options.store.isCaughtUp
  }

  die(at: Death): void {
    this.#deathAt = at
    this.#passes('anywhere')
  }

  /** The store has taken all pending invalidations. */
  caughtUp(): void {
    this.#take(this.#ended)
    this.#ended = 0
  }

  /**
   * Runs one write, through {@link writes} or a client that is extended with them.
   *
   * @param ids of the rows that it may write; undefined if these are not known
   * @throws why it was not committed, unless that is a {@link RollBack}
   */
  async run(ids: readonly string[] | undefined, work: (writing: Writing) => Promise<Written>): Promise<void> {
    const { count, report } = this.#options
    const tag = this.#nextTag()
    const watch: Watch = { tag }
    let ended: ReturnType<typeof stepsOf> | undefined
    try {
      const confirm = (written: Written): void => void (watch.confirmed = written)
      const written = await this.#watches.run(watch, () => work({ tag, confirm }))
      ended = stepsOf(watch)
      // First, since the process may die right after.
      await this.#report(ended, tag, written)
    } catch (error) {
      if (error instanceof RollBack) count('rolled back', 1)
      // Without a fence neither COMMIT nor a single statement has been sent.
      else if (watch.end !== 'unknown' || watch.fencedAt === undefined) throw error
      else {
        ended = stepsOf(watch)
        await report({ kind: 'unknownEnd', write: { ...ended, ids } })
      }
    } finally {
      if (watch.isFenced === false) this.#end(ended)
    }
  }

  /** Counts a write by Prisma, and by which code it fails. */
  async count<Result>(write: () => Promise<Result>): Promise<Result> {
    const { count } = this.#options
    try {
      const result = await write()
      count(writeCounts.committed, 1)
      return result
    } catch (error) {
      const { code, name } = error as { code?: string; name: string }
      if (!(error instanceof RollBack)) count(writeCounts.failed(code ?? name), 1)
      throw error
    }
  }

  /** Runs one write through a client that is not extended. @throws why it was not committed, unless that is a {@link RollBack} */
  async runPlain(work: (tag: string) => Promise<Written>): Promise<void> {
    const tag = this.#nextTag()
    try {
      const written = await this.count(() => work(tag))
      const at = machineTime()
      await this.#report(
        { fencedAt: undefined, committedAt: at, releasedAt: at, isReleased: true },
        tag,
        written,
      )
    } catch (error) {
      if (!(error instanceof RollBack)) throw error
    }
  }

  /** Writes without a fence, and invalidates afterwards. */
  async runByHand(write: () => Promise<Written>, invalidate: () => Promise<void>): Promise<void> {
    this.#pending++
    let steps: WriteSteps | undefined
    try {
      const written = await write()
      const committedAt = machineTime()
      const isReleased = await this.#options.store.takes(invalidate)
      steps = { fencedAt: undefined, committedAt, releasedAt: machineTime(), isReleased }
      await this.#report(steps, this.#nextTag(), written)
    } finally {
      this.#end(steps)
    }
  }

  #watched<Writes extends BeginsUnits>(writes: Writes): Writes {
    const members: BeginsUnits = { begin: () => this.#watchedUnit(writes.begin()) }
    if (writes.forSchema) members.forSchema = (schema) => this.#watched(writes.forSchema!(schema))
    return withMembers(writes, members as Partial<Writes>)
  }

  #watchedUnit(unit: Unit): Unit {
    const watch = this.#watches.getStore()!
    const { store } = this.#options
    return withMembers(unit, {
      fence: async () => {
        watch.fencedAt ??= machineTime()
        const isTaken = await store.takes(() => unit.fence())
        if (!isTaken && watch.isFenced !== false) this.#pending++
        watch.isFenced = isTaken && watch.isFenced !== false
        await this.#linger()
        this.#passes('fenced')
      },
      end: async (end) => {
        watch.endedAt = machineTime()
        watch.end = end
        if (this.#isDueAt('committed') && watch.confirmed) {
          const steps = { ...stepsOf(watch), releasedAt: undefined, isReleased: false }
          await this.#report(steps, watch.tag, watch.confirmed)
        }
        this.#passes('committed')
        await this.#linger()
        watch.isReleased = await store.takesAll(() => unit.end(end))
      },
    })
  }

  #nextTag(): string {
    return `${this.#options.name}-${++this.#tags}`
  }

  #report(steps: WriteSteps, tag: string, written: Written): Promise<void> {
    const write = { ...steps, tag, versions: [], deleted: [], ...written }
    return this.#options.report({ kind: 'wrote', write })
  }

  #end(ended: WriteSteps | undefined): void {
    if (!ended || ended.isReleased || this.#options.store.isCaughtUp) this.#take(1)
    else this.#ended++
  }

  #take(writes: number): void {
    this.#pending -= writes
    this.#passes('anywhere')
  }

  #isDueAt(point: Death): boolean {
    return this.#deathAt === point && this.#pending === 0
  }

  #passes(point: Death): void {
    if (this.#isDueAt(point)) process.kill(process.pid, 'SIGKILL')
  }

  /** Sometimes widens the window between two steps. */
  async #linger(): Promise<void> {
    const { pauses, random } = this.#options
    if (pauses && random.chance(0.1)) await sleep(random.integer(1, 80))
  }
}

/** How counts name writes by Prisma. */
export const writeCounts = {
  committed: 'write by Prisma',
  failed: (code: string): string => `write by Prisma ${code}`,
}

/** Why a write is rolled back at random. */
export class RollBack extends Error {}

const stepsOf = ({ endedAt, fencedAt, isFenced, isReleased }: Watch) => ({
  fencedAt: isFenced ? fencedAt : undefined,
  committedAt: endedAt!,
  releasedAt: machineTime(),
  isReleased: isReleased ?? false,
})

type Unit = ReturnType<ModelCacheWrites['begin']>

/** The writes of a process, or those of one client of it. */
interface BeginsUnits {
  begin(): Unit
  forSchema?(schema: WriterSchema): BeginsUnits
}
