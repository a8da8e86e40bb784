import { bit, changeCatalogue, changeRow, NOTHING, spend, type Register, type State } from '../model.ts'
import { entryNames, type Action } from './action.ts'
import { changeRegister, withoutCatalogueEpoch } from './store.ts'

const evictHash: Action = (state, _setting, add) => {
  if (state.faults['eviction of the hash'] === 0 || !state.catalogue.hasHash) return
  add('the hash is evicted', withoutHash(spend(state, 'eviction of the hash')))
}

const evictWordKey: Action = (state, setting, add) => {
  if (state.faults['eviction of the epoch key'] === 0 || !state.catalogue.hasEpochKey) return
  const evicted = changeCatalogue(spend(state, 'eviction of the epoch key'), { hasEpochKey: false })
  add('the epoch key is evicted', withoutCatalogueEpoch(evicted, setting))
}

const lostRegister: Register = { listed: 0, fences: 0, isNew: true }

const evictRegister: Action = (state, setting, add) => {
  if (state.faults['eviction of the register'] === 0) return
  for (const [name, { listed }] of state.registers.entries()) {
    if (listed === 0) continue
    const evicted = spend(state, 'eviction of the register')
    add('the register is evicted', changeRegister(evicted, name, lostRegister, setting))
  }
}

const expireValue: Action = (state, _setting, add) => {
  if (state.faults['expiry of the value'] === 0) return
  for (const [entry, { value }] of state.rows.entries()) {
    if (value === NOTHING) continue
    const expired = changeRow(spend(state, 'expiry of the value'), entry, { value: NOTHING })
    add(`the value of ${entryNames(bit(entry))} expires`, expired)
  }
}

const flush: Action = (state, setting, add) => {
  if (state.faults.FLUSHALL === 0) return
  const flushed = withoutHash(changeCatalogue(spend(state, 'FLUSHALL'), { hasEpochKey: false }))
  const empty = state.registers.reduce(
    (next, _, name) => changeRegister(next, name, lostRegister, setting),
    withoutCatalogueEpoch(flushed, setting),
  )
  add('FLUSHALL', { ...empty, rows: empty.rows.map(() => ({ value: NOTHING, lease: NOTHING, fences: 0 })) })
}

const withoutHash = (state: State): State =>
  changeCatalogue(state, {
    hasHash: false,
    isWritten: false,
    entries: 0,
    awaits: state.catalogue.awaits.map(() => 0),
  })

export const faultActions: readonly Action[] = [evictHash, evictWordKey, evictRegister, expireValue, flush]
