import { NOTHING, bit, changePod, changeRow, changeWriter, spend } from '../model.ts'
import type { Register, Row, State, Writer } from '../model.ts'
import { fingerprintCount, promisesOf, usesClock, type Scenario, type Setting } from '../scenario.ts'
import { podName, writerName, type Action } from './action.ts'
import { advanceClock, publish } from './invalidation.ts'

/** Before FENCE: which fingerprints are live. */
const listFingerprints: Action = (state, setting, add) => {
  if (fingerprintCount(setting.scenario) === 1) return
  for (const [writer, { phase }] of state.writers.entries()) {
    if (phase !== 'open') continue
    const own = bit(setting.scenario.pods[podOf(writer, setting)]!.fingerprint)
    const fingerprints = setting.rules.writersFence === 'their own fingerprint' ? own : own | state.live
    const listed = changeWriter(state, writer, { phase: 'listed', fingerprints })
    add(`${name(writer, setting)} finds ${namesOf(fingerprints)} live`, listed)
  }
}

const fence: Action = (state, setting, add) => {
  const due = setting.rules.fenced === 'after COMMIT' ? 'committed' : readyPhase(setting)
  for (const [writer, { phase }] of state.writers.entries()) {
    if (setting.rules.fenced === 'never' || phase !== due || hasFence(state, writer)) continue
    const ran = runFence(state, writer, setting)
    const fenced = changeWriter(setting.rules.fencesAreAcknowledged ? replicated(ran) : ran, writer, {
      phase: phase === 'committed' ? 'committed' : 'fenced',
    })
    const pod = podOf(writer, setting)
    const published = publish(fenced, pod, writer, setting)
    const moved = setting.rules.fenceAdvancesClock ? advanceClock(published, pod, setting) : published
    const heard = state.pods[pod]!.heard | (usesClock(setting) ? bit(writer) : 0)
    add(`${name(writer, setting)}: FENCE`, changePod(moved, pod, { heard }))
    if (phase === 'committed') continue

    if (state.copy !== null) {
      const refused = changeWriter(ran, writer, { phase: 'rolled back' })
      add(`${name(writer, setting)}: FENCE, which the replica does not acknowledge, ROLLBACK`, refused)
    }
    if (state.faults['late command'] > 0) {
      const late = [...state.late, { run: 'FENCE', writer } as const]
      const rolledBack = changeWriter(spend({ ...state, late }, 'late command'), writer, {
        phase: 'rolled back',
      })
      add(`${name(writer, setting)}: FENCE is not answered, ROLLBACK`, rolledBack)
    }
    if (state.faults.outage > 0) {
      const unfenced = changeWriter(spend(state, 'outage'), writer, { phase: 'unfenced' })
      const bypassing = setting.rules.outageBypasses
        ? advanceClock(changePod(unfenced, pod, { bypasses: true }), pod, setting)
        : unfenced
      add(`${name(writer, setting)}: FENCE fails, it goes on`, bypassing)
    }
  }
}

/** The replica of Valkey has all of it. */
export const replicated = (state: State): State =>
  state.copy === null ? state : { ...state, copy: { rows: state.rows, register: state.register } }

/** FENCE as Valkey runs it, for all of the writer's fingerprints. */
export function runFence(state: State, writer: number, { rules, scenario }: Setting): State {
  if (scenario.writesModel) {
    const { register } = state
    return withNewEpoch(state, { ...register, fences: register.fences | bit(writer) })
  }
  return forEachRow(state, state.writers[writer]!, (row) => ({
    ...row,
    ...(rules.fenceUnlinks && gone(row, rules.invalidatedIsGone)),
    lease: rules.fenceEndsLease ? NOTHING : row.lease,
    fences: rules.fencesAreSet ? row.fences | bit(writer) : bit(writer),
  }))
}

