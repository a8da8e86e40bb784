import { NOTHING, UNUSABLE, bit, changePod, changeRead, changeRow, counts, spend } from '../model.ts'
import type { Bits, Read, State } from '../model.ts'
import { brokenBy, floorOf } from '../promises.ts'
import { promisesOf, type Setting } from '../scenario.ts'
import { podName, versionName, type Action, type Step } from './action.ts'
import { advanceClock } from './invalidation.ts'

/** A read begins: L1 answers, or it coalesces with the one in flight, or it looks at `v`. */
export const beginRead: Action = (state, setting, add) => {
  if (state.reads.length >= (setting.scenario.readsAtOnce ?? Infinity)) return
  for (const [pod, { readsLeft, state: podState }] of state.pods.entries()) {
    if (readsLeft > 0 && podState !== 'absent') add(...begin(state, pod, setting))
  }
}

function begin(state: State, pod: number, setting: Setting): Step {
  const { scenario, rules } = setting
  const { l1, isHot, subscribed, bypasses, readsLeft } = state.pods[pod]!
  const id = state.readsBegun + 1
  const read: Read = {
    id,
    pod,
    phase: bypasses ? 'uncached' : 'asked',
    token: NOTHING,
    value: NOTHING,
    copy: NOTHING,
    snapshot: rules.loadsFrom === 'snapshot of before the lease' ? state.database : NOTHING,
    moved: false,
    epoch: state.register.epoch,
    floor: floorOf(state, pod, scenario),
  }
  const begun = changePod({ ...state, readsBegun: id }, pod, { readsLeft: readsLeft - 1 })
  const started = { ...begun, reads: [...begun.reads, read] }

  if (bypasses) return [`${name(read)} passes the row by`, started]
  if (!scenario.l1) return lookUp(started, read, setting)
  if (l1 !== NOTHING) {
    return [`${name(read)} gets ${versionName(l1)} from L1`, ended(started, read, l1, setting)]
  }
  const shared = state.reads.find((other) => other.pod === pod && !other.moved && other.phase !== 'uncached')
  if (shared && isHot && subscribed && rules.l1SharesReads) {
    return [`${name(read)} coalesces with read ${shared.id}`, coalesced(started, read, shared)]
  }
  return [`${name(read)} finds nothing in L1`, started]
}

/** A read that L1 did not answer looks at `v`. */
export const lookUpValue: Action = (state, setting, add) => {
  for (const read of state.reads) {
    if (read.phase === 'asked') add(...lookUp(state, read, setting))
  }
}

function lookUp(state: State, read: Read, setting: Setting): Step {
  const row = rowOf(state, read, setting)
  const { value, expired } = row
  const { epoch, fences } = state.register
  if (fences !== 0) {
    return [`${name(read)} finds the model fenced`, changeRead(state, read, { phase: 'uncached' })]
  }
  if (!counts(state, row))
    return [`${name(read)} misses`, changeRead(state, read, { phase: 'missed', epoch })]
  if (expired) {
    const missed = changeRead(state, read, { phase: 'missed', copy: value })
    return [`${name(read)} finds ${versionName(value)}, expired`, missed]
  }
  const sentence = `${name(read)} gets ${versionName(value)} from Valkey`
  return [sentence, got(state, read, value, setting)]
}

/** Get or acquire: the lease, the fence, or the lease of another. */
export const acquireLease: Action = (state, setting, add) => {
  for (const read of state.reads) {
    if (read.phase === 'missed') add(...acquire(state, read, setting))
  }
}

function acquire(state: State, read: Read, setting: Setting): Step {
  const { rules, scenario } = setting
  const { fingerprint } = scenario.pods[read.pod]!
  const { lease, fences } = rowOf(state, read, setting)
  const uncached = changeRead(state, read, { phase: 'uncached', copy: NOTHING })

  if (state.pods[read.pod]!.state === 'joining') {
    return [`${name(read)} is in the join window`, uncached]
  }
  const load = state.reads.find((other) => mayCoalesce(other, read, lease, setting))
  if (load) return [`${name(read)} coalesces with the load of read ${load.id}`, coalesced(state, read, load)]
  if (!rules.fillNeedsLease) {
    return [`${name(read)} takes no lease`, changeRead(state, read, { phase: 'leased', copy: NOTHING })]
  }
  if (fences !== 0 && rules.fencesStopLeases) return [`${name(read)} finds a fence`, uncached]
  if (lease !== NOTHING) {
    if (read.copy !== NOTHING) {
      const sentence = `${name(read)} finds a lease, and returns stale ${versionName(read.copy)}`
      return [sentence, ended(state, read, read.copy, setting)]
    }
    return [`${name(read)} finds the lease of another`, uncached]
  }
  const leasesTaken = state.leasesTaken + 1
  const token = rules.token === 'unique' ? leasesTaken : -2 - read.pod
  const leased = changeRead(state, read, { phase: 'leased', token, copy: NOTHING })
  const marked = rules.leaseKeepsMark && rowOf(state, read, setting).marked
  return [
    `${name(read)} gets the lease`,
    changeRow({ ...leased, leasesTaken }, fingerprint, { lease: token, marked }),
  ]
}

