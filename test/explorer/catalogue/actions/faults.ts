import { bit, changeCatalogue, changeRow, NOTHING, spend } from '../model.ts'
import type { State } from '../model.ts'
import { entryNames } from './action.ts'
import type { Action } from './action.ts'
import { changeRegister, withoutCatalogueEpoch } from './store.ts'

const evictHash: Action = function* (state) {
  if (state.faults['eviction of the hash'] === 0 || !state.catalogue.hasHash) return
  yield ['the hash is evicted', withoutHash(spend(state, 'eviction of the hash'))]
}

const evictWordKey: Action = function* (state, setting) {
  if (state.faults['eviction of the epoch key'] === 0 || !state.catalogue.hasEpochKey) return
  const evicted = changeCatalogue(spend(state, 'eviction of the epoch key'), { hasEpochKey: false })
  yield ['the epoch key is evicted', withoutCatalogueEpoch(evicted, setting)]
}

const evictRegister: Action = function* (state, setting) {
  if (state.faults['eviction of the register'] === 0) return
  for (const [name, { listed }] of state.registers.entries()) {
    if (listed === 0) continue
    const evicted = spend(state, 'eviction of the register')
    yield ['the register is evicted', changeRegister(evicted, name, { listed: 0, fences: 0 }, setting)]
  }
}

const expireValue: Action = function* (state) {
  if (state.faults['expiry of the value'] === 0) return
  for (const [entry, { value }] of state.rows.entries()) {
    if (value === NOTHING) continue
    const expired = changeRow(spend(state, 'expiry of the value'), entry, { value: NOTHING })
    yield [`the value of ${entryNames(bit(entry))} expires`, expired]
  }
}

const flush: Action = function* (state, setting) {
  if (state.faults.FLUSHALL === 0) return
  const flushed = withoutHash(changeCatalogue(spend(state, 'FLUSHALL'), { hasEpochKey: false }))
  const empty = state.registers.reduce(
    (next, _, name) => changeRegister(next, name, { listed: 0, fences: 0 }, setting),
    withoutCatalogueEpoch(flushed, setting),
  )
  yield [
    'FLUSHALL',
    { ...empty, rows: empty.rows.map(() => ({ value: NOTHING, lease: NOTHING, fences: 0 })) },
  ]
}

const withoutHash = (state: State): State =>
  changeCatalogue(state, {
    hasHash: false,
    isWritten: false,
    entries: 0,
    awaits: state.catalogue.awaits.map(() => 0),
  })

export const faultActions: readonly Action[] = [evictHash, evictWordKey, evictRegister, expireValue, flush]