const commitOrRollBack: Action = (state, setting, add) => {
  for (const [writer, { phase }] of state.writers.entries()) {
    const ready = setting.rules.fenced === 'before COMMIT' ? 'fenced' : readyPhase(setting)
    if (phase !== ready && phase !== 'unfenced' && phase !== 'orphaned') continue
    const orphaned = phase === 'orphaned'
    const committed = changeWriter(state, writer, { phase: orphaned ? 'dead' : 'committed' })
    const database = state.database | bit(writer)
    // A writer that waits for nothing continues at once, and reads what it wrote.
    const known = phase === 'unfenced' ? knowing(committed, writer, setting) : committed
    add(`${name(writer, setting)}: COMMIT`, { ...known, database })
    add(
      `${name(writer, setting)}: ROLLBACK`,
      changeWriter(state, writer, { phase: orphaned ? 'dead' : 'rolled back' }),
    )
  }
}

/** The write returns to its caller, which does not wait for RELEASE. */
const returnToCaller: Action = (state, setting, add) => {
  if (!isNoticed(setting)) return
  for (const [writer, { phase }] of state.writers.entries()) {
    if (phase !== 'committed') continue
    if (setting.rules.fenced === 'after COMMIT' && !hasFence(state, writer)) continue
    const pod = podOf(writer, setting)
    const returned = changeWriter(state, writer, { phase: 'returned' })
    const moved = setting.rules.releaseAdvancesClock ? advanceClock(returned, pod, setting) : returned
    add(`${name(writer, setting)} returns`, knowing(moved, writer, setting))
  }
}

const release: Action = (state, setting, add) => {
  for (const [writer, { phase }] of state.writers.entries()) {
    if (phase !== (isNoticed(setting) ? 'returned' : 'committed') && phase !== 'rolled back') continue
    const pod = podOf(writer, setting)
    const released = changeWriter(runRelease(state, writer, setting), writer, { phase: 'released' })
    const published = publish(released, pod, writer, setting)
    const moved = setting.rules.releaseAdvancesClock ? advanceClock(published, pod, setting) : published
    const done = changePod(moved, pod, { bypasses: false })
    add(`${name(writer, setting)}: RELEASE`, done)

    if (state.faults['late command'] > 0) {
      const late = [...done.late, { run: 'RELEASE', writer, epoch: done.register.epoch } as const]
      add(`${name(writer, setting)}: RELEASE, which is sent twice`, { ...spend(done, 'late command'), late })
    }
  }
}

/** RELEASE as Valkey runs it. */
export function runRelease(state: State, writer: number, { rules, scenario }: Setting): State {
  if (scenario.writesModel) {
    const { register } = state
    const marked = register.marked || remembersWrites(scenario)
    return withNewEpoch(state, { ...register, fences: register.fences & ~bit(writer), marked })
  }
  return forEachRow(state, state.writers[writer]!, (row) => {
    const fences = rules.releaseSparesFences ? row.fences & ~bit(writer) : 0
    return {
      ...row,
      ...(rules.releaseUnlinks && gone(row, rules.invalidatedIsGone)),
      lease: rules.releaseEndsLease ? NOTHING : row.lease,
      fences,
      marked: row.marked || (remembersWrites(scenario) && (fences === 0 || rules.releaseMarksBesideFences)),
    }
  })
}

/** Marks say something only where rows are primed. */
export const remembersWrites = ({ primes = 0 }: Scenario): boolean => primes > 0

function withNewEpoch(state: State, register: Register): State {
  const epoch = state.epochsBegun + 1
  return { ...state, register: { ...register, epoch }, epochsBegun: epoch }
}

/** The process dies. Its COMMIT may be on the way, or its transaction is rolled back. */
const crash: Action = (state, setting, add) => {
  if (state.faults.crash === 0) return
  for (const [writer, { phase }] of state.writers.entries()) {
    const pending = phase === 'fenced' || phase === 'unfenced'
    if (!pending && phase !== 'committed' && phase !== 'returned') continue
    const crashed = changeWriter(spend(state, 'crash'), writer, { phase: pending ? 'orphaned' : 'dead' })
    add(`${name(writer, setting)}: its process crashes`, crashed)
  }
}

