import { changeMarker, changeRead, NOTHING, spend, type Read, type State } from '../model.ts'
import type { Setting } from '../scenario.ts'
import { judge } from '../promises.ts'
import { counts, databaseAt, lookedAtOnce, standsOf } from '../stands.ts'
import { readName, without, type Action } from './action.ts'

/** The first marker that a read lacks. */
const missingIn = ({ stands }: Read): number => stands.indexOf(NOTHING)

/** One command: the marker that is stored, or a new one unless a fence stands. */
const ensureMarker: Action = (state, setting, add) => {
  for (const read of state.reads) {
    if (read.phase !== 'missed') continue
    const part = missingIn(read)
    const { name } = setting.scenario.parts[part]!
    const [next, nonce] = ensured(state, read, part, setting)
    if (nonce === NOTHING)
      add(`${readName(read, state)} gets no marker of ${name}, and asks the database`, without(state, read))
    else
      add(
        `${readName(read, state)} gets the marker of ${name}`,
        withMarker(next, { ...read, stands: read.stands.with(part, nonce) }, setting),
      )
  }
}

/** The command may run again, while or after its read loads. */
const ensureAgain: Action = (state, setting, add) => {
  if (state.faults['late command'] === 0) return
  for (const read of state.reads) {
    if (read.phase !== 'loading' && read.phase !== 'loaded') continue
    for (const [part, { isScoped, name }] of setting.scenario.parts.entries())
      if (isScoped && read.stands[part] !== NOTHING)
        add(
          `the command of ${readName(read, state)} for the marker of ${name} runs again`,
          ensured(spend(state, 'late command'), read, part, setting)[0],
        )
  }
}

/** @returns the nonce of the marker, or NOTHING */
function ensured(
  state: State,
  { looked }: Read,
  part: number,
  { rules, scenario }: Setting,
): readonly [State, number] {
  const { epoch, fences, nonce } = state.markers[part]!
  const under = looked.epochs[scenario.parts[part]!.register]!
  if (nonce !== NOTHING && (epoch === under || !rules.markersHaveEpoch)) return [state, nonce]
  if (fences !== 0 && rules.markersRespectFences) return [state, NOTHING]
  const newest = rules.noncesDiffer ? state.ids : ofPart(part)
  return [changeMarker({ ...state, ids: state.ids + 1 }, part, { nonce: newest, epoch: under }), newest]
}

/** A result that it had got may count now: another read has stored both. */
function withMarker(state: State, read: Read, setting: Setting): State {
  const { looked, stands } = read
  if (stands.includes(NOTHING)) return changeRead(state, read, { stands })
  const { result } = looked
  if (result && !result.isExpired && counts(result, stands, setting.rules))
    return { ...without(state, read), broken: judge(state, read, result, setting) }
  return changeRead(state, read, { stands, phase: 'loading' })
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

export const loadActions: readonly Action[] = [ensureMarker, ensureAgain, load, store]
