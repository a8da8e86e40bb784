import { bit, changeData, NOTHING, primaryOf, rowShard } from '../model.ts'
import { writerName, type Action } from './action.ts'
import { replicated } from './server.ts'

/** FENCE counts once the replica, if there is one, has it. Nobody checks the connection that it goes through. */
const fence: Action = (state, setting, add) => {
  const { rules, scenario } = setting
  const shard = rowShard(state)
  for (const [writer, phase] of state.writers.entries()) {
    if (phase !== 'idle') continue
    const { fences } = primaryOf(state.shards[shard]!).data
    const changed = { fences: fences | bit(writer), value: NOTHING, valueEpoch: NOTHING, lease: NOTHING }
    const fenced = changeData(state, shard, changed)
    const acknowledged = rules.fencesAreAcknowledged ? replicated(fenced, shard) : fenced
    const writers = state.writers.with(writer, 'fenced')
    add(`${writerName(writer, scenario)} fences`, { ...acknowledged, writers })
  }
}

const commit: Action = (state, { scenario }, add) => {
  for (const [writer, phase] of state.writers.entries()) {
    if (phase !== 'fenced') continue
    const writers = state.writers.with(writer, 'committed')
    add(`${writerName(writer, scenario)} commits`, {
      ...state,
      writers,
      database: state.database | bit(writer),
    })
  }
}

export const writeActions: readonly Action[] = [fence, commit]
