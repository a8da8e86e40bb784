import { type ReaderCall, readsOf, rowAt, type Written, type WrittenRows } from '../follow/judge-reads.ts'
import type { ReadSince } from '../history/floors.ts'
import { FloorsByName } from '../history/floor.ts'
import { type Floors, judgeRead } from '../history/judge-read.ts'
import type { Loss } from '../history/promises.ts'

export interface Sessions {
  /** For how long after a write its region is sure to read it although the standby lacks it. */
  readonly bridgeMs: number
  /** Until a process has heard of the writes of others, for its memory layer; 0 without one. */
  readonly hearingMs: number
}

/** What the processes of a region have written by the library, and have to see from then on. */
export class RegionWrites {
  readonly #floors = new FloorsByName()
  readonly #committed = new Map<string, { readonly at: number; readonly process: number }>()

  add(process: number, written: readonly Written[]): void {
    for (const { committedAt, isPromised, rows, versions } of written) {
      if (!isPromised) continue
      for (const [i, row] of rows.entries()) {
        const { id, version } = rowAt(row, versions[i]!)
        for (const name of [id, ofProcess(process, id)]) this.#floors.of(name).add(committedAt, version)
        this.#committed.set(ofVersion(id, version), { at: committedAt, process })
      }
    }
  }

  /** What reads of a process have to know. */
  floorsOf(process: number, { bridgeMs, hearingMs }: Sessions): Floors<ReadSince> {
    const isPromised = ({ end, floorAt }: ReadSince, id: string, version: number): boolean => {
      const write = this.#committed.get(ofVersion(id, version))
      if (!write || end - write.at > bridgeMs) return false
      return write.at <= floorAt - (write.process === process ? 0 : hearingMs)
    }
    return {
      row: (read, id) => {
        const own = this.#floors.of(ofProcess(process, id)).upTo(read.floorAt)
        const newest = Math.max(own, this.#floors.of(id).upTo(read.floorAt - hearingMs))
        return isPromised(read, id, newest) ? newest : 0
      },
      // A later version that has to be known does not imply a move of the other region.
      knowsMove: isPromised,
    }
  }
}

/** Of a world without a second region. */
export const NOT_JUDGED = { ofOwn: 0, broken: 0, excused: 0 }

/** @param excused when the standby showed what it had shown before */
export function judgeSessions(
  written: WrittenRows,
  calls: readonly ReaderCall[],
  floors: Floors<ReadSince>,
  excused: readonly Loss[],
) {
  const { timelines } = written
  const isExcused = ({ answers, at }: ReaderCall): boolean => {
    const end = Math.max(at, ...answers.map((answer) => answer[3]))
    return excused.some(({ from, to }) => from <= end && at <= to)
  }
  const judged = calls.filter((call) => !isExcused(call))
  const reads = judged.map((call) => readsOf(call, call.at))
  const isOfOwn = (read: ReadSince): boolean => read.rows.some(({ id }) => floors.row(read, id) > 0)
  return {
    /** Reads of rows that the region had written so late that it is promised to see that. */
    ofOwn: reads.filter((ofCall) => ofCall.some(isOfOwn)).length,
    /** Those of them that lack such a write. */
    broken: reads.filter((ofCall) => ofCall.some((read) => judgeRead(read, timelines, floors))).length,
    excused: calls.length - judged.length,
  }
}

const ofProcess = (process: number, id: string): string => `${process} ${id}`
const ofVersion = (id: string, version: number): string => `${id} ${version}`
