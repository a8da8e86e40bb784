import { changeProcess, changeRead, NOTHING, type State } from '../model.ts'
import { newRead } from '../promises.ts'
import { loadable, processName, versionName, type Action } from './action.ts'

/** A row is read from the database, to be primed. */
const readRow: Action = (state, setting, add) => {
  for (const [process, { hears, primesLeft }] of state.processes.entries()) {
    const isBypassing = setting.scenario.processes[process]!.isStrict && hears === NOTHING
    if (primesLeft === 0 || isBypassing) continue
    const value = loadable(state, setting.scenario)
    const begun = changeProcess(state, process, { primesLeft: primesLeft - 1 })
    const [next] = newRead(begun, process, { phase: 'primable', value }, setting)
    add(`${processName(process)} reads ${versionName(value)}, to prime it`, next)
  }
}

const nameEpoch: Action = (state, _setting, add) => {
  for (const read of state.reads) {
    if (read.phase !== 'primable') continue
    const name = processName(read.process)
    if (state.isDown || state.registerMarked)
      add(`${name} cannot read the epoch, or finds a mark, and primes nothing`, without(state, read.id))
    else add(`${name} reads the epoch, to prime`, changeRead(state, read, { phase: 'named', hasEpoch: true }))
  }
}

const lease: Action = (state, _setting, add) => {
  for (const read of state.reads) {
    if (read.phase !== 'named') continue
    const { fences, isDown, lease: held, marked, value } = state
    const name = processName(read.process)
    if (isDown || marked || fences !== 0 || held !== NOTHING || value !== NOTHING)
      add(`${name} gets no lease, and primes nothing`, without(state, read.id))
    else
      add(`${name} gets the lease, to prime`, {
        ...changeRead(state, read, { phase: 'priming' }),
        lease: read.id,
      })
  }
}

const store: Action = (state, _setting, add) => {
  for (const read of state.reads) {
    if (read.phase !== 'priming') continue
    const done = without(state, read.id)
    const name = processName(read.process)
    if (state.isDown || state.lease !== read.id) add(`${name} may not prime`, done)
    else {
      const value = read.hasEpoch ? read.value : state.value
      add(`${name} primes ${versionName(read.value)}`, { ...done, value, lease: NOTHING })
    }
  }
}

const without = (state: State, read: number): State => ({
  ...state,
  reads: state.reads.filter(({ id }) => id !== read),
})

export const primeActions: readonly Action[] = [readRow, nameEpoch, lease, store]
