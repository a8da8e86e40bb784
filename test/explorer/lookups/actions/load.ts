import { changeRead, changeSlot, databaseOf, NOTHING, type Read, type State } from '../model.ts'
import { entryOf, idsIn } from '../row.ts'
import type { Setting } from '../scenario.ts'
import { entryName, type Action } from './action.ts'
import { carriesExistenceEpoch, isOpen } from './guards.ts'
import { answeredWith, ended, entryInL1, name, pastL1, queried, slotOfRead } from './read.ts'

const lease: Action = (state, setting, add) => {
  const { leaseIsTaken } = setting.rules
  const due = leaseIsTaken === 'before the load' ? 'missed' : 'loaded'
  if (leaseIsTaken === 'never') return
  for (const read of state.reads) {
    if (read.phase !== due || read.token !== NOTHING) continue
    const slot = slotOfRead(read, setting)
    const { lease, fences } = state.slots[slot]!
    const label = name(read, setting)
    if (fences !== 0 || lease !== NOTHING) {
      const found = fences !== 0 ? 'a fence' : 'the lease of another'
      if (due === 'loaded') add(`${label} finds ${found}, and stores nothing`, ended(state, read))
      else add(`${label} finds ${found}`, changeRead(state, read, { phase: 'uncached' }))
      continue
    }
    const token = 2 * read.id
    const phase = due === 'loaded' ? 'loaded' : 'leased'
    add(
      `${label} gets the lease`,
      changeRead(changeSlot(state, slot, { lease: token }), read, { phase, token }),
    )
  }
}

/** The reader that has the lease asks the database for key and rows in one query, and answers. */
const load: Action = (state, setting, add) => {
  const { rules, scenario } = setting
  const due = rules.leaseIsTaken === 'before the load' ? 'leased' : 'missed'
  for (const read of state.reads) {
    if (read.phase !== due) continue
    const { key } = scenario.readers[read.reader]!
    const answer = queried(state, read, setting)
    const entry = entryOf(databaseOf(state), key)
    const loaded = changeRead(state, read, { phase: 'loaded', entry, rows: answer.rows })
    const past = pastL1(loaded, read, answer.ids, setting)
    // Its own drop does not keep its entry out of L1.
    const own = changeRead(past, read, { moved: read.moved })
    add(`${name(read, setting)} loads ${entryName(entry)}`, answeredWith(own, read, answer, setting))
  }
}

/** FILL: only if the guard still holds the token, the entry is stored and the lease deleted. */
const fill: Action = (state, setting, add) => {
  const isNever = setting.rules.leaseIsTaken === 'never'
  for (const read of state.reads) {
    if (read.phase !== 'loaded' || (read.token === NOTHING && !isNever)) continue
    const slot = slotOfRead(read, setting)
    const label = name(read, setting)
    if (!isNever && state.slots[slot]!.lease !== read.token) {
      add(`${label} has lost the lease`, stored(state, read, setting))
      continue
    }
    const counts = isCurrent(state, read, slot, setting)
    const filled = changeSlot(state, slot, { value: counts ? read.entry : NOTHING, lease: NOTHING })
    const next = counts ? entryInL1(filled, read, setting) : filled
    add(`${label} stores ${entryName(read.entry)}`, stored(next, read, setting))
  }
}

/** Whether what it stores counts: under the epochs that it read before its load, or only of a mutant reads now. */
function isCurrent(state: State, read: Read, slot: number, setting: Setting): boolean {
  if (setting.rules.epochIsRead === 'after the load') return isOpen(state, read.entry, slot, setting)
  if (!read.hasEpoch) return false
  return read.hasExistenceEpoch || !carriesExistenceEpoch(read.entry, slot, setting.scenario, setting.rules)
}

/** The entry is stored or not; its rows may be primed. */
function stored(state: State, read: Read, { scenario }: Setting): State {
  if (!scenario.primes || read.rows.length === 0) return ended(state, read)
  return changeRead(state, read, { phase: 'entered', token: NOTHING })
}

/** The epoch for its rows, which is that of a later write if one is remembered. */
const nameEpoch: Action = (state, setting, add) => {
  for (const read of state.reads) {
    if (read.phase !== 'entered') continue
    const { fences, marked } = state.register
    const label = name(read, setting)
    if (fences !== 0 || (marked && setting.rules.registerMarks)) {
      add(`${label} finds a write to the model, and primes nothing`, ended(state, read))
    } else add(`${label} reads the epoch`, changeRead(state, read, { phase: 'named', hasEpoch: true }))
  }
}

/** Leases for all of its rows; a row that is stored, leased, fenced or marked is not primed. */
const leaseRows: Action = (state, setting, add) => {
  const { primeNeedsLease } = setting.rules
  for (const read of state.reads) {
    if (read.phase !== 'named') continue
    const token = 2 * read.id + 1
    const label = name(read, setting)
    if (!primeNeedsLease) {
      add(
        `${label} primes its rows without a lease`,
        ended(
          primed(state, read, () => true),
          read,
        ),
      )
      continue
    }
    const slots = state.slots.map((slot, at) => {
      const isFree = slot.value === NOTHING && slot.lease === NOTHING && slot.fences === 0 && !slot.marked
      return isFree && idsIn(read.entry).includes(at) ? { ...slot, lease: token } : slot
    })
    if (slots.every(({ lease }) => lease !== token)) {
      add(`${label} gets no lease, and primes nothing`, ended(state, read))
    } else {
      add(
        `${label} gets leases, to prime`,
        changeRead({ ...state, slots }, read, { phase: 'primable', token }),
      )
    }
  }
}

const prime: Action = (state, setting, add) => {
  for (const read of state.reads) {
    if (read.phase !== 'primable') continue
    const next = primed(state, read, (at) => state.slots[at]!.lease === read.token)
    add(`${name(read, setting)} primes its rows`, ended(next, read))
  }
}

function primed(state: State, read: Read, isHeld: (slot: number) => boolean): State {
  const ids = idsIn(read.entry)
  const slots = state.slots.map((slot, at) => {
    const position = ids.indexOf(at)
    if (position < 0 || !isHeld(at)) return slot
    return { ...slot, value: read.hasEpoch ? read.rows[position]! : NOTHING, lease: NOTHING }
  })
  return { ...state, slots }
}

export const loadActions: readonly Action[] = [lease, load, fill, nameEpoch, leaseRows, prime]