/** LEASE is delivered a second time, at whatever time. */
export const repeatLease: Action = (state, { scenario }, add) => {
  if (state.faults['late command'] === 0) return
  for (const { phase, pod, token } of state.reads) {
    if (phase !== 'leased' || token <= 0) continue
    const late = [
      ...state.late,
      { run: 'LEASE', fingerprint: scenario.pods[pod]!.fingerprint, token } as const,
    ]
    add(`${podName(pod)}: the LEASE is sent twice`, { ...spend(state, 'late command'), late })
  }
}

/** The state after a LEASE that had run before. */
export function runLeaseAgain(state: State, fingerprint: number, token: number, { rules }: Setting): State {
  const row = state.rows[fingerprint]!
  if (row.lease !== NOTHING || row.fences !== 0 || counts(state, row)) return state
  return changeRow(state, fingerprint, { lease: rules.repeatedLeaseDiffers ? UNUSABLE : token })
}

function mayCoalesce(load: Read, read: Read, lease: number, { rules }: Setting): boolean {
  if (load.pod !== read.pod || (load.phase !== 'leased' && load.phase !== 'loaded')) return false
  switch (rules.coalescesWith) {
    case 'load whose lease the guard holds':
      // What it stores counts under its epoch alone, as the reads that wait for it find.
      return load.token === lease && load.epoch === read.epoch
    case 'load under an unmoved clock':
      return !load.moved
    case 'any load':
      return true
  }
}

/** The reader that has the lease asks the database. */
export const loadRow: Action = (state, setting, add) => {
  const { rules } = setting
  for (const read of state.reads) {
    if (read.phase !== 'leased') continue
    const written = writtenOnConnection(state, read, setting)
    if (written !== 0 && rules.sharedLoadsAreNotStored) {
      add(`${name(read)} loads within a transaction, and stores nothing`, givenUp(state, read, setting))
      continue
    }
    const value = {
      primary: state.database,
      replica: state.replica,
      'snapshot of before the lease': read.snapshot,
    }[rules.loadsFrom]
    const seen = value | written
    add(`${name(read)} loads ${versionName(seen)}`, changeRead(state, read, { phase: 'loaded', value: seen }))
  }
}

/** What the connection of the reader's process has written, and nobody else sees yet. */
function writtenOnConnection({ writers }: State, { pod }: Read, { scenario }: Setting): Bits {
  if (!scenario.sharedConnection) return 0
  return writers.reduce((bits, { phase }, writer) => {
    const isOpen = phase === 'open' || phase === 'listed' || phase === 'fenced' || phase === 'unfenced'
    return isOpen && scenario.writers[writer] === pod ? bits | bit(writer) : bits
  }, 0)
}

/** The caller has what the database answers, as without a cache, and the lease is given back. */
function givenUp(state: State, read: Read, { scenario }: Setting): State {
  const { fingerprint } = scenario.pods[read.pod]!
  const isHeld = state.rows[fingerprint]!.lease === read.token
  const after = isHeld ? changeRow(state, fingerprint, { lease: NOTHING }) : state
  return { ...after, reads: after.reads.filter(({ id }) => id !== read.id) }
}

/** FILL: only if the guard still holds the token, `v` is set and the lease deleted. */
export const fill: Action = (state, setting, add) => {
  for (const read of state.reads) {
    if (read.phase !== 'loaded') continue
    const { fingerprint } = setting.scenario.pods[read.pod]!
    const { token, value } = read
    const filled = runFill(state, fingerprint, token, value, read.epoch, setting)
    if (filled) add(`${name(read)} fills ${versionName(value)}`, got(filled, read, value, setting))
    else
      add(`${name(read)} may not fill, and returns ${versionName(value)}`, ended(state, read, value, setting))

    if (state.faults['late command'] > 0) {
      const late = [...state.late, { run: 'FILL', fingerprint, token, value, epoch: read.epoch } as const]
      const sentence = `${name(read)} returns ${versionName(value)}, its FILL is still on the way`
      add(sentence, ended({ ...spend(state, 'late command'), late }, read, value, setting))
    }
  }
}

