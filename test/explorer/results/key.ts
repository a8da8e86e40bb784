import { NOTHING, type ReadPhase, type State, type WriterPhase } from './model.ts'
import { numbering } from '../values.ts'

const { fromCharCode } = String

const readPhaseNumber = numbering<ReadPhase>()
const writerPhaseNumber = numbering<WriterPhase>()

/** What distinguishes states. Epochs, nonces and names of reads do not: what counts is which of them are the same. */
export function keyOf(state: State): string {
  const { awaits, commits, faults, markers, reads, readsLeft, registers, result, writers } = state
  const names = new Map<number, number>()
  const named = (id: number | undefined): string => {
    if (id === undefined) return '?'
    if (id === NOTHING) return '-'
    if (!names.has(id)) names.set(id, names.size)
    return number(names.get(id)!)
  }
  const resultKey = (of: typeof result): string =>
    of === null
      ? '-'
      : (of.isExpired ? 'e' : 'r') + of.rows.map(number).join('') + of.stands.map(named).join('')
  let key = number(readsLeft) + number(awaits) + commits.map(number).join('') + '|'
  for (const { epoch, fences } of registers) key += named(epoch) + number(fences)
  for (const { epoch, fences, nonce } of markers) key += named(nonce) + named(epoch) + number(fences)
  key += resultKey(result)
  for (const { epochs, fenced, phase, released } of writers)
    key += number(writerPhaseNumber(phase)) + number(fenced) + number(released) + epochs.map(named).join('')
  for (const { floor, isNewcomer, looked, noticed, phase, rows, stale, stands } of reads) {
    key += '|' + number(readPhaseNumber(phase)) + number(floor) + number(noticed) + (isNewcomer ? 'n' : 'o')
    key += stands.map(named).join('') + ',' + rows.map(number).join('') + ',' + resultKey(stale)
    key +=
      looked.result === undefined
        ? '?'
        : phase === 'looking' || phase === 'failed'
          ? resultKey(looked.result)
          : ''
    key += looked.epochs.map(named).join('')
    for (const marker of looked.markers)
      key += marker === undefined ? '?' : named(marker.nonce) + named(marker.epoch)
  }
  for (const fault in faults) key += faults[fault as keyof typeof faults]
  return state.broken === null ? key : key + state.broken
}

/** Numbers are at least {@link NOTHING}. */
const number = (value: number): string => fromCharCode(value + 65)
