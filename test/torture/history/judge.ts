import { FloorsByName } from './floor.ts'
import { floorsAtRest, promisedFloors, seenFloors } from './floors.ts'
import type { History, Read } from './history.ts'
import { judgeRead, type Verdict } from './judge-read.ts'
import { type Circumstances, Promises, returnOf } from './promises.ts'
import type { Version } from './rows.ts'
import { Timelines } from './timelines.ts'

/** An answer that nothing allows. */
export interface Violation extends Read, Pick<Verdict, 'id' | 'expected'> {
  readonly kind: Verdict['wrong'] | 'backInTime'
  /** Whether the pod itself has written what it does not know. */
  readonly isOwn: boolean
}

/** Compares each read with the promises at its start, and with earlier reads of its pod. */
export function judge(recorded: readonly Version[], history: History, circumstances: Circumstances) {
  const timelines = new Timelines(recorded)
  const promises = new Promises(timelines, history, circumstances)
  const promised = promisedFloors(timelines, history, promises, circumstances)
  const seen = seenFloors(timelines, history, promises, promised, circumstances)
  const late = new LateWrites(timelines, promises, circumstances)
  const violations: Violation[] = []
  for (const read of history.reads) {
    const broken = judgeRead(read, timelines, promised)
    if (!broken) late.look(read)
    const verdict = broken ?? judgeRead(read, timelines, seen)
    if (!verdict) continue
    const { expected, id, wrong } = verdict
    const isOwn = timelines.get(id) !== undefined && promises.of(id, expected)?.pod === read.pod
    violations.push({ ...read, kind: broken ? wrong : 'backInTime', id, expected, isOwn })
  }
  const { behindLate, lateWrites, longestBehindMs } = late
  return { violations, lostWrites: promises.lost.length, lateWrites, behindLate, longestBehindMs }
}

/** The reads that differ from the database, when all writes are over and no pod writes any more. */
export function readsWrongAtRest(
  recorded: readonly Version[],
  reads: readonly Read[],
): readonly (Read & Verdict)[] {
  const timelines = new Timelines(recorded)
  const floors = floorsAtRest(timelines)
  return reads.flatMap((read) => {
    const verdict = judgeRead(read, timelines, floors)
    return verdict ? [{ ...read, ...verdict }] : []
  })
}

/** Writes that other pods may see after they have returned, which breaks no promise. */
class LateWrites {
  readonly #returned = new FloorsByName()
  readonly #returns = new Map<string, number>()
  /** Those that were not promised to other pods when they returned. */
  lateWrites = 0
  /** Reads of other pods behind such a write, which had returned. */
  behindLate = 0
  /** Longest time between the return of such a write and one of these reads. */
  longestBehindMs = 0

  constructor(timelines: Timelines, promises: Promises, { hearingMs }: Circumstances) {
    const late = new Set<object>()
    for (const timeline of timelines.all()) {
      for (const { id, version } of timeline.versions) {
        const write = promises.writeOf(timeline, version)
        if (!write) continue
        const returnedAt = returnOf(write)
        if (promises.of(id, version).byAll > returnedAt + hearingMs) late.add(write)
        this.#returned.of(id).add(returnedAt, version)
        this.#returns.set(`${id} ${version}`, returnedAt)
      }
    }
    this.lateWrites = late.size
  }

  look({ rows, start }: Read): void {
    const old = rows.find(({ id, version }) => version < this.#returned.at(id, start))
    if (!old) return
    this.behindLate++
    const returnedAt = this.#returns.get(`${old.id} ${old.version + 1}`) ?? Infinity
    this.longestBehindMs = Math.max(this.longestBehindMs, start - returnedAt)
  }
}
