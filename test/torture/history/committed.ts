import { FloorsByName } from './floor.ts'
import type { Read } from './history.ts'
import type { Floors } from './judge-read.ts'

/** With the moment whose commits have to be known. */
export interface ReadSince extends Read {
  readonly floorAt: number
}

/** What reads have to know because it had been committed by a moment. */
export class CommittedFloors implements Floors<ReadSince> {
  readonly #committed = new FloorsByName()

  add(id: string, version: number, committedAt: number): void {
    this.#committed.of(id).add(committedAt, version)
  }

  /** The newest version that had been committed by a moment. */
  by(moment: number, id: string): number {
    return this.#committed.of(id).upTo(moment)
  }

  row({ floorAt }: ReadSince, id: string): number {
    return this.by(floorAt, id)
  }

  knowsMove(read: ReadSince, id: string, version: number): boolean {
    return version <= this.row(read, id)
  }
}
