import { changeMarker, changeRead, NOTHING, spend } from '../model.ts'
import type { Read, State } from '../model.ts'
import type { Setting } from '../scenario.ts'
import { databaseAt, lookedAtOnce, standsOf } from '../stands.ts'
import { readName, without } from './action.ts'
import type { Action } from './action.ts'

/** The first marker that a read lacks. */
const missingIn = ({ stands }: Read): number => stands.indexOf(NOTHING)

const leaseMarker: Action = (state, { rules, scenario }, add) => {
  for (const read of state.reads) {
    if (read.phase !== 'missed') continue
    const part = missingIn(read)
    const { fences, lease } = state.markers[part]!
    const sentence = `${readName(read, state)} gets ${rules.markersAreLeased ? 'a' : 'no'} lease for the marker of ${scenario.parts[part]!.name}`
    if (!rules.markersAreLeased) add(sentence, changeRead(state, read, { phase: 'marking' }))
    else if (fences !== 0 || lease !== NOTHING)
      add(
        `${readName(read, state)} gets no lease for the marker, and asks the database`,
        without(state, read),
      )
    else add(sentence, changeRead(changeMarker(state, part, { lease: read.id }), read, { phase: 'marking' }))
  }
}

const fillMarker: Action = (state, { rules, scenario }, add) => {
  for (const read of state.reads) {
    if (read.phase !== 'marking') continue
    const part = missingIn(read)
    const { name, register } = scenario.parts[part]!
    if (rules.markersAreLeased && state.markers[part]!.lease !== read.id) {
      add(
        `${readName(read, state)} may not store the marker of ${name}, and asks the database`,
        without(state, read),
      )
      continue
    }
    const nonce = rules.noncesDiffer ? state.ids : ofPart(part)
    const stands = read.stands.with(part, nonce)
    const stored = changeMarker({ ...state, ids: state.ids + 1 }, part, {
      nonce,
      epoch: read.looked.epochs[register]!,
      lease: NOTHING,
    })
    add(
      `${readName(read, state)} stores the marker of ${name}`,
      changeRead(stored, read, { stands, phase: stands.includes(NOTHING) ? 'missed' : 'loading' }),
    )
  }
}

/** A nonce that is no other's, and always the same. */
const ofPart = (part: number): number => 1_000 + part

/** One statement for each part. */
const load: Action = (state, { scenario }, add) => {
  for (const read of state.reads) {
    if (read.phase !== 'loading') continue
    const part = read.rows.length
    const rows = [...read.rows, databaseAt(state, state.commits.length, scenario)[part]!]
    const isLast = rows.length === scenario.parts.length
    const sentence = `${readName(read, state)} loads ${scenario.parts[part]!.name}`
    if (isLast && read.stands.includes(NOTHING)) add(`${sentence}, and stores nothing`, without(state, read))
    else add(sentence, changeRead(state, read, { rows, phase: isLast ? 'loaded' : 'loading' }))
  }
}

/** FILL. The model has no lease for results: each load stores its own, which allows more than the store does. */
const store: Action = (state, setting, add) => {
  for (const read of state.reads) {
    if (read.phase !== 'loaded') continue
    const stands = standsUnder(state, read, setting)
    const result = { rows: read.rows, stands, isExpired: false }
    const stored = stands.includes(NOTHING) ? state : { ...state, result }
    const name = readName(read, state)
    add(`${name} stores the result`, without(stored, read))
    if (state.faults['late command'] > 0)
      add(`${name} stores the result, and will once more`, spend(stored, 'late command'))
  }
}

const standsUnder = (state: State, read: Read, setting: Setting): Read['stands'] =>
  setting.rules.epochsAreRead === 'before the load'
    ? read.stands
    : standsOf(lookedAtOnce(state, setting), setting)

export const loadActions: readonly Action[] = [leaseMarker, fillMarker, load, store]
