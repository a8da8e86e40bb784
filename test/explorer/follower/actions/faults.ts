import { changeDatabase, isPublished, noBookmark, NOTHING, spend } from '../model.ts'
import type { Follower, State } from '../model.ts'
import { isBinlog, isDurable } from '../scenario.ts'
import { versionName, type Action } from './action.ts'

const loseSlot: Action = (state, { scenario }, add) => {
  if (state.faults['slot lost'] === 0 || !isDurable(scenario) || state.slot.isLost || isRead(state)) return
  const slot = { ...state.slot, confirmed: 0, isLost: true }
  add('the slot is lost', { ...spend(state, 'slot lost'), slot })
}

/** Only what nobody reads. */
const purge: Action = (state, { scenario }, add) => {
  if (state.faults.purge === 0 || !isBinlog(scenario) || state.followers.some(isReading)) return
  const slot = { ...state.slot, begins: state.database.logged }
  add('the server deletes its log', { ...spend(state, 'purge'), slot })
}

const deleteLog: Action = (state, { scenario }, add) => {
  if (state.faults['deleted log'] === 0 || !isBinlog(scenario)) return
  const slot = { ...state.slot, begins: state.database.logged }
  const followers = state.followers.map((follower) =>
    isReading(follower) ? ({ ...follower, phase: 'deaf' } as const) : follower,
  )
  add('somebody deletes the log', { ...spend(state, 'deleted log'), slot, followers })
}

const isReading = ({ phase }: Pick<Follower, 'phase'>): boolean =>
  phase === 'connected' || phase === 'streaming' || phase === 'zombie'

/** Another program, or the follower of another store, reads what nobody has acknowledged, and leaves at some time. */
const takeSlot: Action = (state, { scenario }, add) => {
  const { slot } = state
  if (slot.isTaken) add('another program leaves the slot', { ...state, slot: { ...slot, isTaken: false } })
  if (state.faults['other reader'] === 0 || !isDurable(scenario) || slot.isLost || isRead(state)) return
  const taken = { ...slot, confirmed: state.database.logged, isTaken: true }
  add('another program reads the slot', { ...spend(state, 'other reader'), slot: taken })
}

const isRead = ({ followers, slot }: State): boolean =>
  slot.isTaken || followers.some(({ phase }) => phase === 'connected' || phase === 'streaming')

const loseBookmark: Action = (state, _setting, add) => {
  if (state.faults['lost bookmark'] === 0 || state.bookmark === noBookmark) return
  add('the store loses the bookmark', { ...spend(state, 'lost bookmark'), bookmark: noBookmark })
}

const changePublication: Action = (state, _setting, add) => {
  if (state.faults.publication === 0) return
  const { publication } = state.database
  const sentence = isPublished(publication)
    ? 'somebody takes the table out of the publication'
    : 'somebody puts the table back into the publication'
  add(sentence, changeDatabase(spend(state, 'publication'), { publication: publication + 1 }))
}

const outage: Action = (state, _setting, add) => {
  if (state.isDown) add('the store answers again', { ...state, isDown: false })
  else if (state.faults.outage > 0) add('the store goes down', { ...spend(state, 'outage'), isDown: true })
}

const evictGuard: Action = (state, _setting, add) => {
  if (state.faults['eviction of the guard'] === 0 || state.fences !== 0) return
  if (state.lease === NOTHING && !state.marked) return
  add('the guard is evicted', { ...spend(state, 'eviction of the guard'), lease: NOTHING, marked: false })
}

const evictValue: Action = (state, _setting, add) => {
  if (state.faults['eviction of the value'] === 0 || state.value === NOTHING) return
  add(`${versionName(state.value)} is evicted`, { ...spend(state, 'eviction of the value'), value: NOTHING })
}

/** The lease of a read that has ended, because the store did not take what it had loaded. */
const expireLease: Action = (state, _setting, add) => {
  if (state.lease === NOTHING || state.reads.some(({ id }) => id === state.lease)) return
  add('the lease expires', { ...state, lease: NOTHING })
}

/** A write is remembered for longer than ago a row may have been read that is primed. */
const expireMarks: Action = (state, _setting, add) => {
  if (state.reads.some(({ phase }) => phase === 'primable' || phase === 'named')) return
  if (state.marked) add('the guard forgets the write', { ...state, marked: false })
  if (state.registerMarked) add('the register forgets the write', { ...state, registerMarked: false })
}

export const faultActions: readonly Action[] = [
  loseSlot,
  purge,
  deleteLog,
  takeSlot,
  loseBookmark,
  changePublication,
  outage,
  evictGuard,
  evictValue,
  expireLease,
  expireMarks,
]
