import type * as search from '../../search.ts'
import type { Read, State } from '../model.ts'
import type { Setting } from '../scenario.ts'

export type Step = search.Step<State>
export type Action = search.Action<State, Setting>

export const readName = ({ id }: Read, { reads }: State): string =>
  `read ${'AB'[reads.findIndex((other) => other.id === id)]!}`

export const writerName = (writer: number): string => `write ${writer + 1}`

/** The state after a read has been answered. */
export const without = (state: State, { id }: Read): State => ({
  ...state,
  reads: state.reads.filter((read) => read.id !== id),
})
