import { NOTHING, UNUSABLE, bit, changeRow, isDecided, spend, type State } from '../model.ts'
import { fingerprintCount, type Setting } from '../scenario.ts'
import type { Fault } from '../fault.ts'
import { runFill, runLeaseAgain } from './read.ts'
import { versionName, writerName, type Action } from './action.ts'
import { remembersWrites, replicated, runFence, runRelease } from './write.ts'

const expireLease: Action = (state, setting, add) =>
  loseGuard(state, setting, add, 'lease expiry', 'the lease expires', ({ lease }) => lease !== NOTHING)

const evictFences: Action = (state, setting, add) =>
  loseGuard(state, setting, add, 'eviction of fences', 'the fences are evicted', ({ fences }) => fences !== 0)

function loseGuard(
  state: State,
  setting: Setting,
  add: Parameters<Action>[2],
  fault: Fault,
  sentence: string,
  applies: (row: State['rows'][number]) => boolean,
): void {
  if (state.faults[fault] === 0) return
  for (const [fingerprint, row] of state.rows.entries()) {
    if (!applies(row)) continue
    const guard = fault === 'lease expiry' ? { lease: NOTHING } : { lease: NOTHING, fences: 0, marked: false }
    const lost = changeRow(spend(state, fault), fingerprint, guard)
    add(sentence + under(fingerprint, setting), lost)
  }
}

/** A fence expires when its deadline is over. By then the database has decided: fenceMs outlasts any COMMIT. */
const expireFence: Action = (state, setting, add) => {
  for (const [fingerprint, { fences }] of state.rows.entries()) {
    for (const [writer, holder] of state.writers.entries()) {
      if ((fences & bit(writer)) === 0) continue
      if (setting.rules.fenceOutlastsCommit && !isDecided(holder)) continue
      const left = setting.rules.fencesExpireAlone ? fences & ~bit(writer) : 0
      const sentence = `the fence of ${writerName(writer)} expires`
      const marked =
        state.rows[fingerprint]!.marked ||
        (setting.rules.expiredFenceMarks && remembersWrites(setting.scenario))
      add(sentence + under(fingerprint, setting), changeRow(state, fingerprint, { fences: left, marked }))
    }
  }
  const { register } = state
  for (const [writer, holder] of state.writers.entries()) {
    if ((register.fences & bit(writer)) === 0) continue
    if (setting.rules.fenceOutlastsCommit && !isDecided(holder)) continue
    const marked = register.marked || remembersWrites(setting.scenario)
    const fences = register.fences & ~bit(writer)
    add(`the model's fence of ${writerName(writer)} expires`, {
      ...state,
      register: { ...register, fences, marked },
    })
  }
}

/** A write is remembered for longer than ago a row may have been read that is primed. */
const expireMarks: Action = (state, _setting, add) => {
  if (state.primes.some(({ phase }) => phase !== 'leased')) return
  if (state.register.marked) {
    add('the register forgets the write', { ...state, register: { ...state.register, marked: false } })
  }
  for (const [fingerprint, { marked }] of state.rows.entries()) {
    if (marked) add('the guard forgets the write', changeRow(state, fingerprint, { marked: false }))
  }
}

/** A lease that a repeated command took expires unused. */
const expireUnusable: Action = (state, _setting, add) => {
  for (const [fingerprint, { lease }] of state.rows.entries()) {
    if (lease === UNUSABLE) {
      add('the lease of a repeated command expires', changeRow(state, fingerprint, { lease: NOTHING }))
    }
  }
}

const evictValue: Action = (state, setting, add) => {
  if (state.faults['eviction of the value'] === 0) return
  for (const [fingerprint, { value }] of state.rows.entries()) {
    if (value === NOTHING) continue
    const evicted = changeRow(spend(state, 'eviction of the value'), fingerprint, {
      value: NOTHING,
      expired: false,
    })
    add(`${versionName(value)} is evicted${under(fingerprint, setting)}`, evicted)
  }
}

const expireSoftly: Action = (state, _setting, add) => {
  if (state.faults['soft expiry'] === 0) return
  for (const [fingerprint, { value, expired }] of state.rows.entries()) {
    if (value === NOTHING || expired) continue
    add(
      `${versionName(value)} expires softly`,
      changeRow(spend(state, 'soft expiry'), fingerprint, { expired: true }),
    )
  }
}

const flush: Action = (state, _setting, add) => {
  if (state.faults.FLUSHALL === 0) return
  const none = { value: NOTHING, expired: false, lease: NOTHING, fences: 0, marked: false, epoch: 0 }
  const rows = state.rows.map(() => none)
  add('FLUSHALL', { ...spend(state, 'FLUSHALL'), rows, live: 0 })
}

const replicate: Action = (state, _setting, add) => {
  const { copy, register, rows } = state
  if (copy !== null && (copy.rows !== rows || copy.register !== register))
    add('the replica of Valkey catches up', replicated(state))
}

const promote: Action = (state, _setting, add) => {
  if (state.copy === null || state.faults.promotion === 0) return
  const { register, rows } = state.copy
  // A lease whose read is over expires.
  const isUsed = (lease: number): boolean => state.reads.some(({ token }) => token === lease)
  const restored = rows.map((row) =>
    row.lease === NOTHING || isUsed(row.lease) ? row : { ...row, lease: UNUSABLE },
  )
  const promoted = { ...spend(state, 'promotion'), register, rows: restored, copy: null }
  add('the replica takes the place of Valkey', promoted)
}

const runLateCommand: Action = (state, setting, add) => {
  for (const [i, command] of state.late.entries()) {
    const rest = { ...state, late: state.late.toSpliced(i, 1) }
    switch (command.run) {
      case 'FILL': {
        const { fingerprint, token, value, epoch } = command
        const sentence = `the FILL of ${versionName(value)} runs late`
        add(sentence, runFill(rest, fingerprint, token, value, epoch, setting) ?? rest)
        break
      }
      case 'FENCE':
        add(`the FENCE of ${writerName(command.writer)} runs late`, runFence(rest, command.writer, setting))
        break
      case 'LEASE':
        add('the LEASE runs again', runLeaseAgain(rest, command.fingerprint, command.token, setting))
        break
      case 'RELEASE': {
        const released = runRelease(rest, command.writer, setting)
        const { register } = released
        const repeated = setting.rules.repeatedEpochDiffers
          ? released
          : { ...released, register: { ...register, epoch: command.epoch } }
        add(`the RELEASE of ${writerName(command.writer)} runs again`, repeated)
        break
      }
    }
  }
}

/** Only of a mutant: the replica that it reads lags, and catches up. */
const catchUp: Action = (state, { rules }, add) => {
  if (rules.loadsFrom !== 'replica' || state.replica === state.database) return
  add('the replica catches up', { ...state, replica: state.database })
}

const under = (fingerprint: number, { scenario }: Setting): string =>
  fingerprintCount(scenario) === 1 ? '' : ` under fingerprint ${fingerprint + 1}`

export const serverActions: readonly Action[] = [
  expireLease,
  evictFences,
  expireFence,
  expireMarks,
  expireUnusable,
  evictValue,
  expireSoftly,
  flush,
  replicate,
  promote,
  runLateCommand,
  catchUp,
]
