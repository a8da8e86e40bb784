import {
  changeConnection,
  changeData,
  changeProcess,
  isCluster,
  patched,
  primaryOf,
  rowShard,
  writersWithin,
} from '../model.ts'
import type { Connection, Seen, ServerCheck, State } from '../model.ts'
import { margin, clientsAhead, isExcluded, type Scenario, type Setting } from '../scenario.ts'
import type { Rules } from '../rules.ts'
import { processName, serverName, shardName, type Action } from './action.ts'
import { replicated } from './server.ts'

/** The check is the first command of a connection, so nothing happens on it in between. */
const connect: Action = (state, setting, add) => {
  for (const [process, { connections }] of state.processes.entries()) {
    for (const [shard, { phase, server }] of connections.entries()) {
      const { primary } = state.shards[shard]!
      if (phase !== 'none' && server === primary) continue
      const sentence = `${processName(process)} connects to ${serverName(state, shard, primary)}`
      const isChecked = 'only the first one' === checksOf(shard, state, setting.rules)
      const phaseOf = isChecked ? 'checked' : 'unchecked'
      const connected = changeConnection(state, process, shard, { server: primary, phase: phaseOf })
      if (isChecked || mayBeUsedUnchecked(setting.rules)) add(sentence, connected)
      else add(...checked(connected, process, shard, setting, sentence))
    }
  }
}

/** Only of mutants. */
const checkLater: Action = (state, setting, add) => {
  for (const [process, { connections }] of state.processes.entries()) {
    for (const [shard, connection] of connections.entries()) {
      if (connection.phase !== 'unchecked' || !isUsable(connection, shard, state)) continue
      const sentence = `${processName(process)} checks the connection to ${shardName(state, shard)}`
      add(...checked(state, process, shard, setting, sentence))
    }
  }
}

/** One command, where the server has the catalogue. Else the server says who it is first. */
function checked(
  state: State,
  process: number,
  shard: number,
  setting: Setting,
  sentence: string,
): [string, State] {
  const seen = seenBy(state, shard, setting.scenario)
  const { primary } = state.shards[shard]!
  if (shard > 0) {
    const asked = changeProcess(state, process, { asked: seen })
    return [
      `${sentence}, which says who it is`,
      changeConnection(asked, process, shard, { server: primary, phase: 'asked' }),
    ]
  }
  const isCurrent = counts(primaryOf(state.shards[0]!).data.serverChecks[0]!, seen, setting.rules)
  const next = withServerCheck(isCurrent ? state : withNewEpoch(state, setting), 0, seen, setting)
  return [
    `${sentence}: ${isCurrent ? 'its data is current' : 'it gets a new epoch'}`,
    changeConnection(next, process, 0, { server: primary, phase: 'checked' }),
  ]
}

/** Where a node of the row has said who it is, the catalogue compares it with the server check that it has. */
const compare: Action = (state, setting, add) => {
  const shard = rowShard(state)
  for (const [process, { asked, connections }] of state.processes.entries()) {
    if (asked === null || !isReady(connections[0]!, 0, state, setting)) continue
    const isCurrent = counts(primaryOf(state.shards[0]!).data.serverChecks[shard]!, asked, setting.rules)
    let next = isCurrent ? state : withNewEpoch(state, setting)
    next = withServerCheck(next, shard, asked, setting)
    if (!isCurrent && setting.rules.newEpochIsAcknowledged) next = replicated(next, 0)
    next = changeProcess(next, process, { asked: null })
    const connection = connections[shard]!
    const { run } = primaryOf(state.shards[shard]!)
    if (connection.phase === 'asked' && isUsable(connection, shard, state) && run === asked.run) {
      next = changeConnection(next, process, shard, { ...connection, phase: 'checked' })
    }
    if (setting.rules.epochIsReadAfterCheck) next = withoutEpochs(next, process)
    const sentence = isCurrent ? 'are current' : 'get a new epoch'
    add(`${processName(process)} learns that the rows of the node ${sentence}`, next)
  }
}

