import { changeRead, NOTHING, spend, undecided } from '../model.ts'
import type { Looked, Read, Result, Stands, State } from '../model.ts'
import { judge, noticedIn } from '../promises.ts'
import type { Setting } from '../scenario.ts'
import { counts, lookedAtOnce, nothingLooked, standsOf } from '../stands.ts'
import { readName, without, type Action, type Step } from './action.ts'

const begin: Action = (state, setting, add) => {
  const { hasNewcomers = false, isCluster = false, readsAtOnce = 2 } = setting.scenario
  if (state.readsLeft === 0 || state.reads.length >= readsAtOnce) return
  for (const isNewcomer of hasNewcomers ? [false, true] : [false]) {
    const read: Read = {
      ...newLook(state, setting),
      id: state.ids,
      rows: [],
      stands: [],
      stale: null,
      isNewcomer,
    }
    const reads = [...state.reads, read]
    const begun = { ...state, ids: state.ids + 1, readsLeft: state.readsLeft - 1, reads }
    const sentence = `${readName(read, begun)} begins${isNewcomer ? ' where nothing may be stored yet' : ''}`
    if (isCluster) add(sentence, begun)
    else
      for (const [what, next] of answered(begun, read, lookedAtOnce(begun, setting), setting))
        add(`${sentence} and ${what}`, next)
  }
}

/** A read that asks the store now. */
const newLook = (state: State, setting: Setting): Pick<Read, 'phase' | 'floor' | 'noticed' | 'looked'> => ({
  phase: 'looking',
  floor: state.commits.length,
  noticed: noticedIn(state, setting),
  looked: nothingLooked(state, setting),
})

/** In a cluster each node answers at its time. */
const getAnswer: Action = (state, setting, add) => {
  for (const read of state.reads) {
    if (read.phase !== 'looking' && read.phase !== 'failed') continue
    const name = readName(read, state)
    if (!setting.scenario.isCluster) {
      for (const [what, next] of answered(state, read, lookedAtOnce(state, setting), setting))
        add(`${name} looks again and ${what}`, next)
      continue
    }
    for (const [asked, looked] of answersOf(read, state, setting)) {
      const isComplete =
        looked.result !== undefined &&
        !looked.epochs.includes(undefined) &&
        !looked.markers.includes(undefined)
      if (!isComplete) add(`${name} gets ${asked}`, changeRead(state, read, { looked }))
      else
        for (const [what, next] of answered(state, read, looked, setting))
          add(`${name} gets ${asked} and ${what}`, next)
    }
  }
}

function answersOf({ looked }: Read, state: State, setting: Setting): readonly (readonly [string, Looked])[] {
  const now = lookedAtOnce(state, setting)
  const answers: [string, Looked][] = []
  if (looked.result === undefined) answers.push(['the result', { ...looked, result: now.result }])
  for (const [register, epoch] of looked.epochs.entries())
    if (epoch === undefined)
      answers.push([
        `register ${register + 1}`,
        { ...looked, epochs: looked.epochs.with(register, now.epochs[register]) },
      ])
  for (const [part, marker] of looked.markers.entries())
    if (marker === undefined)
      answers.push([
        `the marker of ${setting.scenario.parts[part]!.name}`,
        { ...looked, markers: looked.markers.with(part, now.markers[part]) },
      ])
  return answers
}

/** What a read does that has all answers. */
function answered(state: State, read: Read, looked: Looked, setting: Setting): readonly Step[] {
  if (read.phase === 'failed') return [afterFailure(state, read, looked, setting)]
  const { rules } = setting
  const { epochs, result } = looked
  const stands = standsOf(looked, setting)
  const isCurrent = result !== null && result !== undefined && counts(result, stands, rules)
  if (isCurrent && !result.isExpired) return [['gets the result', served(state, read, result, setting)]]
  const stale = result?.isExpired && (isCurrent || !rules.expiredMustCount) ? result : null
  const mayStore = !epochs.includes(NOTHING) && !read.isNewcomer && !isAwaiting(state, setting)
  if (!mayStore && stale === null) return [['asks the database', without(state, read)]]
  const lacksMarker = mayStore && stands.includes(NOTHING)
  const missed: Partial<Read> = {
    phase: lacksMarker ? 'missed' : 'loading',
    looked: lacksMarker ? looked : nothingLooked(state, setting),
    stands: mayStore ? stands : stands.map(() => NOTHING),
    stale,
  }
  const loading: Step = [stale ? 'has the result past its ttl' : 'misses', changeRead(state, read, missed)]
  if (stale === null) return [loading]
  return [
    loading,
    ['gets the result past its ttl, which another process loads', served(state, read, stale, setting)],
  ]
}

/** Nothing is stored until the writes have ended whose fences the store has lost. */
const isAwaiting = (state: State, { rules }: Setting): boolean =>
  rules.lossIsAwaited && (state.awaits & undecided(state)) !== 0

/** The result past its ttl stands in for an error if it is still there, under the same epochs. */
function afterFailure(state: State, read: Read, looked: Looked, setting: Setting): Step {
  const { stale } = read
  const isSame = JSON.stringify(looked.result) === JSON.stringify(stale)
  const isUnder = isSameStands(read.stands, standsOf(looked, setting), setting)
  return isSame && isUnder
    ? ['gets the result past its ttl, as its load failed', served(state, read, stale!, setting)]
    : ['fails', without(state, read)]
}

function isSameStands(stands: Stands, others: Stands, { rules }: Setting): boolean {
  const areUnknown = [stands, others].map((each) => each.includes(NOTHING))
  if (areUnknown.includes(true)) return !rules.unknownEpochsDiffer && !areUnknown.includes(false)
  return stands.every((stand, part) => stand === others[part])
}

function served(state: State, read: Read, result: Result, setting: Setting): State {
  return { ...without(state, read), broken: judge(state, read, result, setting) }
}

const fail: Action = (state, setting, add) => {
  if (state.faults['failed load'] === 0) return
  for (const read of state.reads) {
    if (read.phase !== 'loading' || read.rows.length > 0) continue
    const spent = spend(state, 'failed load')
    const next =
      read.stale === null
        ? without(spent, read)
        : changeRead(spent, read, { ...newLook(spent, setting), phase: 'failed' })
    add(`the load of ${readName(read, state)} fails`, next)
  }
}

const expire: Action = (state, _setting, add) => {
  const { result } = state
  if (state.faults['soft expiry'] === 0 || result === null || result.isExpired) return
  add('the ttl of the result is over', {
    ...spend(state, 'soft expiry'),
    result: { ...result, isExpired: true },
  })
}

export const lookActions: readonly Action[] = [begin, getAnswer, fail, expire]
