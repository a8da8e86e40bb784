import { NOTHING, changeRow, counts, patched, type Prime, type State } from '../model.ts'
import { versionName, type Action } from './action.ts'

/** A row is read from the database, to be primed. */
const readRow: Action = (state, _setting, add) => {
  if (state.primesLeft === 0) return
  const prime: Prime = { phase: 'read', value: state.database, epoch: NOTHING, token: NOTHING }
  const primes = [...state.primes, prime]
  add(`A reads ${versionName(prime.value)}, to prime it`, {
    ...state,
    primes,
    primesLeft: state.primesLeft - 1,
  })
}

/** It reads the epoch from the register, which is that of a later write if one is remembered. */
const nameEpoch: Action = (state, { rules }, add) => {
  for (const [i, { phase }] of state.primes.entries()) {
    if (phase !== 'read') continue
    const { epoch, fences, marked } = state.register
    if (fences !== 0 || (marked && rules.registerMarks))
      add('A finds a write to the model, and primes nothing', without(state, i))
    else add('A reads the epoch', { ...state, primes: patched(state.primes, i, { phase: 'named', epoch }) })
  }
}

const lease: Action = (state, { rules }, add) => {
  for (const [i, { phase, value, epoch }] of state.primes.entries()) {
    if (phase !== 'named') continue
    const row = state.rows[0]!
    if (!rules.primeNeedsLease) {
      const stored = changeRow(without(state, i), 0, { value, epoch, expired: false })
      if (!counts(state, row)) add(`A primes ${versionName(value)} without a lease`, stored)
      continue
    }
    if (row.lease !== NOTHING || row.fences !== 0 || row.marked || counts(state, row)) {
      add('A gets no lease, and primes nothing', without(state, i))
      continue
    }
    const token = state.leasesTaken + 1
    const leased = {
      ...state,
      leasesTaken: token,
      primes: patched(state.primes, i, { phase: 'leased', token }),
    }
    add('A gets the lease, to prime', changeRow(leased, 0, { lease: token }))
  }
}

const store: Action = (state, _setting, add) => {
  for (const [i, { phase, value, epoch, token }] of state.primes.entries()) {
    if (phase !== 'leased') continue
    const done = without(state, i)
    if (state.rows[0]!.lease !== token) add('A has lost the lease, and primes nothing', done)
    else
      add(
        `A primes ${versionName(value)}`,
        changeRow(done, 0, { value, epoch, expired: false, lease: NOTHING }),
      )
  }
}

const without = (state: State, prime: number): State => ({
  ...state,
  primes: state.primes.toSpliced(prime, 1),
})

export const primeActions: readonly Action[] = [readRow, nameEpoch, lease, store]
