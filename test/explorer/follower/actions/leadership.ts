import { changeDatabase, changeFollower, isPublished, NOTHING } from '../model.ts'
import type { Follower, State, Version } from '../model.ts'
import type { Rules } from '../rules.ts'
import { hasL1, isBinlog, isDurable, type Setting } from '../scenario.ts'
import { followerName, loadable, noticesChange, remembersWrites, type Action } from './action.ts'
import { hasClosed, sent, withNewEpoch } from './events.ts'

/** A leadership ends with the connection that holds its lock, whether its follower knows or not. */
const elect: Action = (state, _setting, add) => {
  const at = state.followers.findIndex(({ phase }) => phase === 'absent')
  const isLeading = ({ phase }: Follower): boolean =>
    phase === 'elected' || phase === 'deaf' || isConnected({ phase })
  if (at < 0 || state.followers.some(isLeading)) return
  const elected = changeFollower(state, at, { phase: 'elected', gap: 'to be bumped' })
  add(`${followerName(at)} is elected`, elected)
}

/** Creates a slot, which has all that is logged from then on; or takes the durable one over, which has what nobody acknowledged. */
const connect: Action = (state, setting, add) => {
  const { rules, scenario } = setting
  const { logged } = state.database
  for (const [at, { gap, phase }] of state.followers.entries()) {
    if (phase !== 'elected' || (state.slot.isTaken && rules.sparesOthers)) continue
    const isNew = isBinlog(scenario) ? !isFound(state, rules) : !isDurable(scenario) || state.slot.isLost
    if (isNew && rules.bumps === 'before its slot exists' && gap !== 'closed') continue
    const kept = isBinlog(scenario)
      ? Math.max(state.bookmark.position, state.slot.begins)
      : state.slot.confirmed
    const position = isNew ? logged : kept
    const isOwed =
      isNew || (isDurable(scenario) && rules.owesBump === 'unless it is noted' && !isNoted(state, rules))
    const { publication } = state.database
    const slot =
      isNew && isDurable(scenario)
        ? { ...state.slot, confirmed: logged, isLost: false, isTaken: false }
        : state.slot
    const broken = slot.isTaken ? 'takes what is not its own' : state.broken
    const follower: Follower = {
      phase: 'connected',
      read: position,
      taken: position,
      notified: position,
      publication,
      closedFor: isOwed ? NOTHING : publication,
      gap: isOwed && rules.bumps === 'after its slot exists' ? 'to be bumped' : 'closed',
      closes: isOwed ? position : logged,
      isAnnounced: !hasL1(scenario) || (rules.announces === 'after a bump alone' && !isOwed),
    }
    const isBehind = !isOwed && !hasClosed(state, follower, position)
    const sentence = isBinlog(scenario)
      ? `${followerName(at)} ${isNew ? 'finds the end of the log' : 'finds its place in the log'}`
      : `${followerName(at)} ${isNew ? 'creates a slot' : 'takes the slot over'}`
    add(
      sentence,
      changeFollower(
        { ...state, slot, broken },
        at,
        isBehind ? { ...follower, gap: 'to be read' } : follower,
      ),
    )
  }
}

/** Whether the log that the server keeps still has the place of the last event that was taken. */
const isFound = ({ bookmark, slot }: State, { findsPlace }: Rules): boolean =>
  bookmark.position !== NOTHING && (bookmark.position > slot.begins || !findsPlace)

/** Whether the store has taken all that the durable slot does not have any more, of the table as it is published now. */
function isNoted({ bookmark, database, slot }: State, { comparesPosition, comparesTables }: Rules): boolean {
  if (bookmark.position === NOTHING || (comparesPosition && slot.confirmed > bookmark.position)) return false
  return !comparesTables || bookmark.publication === database.publication
}

const stream: Action = (state, _setting, add) => {
  for (const [at, { phase }] of state.followers.entries()) {
    if (phase !== 'connected') continue
    add(`${followerName(at)} starts to read its slot`, changeFollower(state, at, { phase: 'streaming' }))
  }
}

/** A new epoch: whatever is stored or being loaded does not count any more. Tried again until the store takes it. */
const bump: Action = (state, setting, add) => {
  if (state.isDown) return
  for (const [at, follower] of state.followers.entries()) {
    if (follower.gap !== 'to be bumped' || !mayBump(state, follower, setting)) continue
    const closes = loadable(state, setting.scenario)
    const closed = changeFollower(state, at, { gap: 'closed', closes, closedFor: follower.publication })
    add(`${followerName(at)} changes the epoch`, {
      ...withNewEpoch(closed),
      registerMarked: state.registerMarked || (setting.rules.bumpMarks && remembersWrites(setting.scenario)),
      acknowledged: Math.max(state.acknowledged, closes),
    })
  }
}