/** The state after FILL, or null if it changes nothing. */
export function runFill(
  state: State,
  fingerprint: number,
  token: number,
  value: Bits,
  epoch: number,
  { rules }: Setting,
): State | null {
  const held = state.rows[fingerprint]!.lease === token
  if (rules.fillCompares && rules.fillNeedsLease && !held) return null
  const lease = held && rules.fillEndsLease ? NOTHING : state.rows[fingerprint]!.lease
  return changeRow(state, fingerprint, { value, expired: false, lease, epoch })
}

/** Where it may not fill, a read asks the database, or gets what was filled while it waited. */
export const readUncached: Action = (state, setting, add) => {
  for (const read of state.reads) {
    if (read.phase !== 'uncached') continue
    const { database } = state
    const sentence = `${name(read)} reads ${versionName(database)} from the database`
    add(sentence, ended(state, read, database, setting))

    const row = rowOf(state, read, setting)
    const { value, expired } = row
    if (!counts(state, row) || expired || state.pods[read.pod]!.bypasses) continue
    add(`${name(read)} has waited, and gets ${versionName(value)}`, ended(state, read, value, setting))
  }
}

/** A value that Valkey holds goes into L1, and the read returns. */
export const keepInL1: Action = (state, setting, add) => {
  const { rules } = setting
  for (const read of state.reads) {
    if (read.phase !== 'got') continue
    const { pod, value, moved } = read
    if (!state.pods[pod]!.isHot) {
      // Nothing notes which of such reads answered last.
      const sentence = `${name(read)} returns ${versionName(value)}, which is not hot`
      add(sentence, answered(state, read, value, setting))
    } else if (state.pods[pod]!.subscribed && !(moved && rules.l1ChecksClock)) {
      const kept = changePod(answered(state, read, value, setting), pod, { l1: value })
      add(`${name(read)} puts ${versionName(value)} into L1`, kept)
    } else {
      add(`${name(read)} returns ${versionName(value)}, not into L1`, ended(state, read, value, setting))
    }
  }
}

/** Where there is L1, the reply takes a while to get there. */
function got(state: State, read: Read, value: Bits, setting: Setting): State {
  if (!setting.scenario.l1) return answered(state, read, value, setting)
  return changeRead(state, read, { phase: 'got', value, token: NOTHING })
}

/** The read has answered with what is not put into L1. */
function ended(state: State, read: Read, value: Bits, setting: Setting): State {
  const after = answered(state, read, value, setting)
  const wentPast = setting.scenario.l1 && read.phase !== 'asked'
  return wentPast && setting.rules.l1DropsWhatIsNotPut ? advanceClock(after, read.pod, setting) : after
}

function answered(state: State, read: Read, value: Bits, setting: Setting): State {
  const { scenario } = setting
  const seen = promisesOf(scenario).includes('monotonic reads') ? value : 0
  const knows = state.pods[read.pod]!.knows | seen
  // By its number: the read may have changed in the same step.
  const reads = state.reads.filter(({ id }) => id !== read.id)
  // Of what its own connection has not committed, its caller may learn.
  const broken = brokenBy(state, read, value & ~writtenOnConnection(state, read, setting), scenario)
  return changePod({ ...state, reads, broken }, read.pod, { knows })
}

/** Two reads are one from now on, which must answer to both. */
function coalesced(state: State, read: Read, other: Read): State {
  const after = changeRead(state, other, { floor: other.floor | read.floor })
  return { ...after, reads: after.reads.filter(({ id }) => id !== read.id) }
}

function rowOf(state: State, read: Read, { scenario }: Setting) {
  return state.rows[scenario.pods[read.pod]!.fingerprint]!
}

const name = ({ pod, id }: Read): string => `${podName(pod)}: read ${id}`

export const readActions: readonly Action[] = [
  beginRead,
  lookUpValue,
  acquireLease,
  repeatLease,
  loadRow,
  fill,
  readUncached,
  keepInL1,
]