/** The heartbeat. */
const renew: Action = (state, setting, add) => {
  if (setting.scenario.until === undefined) return
  for (const [process, { asked, connections }] of state.processes.entries()) {
    for (const [shard, connection] of connections.entries()) {
      const isAllowed = connection.phase === 'checked' || setting.rules.renews === 'any connection'
      if (!isAllowed || !isUsable(connection, shard, state)) continue
      const seen = seenBy(state, shard, setting.scenario)
      const sentence = `${processName(process)} renews the server check of ${shardName(state, shard)}`
      if (shard === 0) add(sentence, withServerCheck(state, 0, seen, setting))
      else if (asked === null)
        add(`${sentence}, which says who it is`, changeProcess(state, process, { asked: seen }))
    }
  }
}

/**
 * Whether a server check proves that the data of a server is current: a process has seen the server while it was running, and nothing that
 * the server has taken over since then was older.
 */
function counts({ run, history, time }: ServerCheck, seen: Seen, rules: Rules): boolean {
  const continues = history === seen.history || history === seen.past
  if (!rules.needsRunOrTime) return continues
  if (run === seen.run) return continues || !rules.runNeedsHistory
  const isLater = time > seen.start + (rules.timeHasMargin ? margin : 0)
  return rules.laterTimeCounts && isLater && (continues || !rules.timeNeedsHistory)
}

function withNewEpoch(state: State, { rules, scenario }: Setting): State {
  const within = rules.newEpochWaits ? writersWithin(state) : 0
  const next = changeData({ ...state, awaits: [...state.awaits, within] }, 0, { epoch: state.awaits.length })
  return isExcluded(scenario, 'cold after a failover') ? { ...next, broken: 'cold after a failover' } : next
}

function withServerCheck(state: State, shard: number, seen: Seen, setting: Setting): State {
  const { serverChecks } = primaryOf(state.shards[0]!).data
  return changeData(state, 0, {
    serverChecks: patched(serverChecks, shard, serverCheckOf(seen, state, setting)),
  })
}

function serverCheckOf(
  { run, history, time }: Seen,
  state: State,
  { rules, scenario }: Setting,
): ServerCheck {
  const times = {
    'of the server': time,
    'of the client': state.time + clientsAhead,
    'of the server that has the catalogue': seenBy(state, 0, scenario).time,
  }
  return { run, history, time: times[rules.clock] }
}

function seenBy({ shards, time }: State, shard: number, { clocks }: Scenario): Seen {
  const { primary } = shards[shard]!
  const { run, start, history, past } = primaryOf(shards[shard]!)
  return { run, start, history, past, time: time + clocks[shard]![primary]! }
}

/** The process reads the epoch again for reads in flight. */
const withoutEpochs = (state: State, process: number): State => ({
  ...state,
  reads: state.reads.map((read) =>
    read.process === process && read.phase === 'named' ? { ...read, phase: 'begun', epoch: -1 } : read,
  ),
})

const checksOf = (shard: number, state: State, rules: Rules): Rules['checks'] | Rules['checksNodes'] =>
  isCluster(state) && shard > 0 && rules.checksNodes === 'only the first one'
    ? rules.checksNodes
    : rules.checks

/** Whether a connection leads to the primary. */
const isUsable = ({ phase, server }: Connection, shard: number, { shards }: State): boolean =>
  phase !== 'none' && server === shards[shard]!.primary

/** Whether commands of a process may run on a connection. */
export const isReady = (connection: Connection, shard: number, state: State, { rules }: Setting): boolean =>
  isUsable(connection, shard, state) &&
  (connection.phase === 'checked' ||
    (connection.phase === 'unchecked' && rules.checks === 'after the first read'))

const mayBeUsedUnchecked = ({ checks, renews }: Rules): boolean =>
  checks === 'after the first read' || renews === 'any connection'

export const checkActions: readonly Action[] = [connect, checkLater, compare, renew]
