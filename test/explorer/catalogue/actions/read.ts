import { changeProcess, changeRead, changeRow, hasAll, NOTHING } from '../model.ts'
import type { Process, Read, State } from '../model.ts'
import { nameOf, ownEntry, type Setting } from '../scenario.ts'
import { isPromised } from '../../values.ts'
import { processName, type Action, type Step } from './action.ts'
import { writersWithin } from './store.ts'

/** One tick reads the catalogue epoch, the register and the value. A read that may store nothing returns what the database holds. */
const begin: Action = (state, setting, add) => {
  const { scenario } = setting
  if (state.reads.length >= (scenario.readsAtOnce ?? 1)) return
  for (const [at, process] of state.processes.entries()) {
    if (process.readsLeft === 0 || process.state === 'absent') continue
    const readsBegun = state.readsBegun + 1
    const begun = changeProcess({ ...state, readsBegun }, at, { readsLeft: process.readsLeft - 1 })
    const [sentence, next] = readStore(begun, at, setting)
    add(`${processName(at, scenario)}: read ${readsBegun} ${sentence}`, next)
  }
}

function readStore(state: State, at: number, setting: Setting): Step {
  const { scenario, rules } = setting
  const entry = scenario.processes[at]!.entry!
  const { listed, fences } = state.registers[nameOf(scenario, entry)]!
  const { value } = state.rows[entry]!
  const process = state.processes[at]!
  const own = ownEntry(scenario, at)
  const uncached = (change: Partial<Process> = {}): State => changeProcess(state, at, change)

  if (process.bypasses) return ['passes the row by', uncached()]
  if (value !== NOTHING) {
    const isStale = !hasAll(value, state.database) && isPromised(scenario, 'stale after COMMIT')
    const sentence = value === state.database ? 'gets the row' : 'gets an old row'
    return [`${sentence} from the store`, isStale ? { ...state, broken: 'stale after COMMIT' } : state]
  }
  if (process.state !== 'serving') return ['may not store yet', uncached()]
  if ((listed & own) === 0) {
    return ['finds itself not in the register', uncached({ state: 'unlisted' })]
  }
  const isDescribed = rules.putsEntry !== 'before it joins' || (process.entries & own) !== 0
  if (!isDescribed || (rules.valuesCarryCatalogueEpoch && !process.knowsCatalogueEpoch)) {
    return ['finds another catalogue epoch, or itself not described', uncached({ state: 'outdated' })]
  }
  if (fences !== 0) return ['finds the cache fenced', uncached()]
  if ((process.awaits & writersWithin(state, rules)) !== 0) return ['may not store yet', uncached()]
  const read: Read = {
    id: state.readsBegun,
    process: at,
    phase: 'missed',
    value: NOTHING,
    isLate: false,
    hasCatalogueEpoch: true,
    hasEpoch: true,
  }
  return ['misses', { ...state, reads: [...state.reads, read] }]
}

const lease: Action = (state, setting, add) => {
  for (const read of state.reads) {
    if (read.phase !== 'missed') continue
    const entry = entryOf(read, setting)
    const row = state.rows[entry]!
    const isLate = read.isLate && setting.rules.leasesEndWithListing
    if (isLate || row.fences !== 0 || row.lease !== NOTHING) {
      add(`${label(read, setting)} gets no lease`, without(state, read))
    } else {
      const leased = changeRow(changeRead(state, read, { phase: 'leased' }), entry, { lease: read.id })
      add(`${label(read, setting)} gets the lease`, leased)
    }
  }
}

const load: Action = (state, setting, add) => {
  for (const read of state.reads) {
    if (read.phase !== 'leased') continue
    const loaded = changeRead(state, read, { phase: 'loaded', value: state.database })
    add(`${label(read, setting)} loads the row`, loaded)
  }
}

/** FILL: only under its lease. A value that carries another catalogue epoch or epoch does not count, and is as good as none. */
const fill: Action = (state, setting, add) => {
  for (const read of state.reads) {
    if (read.phase !== 'loaded') continue
    const entry = entryOf(read, setting)
    const done = without(state, read)
    if (state.rows[entry]!.lease !== read.id) {
      add(`${label(read, setting)} may not fill`, done)
      continue
    }
    const hasCatalogueEpoch =
      setting.rules.catalogueEpochIsRead === 'before the load'
        ? read.hasCatalogueEpoch
        : state.catalogue.hasEpochKey
    const counts = hasCatalogueEpoch && read.hasEpoch
    const sentence = counts ? 'fills' : 'fills what does not count'
    add(
      `${label(read, setting)} ${sentence}`,
      changeRow(done, entry, { lease: NOTHING, ...(counts && { value: read.value }) }),
    )
  }
}

const without = (state: State, read: Read): State => ({
  ...state,
  reads: state.reads.filter((other) => other !== read),
})

const entryOf = ({ process }: Read, { scenario }: Setting): number => scenario.processes[process]!.entry!

const label = ({ id, process }: Read, { scenario }: Setting): string =>
  `${processName(process, scenario)}: read ${id}`

export const readActions: readonly Action[] = [begin, lease, load, fill]
