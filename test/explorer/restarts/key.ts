import { NOTHING } from './model.ts'
import type { Breach, Connection, Data, Read, State, WriterPhase } from './model.ts'
import { numbering } from '../values.ts'

const { fromCharCode } = String

const connectionPhaseNumber = numbering<Connection['phase']>()
const readPhaseNumber = numbering<Read['phase']>()
const writerPhaseNumber = numbering<WriterPhase>()
const breachNumber = numbering<Breach>()

/**
 * What distinguishes states. Ids do not: what counts is which of them are the same. Of a fence and of what an epoch waits for, writes
 * that are committed do not count, and of a lease whose read is over, nothing.
 */
export function keyOf(state: State): string {
  const { shards, snapshots, processes, writers, reads, awaits, faults } = state
  const runs = new Map<number, number>()
  const histories = new Map<number, number>()
  const epochs = new Map<number, number>()
  let within = 0
  let key = number(state.time) + number(state.database)
  for (const [writer, phase] of writers.entries()) {
    key += number(writerPhaseNumber(phase))
    if (phase === 'fenced') within |= 1 << writer
  }
  const epochKey = (epoch: number): string => {
    if (epoch === NOTHING) return number(NOTHING)
    const known = epochs.has(epoch)
    return number(named(epochs, epoch)) + (known ? '' : number(awaits[epoch]! & within))
  }
  const dataKey = ({ epoch, fences, lease, value, valueEpoch, serverChecks }: Data): string => {
    let text = epochKey(epoch) + epochKey(valueEpoch) + number(value) + number(fences & within)
    text += number(reads.findIndex(({ id }) => id === lease))
    for (const { run, history, time } of serverChecks) {
      text += number(named(runs, run)) + number(named(histories, history)) + number(time)
    }
    return text
  }
  for (const { primary, servers } of shards) {
    key += number(primary)
    for (const { data, history, past, run, start } of servers) {
      key += number(named(runs, run)) + number(start) + number(named(histories, history))
      key += number(past === NOTHING ? NOTHING : named(histories, past)) + dataKey(data)
    }
  }
  for (const { data, history, shard } of snapshots) {
    key += '|' + number(shard) + number(named(histories, history)) + dataKey(data)
  }
  for (const { asked, connections, readsLeft } of processes) {
    key += '|' + number(readsLeft)
    for (const { phase, server } of connections) key += number(connectionPhaseNumber(phase)) + number(server)
    if (asked !== null) {
      key += 'a' + number(named(runs, asked.run)) + number(asked.start) + number(asked.time)
      key += number(named(histories, asked.history))
      key += number(asked.past === NOTHING ? NOTHING : named(histories, asked.past))
    }
  }
  for (const { epoch, floor, phase, process, value } of reads) {
    key +=
      '|' + number(readPhaseNumber(phase)) + number(process) + number(floor) + number(value) + epochKey(epoch)
  }
  for (const fault in faults) key += faults[fault as keyof typeof faults]
  return state.broken === null ? key : key + number(breachNumber(state.broken))
}

function named(names: Map<number, number>, id: number): number {
  const known = names.get(id)
  if (known !== undefined) return known
  names.set(id, names.size)
  return names.size - 1
}

/** Numbers are at least {@link NOTHING}, except times of servers that started before time began. */
const number = (value: number): string => fromCharCode(value + 48)
