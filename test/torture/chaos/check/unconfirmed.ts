import type { Revision } from '../pod/protocol.ts'
import type { History, WriteOfPod } from './history.ts'
import { isFencedWithin, mayHaveLost, type Circumstances } from './promises.ts'

/**
 * Revisions that were read or sighted without a confirmed commit, if they were committed under a fence: of writes with an
 * unknown end, and of pods that died after COMMIT. All pods see them from their commit on.
 *
 * The commit came after the confirmed revisions before it, and before the first sight and the revisions after it. The fence
 * was taken less than `fenceMs` before.
 */
export function* unconfirmedRevisions(history: History, circumstances: Circumstances): Generator<Revision> {
  const { fenceMs, losses } = circumstances
  const confirmed = confirmedOf(history)
  for (const [row, seen] of firstSeen(history)) {
    const unknownEnds = history.unknownEnds.filter(({ rows }) => rows.includes(row))
    const writes = confirmed.get(row) ?? new Map<number, WriteOfPod>()
    const revisions = [...writes.keys()].toSorted((a, b) => a - b)
    for (const [revision, seenAt] of seen) {
      if (revision <= 0 || writes.has(revision)) continue
      const before = revisions.findLast(
        (other) => other < revision && writes.get(other)!.fencedAt !== undefined,
      )
      const after = revisions.find((other) => other > revision)
      const from = before === undefined ? -Infinity : writes.get(before)!.fencedAt!
      const to = Math.min(seenAt, after === undefined ? Infinity : writes.get(after)!.committedAt)
      const isFenced = unknownEnds.every((write) => isFencedWithin(write, [from, to], circumstances))
      if (isFenced && !mayHaveLost(losses, from - fenceMs, to)) yield [row, revision]
    }
  }
}

/** By row and revision. */
function confirmedOf({ writes }: History): Map<number, Map<number, WriteOfPod>> {
  const confirmed = new Map<number, Map<number, WriteOfPod>>()
  for (const write of writes) {
    for (const [row, revision] of write.revisions) {
      const ofRow = confirmed.get(row) ?? new Map<number, WriteOfPod>()
      confirmed.set(row, ofRow.set(revision, write))
    }
  }
  return confirmed
}

/** When each revision was first sighted or read, by row. */
function firstSeen(history: History): Map<number, Map<number, number>> {
  const seen = new Map<number, Map<number, number>>()
  const add = (row: number, revision: number, at: number): void => {
    let ofRow = seen.get(row)
    if (!ofRow) seen.set(row, (ofRow = new Map()))
    ofRow.set(revision, Math.min(ofRow.get(revision) ?? Infinity, at))
  }
  for (const { row, revision, at } of history.sightings) add(row, revision, at)
  for (const { row, revision, end } of history.reads()) add(row, revision, end)
  return seen
}
