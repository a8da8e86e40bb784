import { bit, changeFollower, changeProcess, NOTHING, spend } from '../model.ts'
import type { Follower, State, Version } from '../model.ts'
import { hasL1, isBinlog, isDurable, isNoted, type Setting } from '../scenario.ts'
import { followerName, nextEvent, remembersWrites, unlinked, versionName, type Action } from './action.ts'

const readEvent: Action = (state, { scenario }, add) => {
  for (const [at, { phase, read }] of state.followers.entries()) {
    const event = nextEvent(state.database, read)
    const isReading = phase === 'streaming' || (phase === 'zombie' && isBinlog(scenario))
    if (!isReading || event === NOTHING) continue
    add(
      `${followerName(at)} reads the event of ${versionName(event)}`,
      changeFollower(state, at, { read: event }),
    )
  }
}

/** Keeps the row out of the store until the replica has it. */
const fence: Action = (state, { scenario }, add) => {
  if (scenario.replica !== 'fences the row' || state.isDown) return
  for (const [at, follower] of state.followers.entries()) {
    const fences = state.fences | fenceOf(at)
    if (dueEvent(state, follower) === NOTHING || fences === state.fences) continue
    add(`${followerName(at)} fences the row`, { ...unlinked(state), fences })
  }
}

/** The store takes the invalidation of the next event. */
const take: Action = (state, setting, add) => {
  if (state.isDown) return
  for (const [at, follower] of state.followers.entries()) {
    const event = dueEvent(state, follower)
    if (event === NOTHING || !mayTake(state, event, at, setting)) continue
    const sentence = `${followerName(at)} invalidates ${versionName(event - 1)}`
    add(sentence, taken(invalidate(state, at, event, setting), at, event, setting))
    if (state.faults['lost invalidation'] > 0)
      add(`${sentence}, which the store loses`, taken(spend(state, 'lost invalidation'), at, event, setting))
  }
}

function taken(state: State, at: number, event: Version, { scenario }: Setting): State {
  const follower = state.followers[at]!
  const closes = follower.gap === 'to be read' && hasClosed(state, follower, event)
  const next = changeFollower(state, at, { taken: event, ...(closes && { gap: 'closed' }) })
  // Where nothing is kept for the next follower, acknowledging is a step without effect.
  const isAcknowledged = follower.phase === 'streaming' && !isDurable(scenario)
  return isAcknowledged ? { ...next, acknowledged: Math.max(state.acknowledged, event) } : next
}

function mayTake(
  { database, fences }: State,
  event: Version,
  at: number,
  { rules, scenario }: Setting,
): boolean {
  const { replica = 'none' } = scenario
  if (replica === 'fences the row' && (fences & fenceOf(at)) === 0) return false
  if (rules.awaitsReplica && replica !== 'none' && database.replayed < event) return false
  return !rules.awaitsVisibility || database.visible >= event
}

function invalidate(state: State, at: number, event: Version, { rules, scenario }: Setting): State {
  if (state.database.cascaded & bit(event)) return rules.expandsCascades ? withNewEpoch(state) : state
  return {
    ...state,
    value: NOTHING,
    lease: rules.endsLeases ? NOTHING : state.lease,
    fences: rules.sparesFences ? state.fences & ~fenceOf(at) : 0,
    marked: state.marked || (rules.marks && remembersWrites(scenario)),
  }
}

/** Whatever is stored or being loaded does not count any more. */
export const withNewEpoch = (state: State): State => ({
  ...state,
  value: NOTHING,
  reads: state.reads.map((read) => (read.hasEpoch ? { ...read, hasEpoch: false } : read)),
})

/** Whether, with this event, the follower has all that its slot had kept when it connected. */
export function hasClosed({ database }: State, { closes }: Follower, taken: Version): boolean {
  const next = nextEvent(database, taken)
  return next === NOTHING || next > closes
}

/** The read event that comes next for the store, or NOTHING. Without its connections a follower has its queue left. */
function dueEvent({ database }: State, { phase, read, taken }: Follower): Version {
  if (!hasQueue(phase)) return NOTHING
  const event = nextEvent(database, taken)
  return event > read ? NOTHING : event
}

const hasQueue = (phase: Follower['phase']): boolean =>
  phase === 'streaming' || phase === 'zombie' || phase === 'deaf'

/** Of a durable slot: the next follower goes on there. A follower that has lost its connections may still reach the store. */
const note: Action = (state, { rules, scenario }, add) => {
  if (state.isDown || !isNoted(scenario)) return
  for (const [at, { closedFor, phase, publication: compared, read, taken }] of state.followers.entries()) {
    if (!hasQueue(phase)) continue
    const position = rules.notes === 'what is read' ? read : taken
    const publication = rules.notesTables === 'when they are published' ? compared : closedFor
    const { bookmark } = state
    const isKnown = bookmark.position === position && bookmark.publication === publication
    if (publication === NOTHING || isKnown) continue
    add(`${followerName(at)} notes ${versionName(position)}`, {
      ...state,
      bookmark: { position, publication },
    })
  }
}

/** The database need not keep the events any more. */
const acknowledge: Action = (state, { rules, scenario }, add) => {
  if (!isDurable(scenario)) return
  for (const [at, { phase, read, taken }] of state.followers.entries()) {
    const confirmed = rules.acknowledges === 'when it is read' ? read : taken
    if (phase !== 'streaming' || confirmed <= state.slot.confirmed) continue
    if (rules.acknowledges === 'after the store has taken it' && state.bookmark.position < confirmed) continue
    add(`${followerName(at)} acknowledges the event of ${versionName(confirmed)}`, {
      ...state,
      slot: { ...state.slot, confirmed },
      acknowledged: Math.max(state.acknowledged, confirmed),
    })
  }
}

const notify: Action = (state, { rules, scenario }, add) => {
  if (state.isDown || !hasL1(scenario)) return
  for (const [at, { notified, phase, read, taken }] of state.followers.entries()) {
    if (phase !== 'streaming' && phase !== 'zombie') continue
    const event = nextEvent(state.database, notified)
    if (event === NOTHING || event > (rules.notifies === 'when it is read' ? read : taken)) continue
    const next = changeFollower(sent(state, event, { rules, scenario }), at, { notified: event })
    add(`${followerName(at)} sends a message of the event of ${versionName(event)}`, next)
  }
}

/** A message is on its way to each process that has L1. */
export function sent(state: State, version: Version, { scenario }: Setting): State {
  return state.processes.reduce(
    (next, { inbox }, process) =>
      scenario.processes[process]!.l1 ? changeProcess(next, process, { inbox: inbox | bit(version) }) : next,
    state,
  )
}

/** The fence of a follower that will not release it. */
const expireFence: Action = (state, _setting, add) => {
  for (const [at, { phase }] of state.followers.entries()) {
    const fences = state.fences & ~fenceOf(at)
    if (phase !== 'gone' || fences === state.fences) continue
    add(`the fence of ${followerName(at)} expires`, { ...state, fences })
  }
}

const fenceOf = (follower: number): number => bit(4 + follower)

export const eventActions: readonly Action[] = [
  readEvent,
  fence,
  take,
  note,
  acknowledge,
  notify,
  expireFence,
]