/** The connection is lost while the transaction ends: its COMMIT may be on the way. */
const loseEnd: Action = (state, setting, add) => {
  if (state.faults['unknown end'] === 0) return
  for (const [writer, { phase }] of state.writers.entries()) {
    if (phase !== 'fenced') continue
    const lost = changeWriter(spend(state, 'unknown end'), writer, { phase: 'orphaned' })
    const { unknownEndKeepsFence } = setting.rules
    const sentence = `${name(writer, setting)}: its end is unknown${unknownEndKeepsFence ? '' : ', RELEASE'}`
    add(sentence, unknownEndKeepsFence ? lost : runRelease(lost, writer, setting))
  }
}

/** The transaction is rolled back before any FENCE, which matters to those who have seen what it wrote. */
const rollBackUnfenced: Action = (state, setting, add) => {
  if (!setting.scenario.sharedConnection) return
  for (const [writer, { phase }] of state.writers.entries())
    if (phase === 'open')
      add(`${name(writer, setting)}: ROLLBACK`, changeWriter(state, writer, { phase: 'dead' }))
}

/** Only of a mutant: a read in the transaction sees its own write, and fills it. */
const fillInTransaction: Action = (state, setting, add) => {
  if (setting.rules.transactionsBypass) return
  for (const [writer, { phase }] of state.writers.entries()) {
    const { lease, fences, value } = state.rows[0]!
    if (phase !== 'open' || lease !== NOTHING || fences !== 0 || value !== NOTHING) continue
    const filled = changeRow(state, 0, { value: state.database | bit(writer), expired: false })
    const sentence = `${name(writer, setting)}: a read inside its transaction fills, then ROLLBACK before any FENCE`
    add(sentence, changeWriter(filled, writer, { phase: 'dead' }))
  }
}

/** The change that makes a value unfit to be served. */
function gone({ value }: Row, unlinked: boolean): Partial<Row> {
  return unlinked ? { value: NOTHING, expired: false } : { expired: value !== NOTHING }
}

function forEachRow(state: State, { fingerprints }: Writer, change: (row: Row) => Row): State {
  const rows = state.rows.map((row, fingerprint) => (fingerprints & bit(fingerprint) ? change(row) : row))
  return { ...state, rows }
}

/** Whether it makes a difference that a write returns before RELEASE: to what a read must see, or to what the process holds. */
function isNoticed(setting: Setting): boolean {
  return promisesOf(setting.scenario).includes('read your writes') || usesClock(setting)
}

/** Its caller knows that the write is done: from now on the process must see it. */
function knowing(state: State, writer: number, setting: Setting): State {
  if (!promisesOf(setting.scenario).includes('read your writes')) return state
  const pod = podOf(writer, setting)
  return changePod(state, pod, { knows: state.pods[pod]!.knows | bit(writer) })
}

const hasFence = ({ register, rows }: State, writer: number): boolean =>
  [register, ...rows].some(({ fences }) => (fences & bit(writer)) !== 0)

const readyPhase = ({ scenario }: Setting) => (fingerprintCount(scenario) === 1 ? 'open' : 'listed')

const podOf = (writer: number, { scenario }: Setting): number => scenario.writers[writer]!

const name = (writer: number, setting: Setting): string =>
  `${podName(podOf(writer, setting))}: ${writerName(writer)}`

const namesOf = (fingerprints: number): string =>
  [0, 1]
    .filter((fingerprint) => fingerprints & bit(fingerprint))
    .map((fingerprint) => `fingerprint ${fingerprint + 1}`)
    .join(' and ')

export const writeActions: readonly Action[] = [
  listFingerprints,
  fence,
  commitOrRollBack,
  returnToCaller,
  release,
  crash,
  loseEnd,
  rollBackUnfenced,
  fillInTransaction,
]
