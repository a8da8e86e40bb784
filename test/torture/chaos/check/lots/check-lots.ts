import type { RecordedVersion } from '../../lots/lot-table.ts'
import type { Circumstances } from '../promises.ts'
import { judgeRead, type Floors, type Verdict } from './judge-read.ts'
import { floorsAtRest, PromisedFloors, SeenFloors } from './lot-floors.ts'
import type { LotLog, LotRead } from './lot-log.ts'
import { LotPromises } from './lot-promises.ts'
import { Timelines } from './timelines.ts'

/** An answer that nothing allows. */
export interface LotViolation extends LotRead, Pick<Verdict, 'id' | 'expected'> {
  readonly kind: Verdict['wrong'] | 'backInTime'
  /** Whether the pod itself has written what it does not know. */
  readonly isOwn: boolean
}

export interface CheckedLots {
  readonly violations: readonly LotViolation[]
  /** Confirmed writes that the database does not have. */
  readonly lostWrites: number
}

/** Compares each read of a lookup with the promises at its start, and with earlier reads of its pod. */
export function checkLots(
  recorded: readonly RecordedVersion[],
  log: LotLog,
  circumstances: Circumstances,
): CheckedLots {
  const timelines = new Timelines(recorded)
  const promises = new LotPromises(timelines, log, circumstances)
  const promised = new PromisedFloors(timelines, log, promises, circumstances)
  const seen = new SeenFloors(timelines, log, promises, promised, circumstances)
  const violations: LotViolation[] = []
  for (const read of log.reads) {
    const broken = judgeRead(read, timelines, promised)
    const verdict = broken ?? judgeRead(read, timelines, seen)
    if (!verdict) continue
    const { expected, id, wrong } = verdict
    const isOwn = timelines.get(id) !== undefined && promises.of(id, expected)?.pod === read.pod
    violations.push({ ...read, kind: broken ? wrong : 'backInTime', id, expected, isOwn })
  }
  return { violations, lostWrites: promises.lost.length }
}

/** The reads that differ from the database, when all writes are over and no pod writes any more. */
export function readsWrongAtRest(
  recorded: readonly RecordedVersion[],
  reads: readonly LotRead[],
): readonly (LotRead & Verdict)[] {
  const timelines = new Timelines(recorded)
  const floors: Floors = floorsAtRest(timelines)
  return reads.flatMap((read) => {
    const verdict = judgeRead(read, timelines, floors)
    return verdict ? [{ ...read, ...verdict }] : []
  })
}
