import type { WorkReport } from '../fleet/pod-process.ts'
import { LotLog } from './lots/lot-log.ts'
import { readStride, type UnknownEnd, type Write } from '../pod/protocol.ts'

export interface WriteOfPod extends Write {
  readonly pod: number
}

export interface UnknownEndOfPod extends UnknownEnd {
  readonly pod: number
}

/** A revision in the database at a moment. */
export interface Sighting {
  readonly row: number
  readonly revision: number
  readonly at: number
}

export interface Read {
  readonly pod: number
  /** Index into the names of caches. */
  readonly cache: number
  readonly row: number
  readonly revision: number
  readonly start: number
  readonly end: number
}

/** The reports of all pods. */
export class History {
  /** Confirmed writes. */
  readonly writes: WriteOfPod[] = []
  readonly unknownEnds: UnknownEndOfPod[] = []
  /** In order of time. */
  readonly sightings: Sighting[] = []
  /** Moments at which the store had taken all invalidations of a pod, by pod. */
  readonly caughtUp = new Map<number, number[]>()
  readonly counts: Record<string, number> = {}
  readonly lots = new LotLog()
  readonly #reads: { pod: number; reads: Float64Array }[] = []
  readCount = 0

  add(pod: number, report: WorkReport): void {
    if (report.kind === 'wrote') this.writes.push({ pod, ...report.write })
    else if (report.kind === 'unknownEnd') this.unknownEnds.push({ pod, ...report.write })
    else if (report.kind === 'wroteLots') this.lots.writes.push({ pod, ...report.write })
    else if (report.kind === 'unknownLotEnd') this.lots.unknownEnds.push({ pod, ...report.write })
    else if (report.kind === 'caughtUp') {
      this.caughtUp.set(pod, [...(this.caughtUp.get(pod) ?? []), report.at])
    } else {
      this.#reads.push({ pod, reads: report.reads })
      this.lots.addAnswers(pod, report.answers)
      this.readCount += report.reads.length / readStride
      for (const [name, times] of Object.entries(report.counts))
        this.counts[name] = (this.counts[name] ?? 0) + times
    }
  }

  *reads(): Generator<Read> {
    for (const { pod, reads } of this.#reads) {
      for (let i = 0; i < reads.length; i += readStride) {
        const [cache, row, revision, start, end] = reads.subarray(i, i + readStride) as unknown as [
          number,
          number,
          number,
          number,
          number,
        ]
        yield { pod, cache, row, revision, start, end }
      }
    }
  }
}