function mayBump(state: State, follower: Follower, setting: Setting): boolean {
  const { bumpAwaitsLoads, bumpAwaitsWriters, bumps, joins } = setting.rules
  const isDue =
    bumps === 'before its slot exists'
      ? follower.phase === 'elected' && (!isDurable(setting.scenario) || state.slot.isLost)
      : bumps === 'after its slot exists' && isConnected(follower)
  if (!isDue || (joins === 'publication, then epoch' && !isPublished(follower.publication))) return false
  const isUnpublished = state.writers.some(({ isPublished, phase }) => phase === 'written' && !isPublished)
  if (bumpAwaitsWriters && isUnpublished) return false
  return !bumpAwaitsLoads || unsent(state, follower) <= loadable(state, setting.scenario)
}

/** The last version that the log has no event of for the follower. */
const unsent = ({ database }: State, { closes }: Follower): Version =>
  Math.max(closes, 31 - Math.clz32(database.unpublished))

/** The table joins the publication: it has the events of what is written from then on. */
const publish: Action = (state, { rules: { joins } }, add) => {
  const { publication: known } = state.database
  if (isPublished(known)) return
  for (const [at, { gap, phase, publication: compared }] of state.followers.entries()) {
    if (phase !== 'streaming' || compared !== known) continue
    if (joins === 'epoch, then publication' && gap === 'to be bumped') continue
    const publication = known + 1
    const published = changeFollower(changeDatabase(state, { publication }), at, { publication })
    const owing =
      joins === 'epoch, then publication'
        ? changeFollower(published, at, { closedFor: publication })
        : changeFollower(published, at, { gap: 'to be bumped', closes: state.database.logged })
    add(`${followerName(at)} adds the table to the publication`, owing)
  }
}

/** What it may have missed is unknown, so the table does not count as followed until it has joined again. */
const notice: Action = (state, { rules, scenario }, add) => {
  const { logged: closes, publication } = state.database
  for (const [at, follower] of state.followers.entries()) {
    if (follower.phase !== 'streaming' || !noticesChange(state.database, follower, rules)) continue
    const change = { publication, closes, gap: 'to be bumped', isAnnounced: !hasL1(scenario) } as const
    add(`${followerName(at)} notices that the publication has changed`, changeFollower(state, at, change))
  }
}

/** All processes empty L1. */
const announce: Action = (state, setting, add) => {
  if (state.isDown) return
  for (const [at, { closes, gap, isAnnounced, phase }] of state.followers.entries()) {
    const isEarly = gap !== 'closed' && setting.rules.announces !== 'before the bump'
    if (phase !== 'streaming' || isEarly || isAnnounced) continue
    const announced = changeFollower(sent(state, closes, setting), at, { isAnnounced: true })
    add(`${followerName(at)} has all processes empty L1`, announced)
  }
}

const disconnect: Action = (state, _setting, add) => {
  if (state.faults.disconnect === 0) return
  for (const [at, follower] of state.followers.entries()) {
    if (follower.phase !== 'elected' && !isConnected(follower)) continue
    const faults = { ...state.faults, disconnect: state.faults.disconnect - 1 }
    const left = changeFollower({ ...state, faults }, at, { phase: 'zombie' })
    add(`${followerName(at)} loses its connections, and does not know`, left)
  }
}

/** The end of the log is before what it has read: the log is another one. */
const noticeDeletion: Action = (state, { rules }, add) => {
  if (!rules.noticesDeletion) return
  for (const [at, { phase }] of state.followers.entries()) {
    if (phase !== 'deaf') continue
    add(
      `${followerName(at)} notices that its log was deleted`,
      changeFollower(state, at, { phase: 'zombie' }),
    )
  }
}

const stop: Action = (state, _setting, add) => {
  for (const [at, { phase }] of state.followers.entries()) {
    if (phase !== 'zombie') continue
    // What it did makes no difference any more.
    const gone: Partial<Follower> = {
      phase: 'gone',
      read: 0,
      taken: 0,
      notified: 0,
      publication: NOTHING,
      closedFor: NOTHING,
      gap: 'closed',
      isAnnounced: true,
    }
    add(`${followerName(at)} stops`, changeFollower(state, at, gone))
  }
}

const isConnected = ({ phase }: Pick<Follower, 'phase'>): boolean =>
  phase === 'connected' || phase === 'streaming'

export const leadershipActions: readonly Action[] = [
  elect,
  connect,
  stream,
  bump,
  publish,
  notice,
  announce,
  disconnect,
  noticeDeletion,
  stop,
]
