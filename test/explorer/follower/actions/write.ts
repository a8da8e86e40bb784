import { bit, changeDatabase, changeWriter, isPublished, type State } from '../model.ts'
import { changesPublication, type Scenario } from '../scenario.ts'
import { remembersWrites, unlinked, writerName, type Action } from './action.ts'

/** The statement, which locks the row. The extended client fences it, too. */
const write: Action = (state, { scenario }, add) => {
  if (state.writers.some(({ phase }) => phase === 'written' || phase === 'logged')) return
  for (const [writer, { phase }] of state.writers.entries()) {
    if (phase !== 'idle') continue
    const written = changeWriter(state, writer, {
      phase: 'written',
      isPublished: isPublished(state.database.publication),
    })
    if (scenario.writers?.[writer] === 'extended') {
      if (state.isDown) continue
      const fenced = { ...unlinked(written), fences: state.fences | bit(writer) }
      add(`${writerName(writer)} writes and sends FENCE`, fenced)
    } else if (changesPublication(scenario)) {
      add(`${writerName(writer)} writes`, written)
    } else {
      add(`${writerName(writer)} writes, and its COMMIT is logged`, logged(written, writer, scenario))
    }
  }
}

const log: Action = (state, { scenario }, add) => {
  for (const [writer, { phase }] of state.writers.entries()) {
    if (phase === 'written')
      add(`the COMMIT of ${writerName(writer)} is logged`, logged(state, writer, scenario))
  }
}

function logged(state: State, writer: number, scenario: Scenario): State {
  const version = state.database.logged + 1
  const isUnpublished = !state.writers[writer]!.isPublished
  const unpublished = state.database.unpublished | (isUnpublished ? bit(version) : 0)
  const cascaded = state.database.cascaded | (scenario.writers?.[writer] === 'cascade' ? bit(version) : 0)
  const next = changeWriter(state, writer, { phase: 'logged' })
  return changeDatabase(next, { logged: version, unpublished, cascaded })
}

const show: Action = (state, { scenario }, add) => {
  for (const [writer, { phase }] of state.writers.entries()) {
    if (phase !== 'logged') continue
    const isExtended = scenario.writers?.[writer] === 'extended'
    const { logged: visible } = state.database
    const shown = changeWriter(changeDatabase(state, { visible }), writer, {
      phase: isExtended ? 'visible' : 'released',
    })
    add(
      `the COMMIT of ${writerName(writer)} can be seen`,
      isExtended ? { ...shown, committed: visible } : shown,
    )
  }
}

const release: Action = (state, { scenario }, add) => {
  if (state.isDown) return
  for (const [writer, { phase }] of state.writers.entries()) {
    if (phase !== 'visible') continue
    const released = changeWriter(unlinked(state), writer, { phase: 'released' })
    const marked = state.marked || remembersWrites(scenario)
    add(`${writerName(writer)} sends RELEASE`, { ...released, fences: state.fences & ~bit(writer), marked })
  }
}

const replay: Action = (state, { scenario }, add) => {
  const { logged: last, replayed } = state.database
  if ((scenario.replica ?? 'none') === 'none' || replayed === last) return
  add(`the replica has row ${replayed + 1}`, changeDatabase(state, { replayed: replayed + 1 }))
}

export const writeActions: readonly Action[] = [write, log, show, release, replay]
