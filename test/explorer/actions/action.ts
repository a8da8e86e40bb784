import type * as search from '../search.ts'
import type { State } from '../model.ts'
import type { Setting } from '../scenario.ts'

export type Step = search.Step<State>
export type Action = search.Action<State, Setting>

const PODS = 'ABC'
export const podName = (pod: number): string => PODS[pod]!
export const writerName = (writer: number): string => `write ${writer + 1}`

/** A version of the row in words: what it was at first, or the writes that it has seen. */
export function versionName(version: number): string {
  if (version === 0) return 'the old row'
  const writes = [0, 1, 2].filter((writer) => version & (1 << writer)).map((writer) => writer + 1)
  return `the row of write ${writes.join(' + ')}`
}
