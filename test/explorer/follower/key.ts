import { NOTHING } from './model.ts'
import type { Follower, FollowerPhase, Process, Read, ReadPhase, State, WriterPhase } from './model.ts'
import { flags, numbering } from '../values.ts'

const { fromCharCode } = String

const writerPhaseNumber = numbering<WriterPhase>()
const followerPhaseNumber = numbering<FollowerPhase>()
const gapNumber = numbering<Follower['gap']>()
const readPhaseNumber = numbering<ReadPhase>()

/** What distinguishes states. The numbers of reads do not: what counts of a lease is which read has it. */
export function keyOf(state: State): string {
  const { bookmark, database, faults, fences, followers, processes, reads, slot, value, writers } = state
  const { cascaded, logged, publication, replayed, unpublished, visible } = database
  let key =
    pack(logged, visible, replayed, unpublished) +
    pack(slot.confirmed, value, state.acknowledged, state.committed) +
    pack(
      flags(slot.isLost, slot.isTaken),
      flags(state.marked, state.registerMarked, state.isDown),
      flags(state.lease !== NOTHING),
      publication,
    ) +
    pack(bookmark.position, bookmark.publication, slot.begins, cascaded) +
    fromCharCode(fences)
  for (const { isPublished: wasPublished, phase } of writers)
    key += pack(writerPhaseNumber(phase), flags(wasPublished), 0, 0)
  for (const follower of followers) key += followerKey(follower)
  for (const process of processes) key += processKey(process)
  for (const fault in faults) key += faults[fault as keyof typeof faults]
  const readKeys = reads.map((read) => readKey(read, state))
  key += readKeys.length > 1 ? readKeys.toSorted().join('') : (readKeys[0] ?? '')
  return state.broken === null ? key : key + state.broken
}

const followerKey = (follower: Follower): string => {
  const { closedFor, closes, gap, isAnnounced, notified, phase, publication, read, taken } = follower
  return (
    pack(followerPhaseNumber(phase), gapNumber(gap), closes, flags(isAnnounced)) +
    pack(read, taken, notified, publication) +
    pack(closedFor, 0, 0, 0)
  )
}

const processKey = (process: Process): string =>
  pack(process.readsLeft, process.primesLeft, process.l1, process.hears) +
  pack(process.trusted, process.lateBeats, process.inbox, flags(process.isMissing)) +
  pack(process.heard, process.closed, 0, 0) +
  fromCharCode(...process.beats.map((beat) => beat + 1))

const readKey = (read: Read, { lease }: State): string =>
  pack(
    read.process,
    readPhaseNumber(read.phase),
    read.value,
    flags(read.hasEpoch, read.moved, read.bypasses),
  ) + pack(read.acknowledged, read.closed, read.committed, flags(read.id === lease))

/** Four numbers from -1 to 14 as one character. */
const pack = (first: number, second: number, third: number, fourth: number): string =>
  fromCharCode(((first + 1) << 12) | ((second + 1) << 8) | ((third + 1) << 4) | (fourth + 1))
