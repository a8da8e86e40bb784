import { NOTHING, type ProcessState, type State, type WriterPhase } from './model.ts'
import { flags, numbering } from '../values.ts'

const { fromCharCode } = String

const processStateNumber = numbering<ProcessState>()
const writerPhaseNumber = numbering<WriterPhase>()
const cleanUpNumber = numbering<string>()
const readPhaseNumber = numbering<string>()

/** What distinguishes states. The numbers of reads do not: what counts of a lease is whether its read is still there. */
export function keyOf({
  broken,
  catalogue,
  database,
  faults,
  processes,
  reads,
  registers,
  rows,
  writers,
}: State): string {
  const { hasHash, hasEpochKey, isWritten, entries, awaits } = catalogue
  // Two numbers below 16, each from -1, make one character.
  let key = pair(database, entries) + pair(flags(hasHash, hasEpochKey, isWritten), broken === null ? 0 : 1)
  for (const writers of awaits) key += pair(writers, 0)
  for (const { listed, fences, isNew } of registers) key += pair(listed, fences) + (isNew ? 'n' : '-')
  for (const { value, lease, fences } of rows) key += pair(value, fences) + (lease === NOTHING ? '-' : 'l')
  for (const process of processes) {
    const { state, readsLeft, entries, knowsCatalogueEpoch, awaits, removable, bypasses, cleanUpsLeft } =
      process
    key +=
      pair(processStateNumber(state), readsLeft) +
      pair(entries, flags(knowsCatalogueEpoch, bypasses, process.extends)) +
      pair(awaits, removable) +
      pair(cleanUpsLeft, cleanUpNumber(process.cleanUp))
  }
  for (const { phase, known, fenced, added, closed, hasFenced, hasAsked, isBehind } of writers) {
    key +=
      pair(writerPhaseNumber(phase), known) +
      pair(added, closed) +
      pair(flags(hasFenced, hasAsked, isBehind), fenced)
  }
  for (const fault in faults) key += faults[fault as keyof typeof faults]
  const readKeys = reads.map(({ id, process, phase, value, isLate, hasCatalogueEpoch, hasEpoch }) => {
    const holds = rows.some(({ lease }) => lease === id)
    const read = readPhaseNumber(phase) + (isLate ? 4 : 0)
    return pair(process, read) + pair(value, flags(hasCatalogueEpoch, hasEpoch, holds))
  })
  return key + (readKeys.length > 1 ? readKeys.toSorted().join('') : (readKeys[0] ?? ''))
}

const pair = (first: number, second: number): string => fromCharCode(((first + 1) << 4) | (second + 1))
