import type { State } from '../model.ts'
import type { Setting } from '../scenario.ts'

/** One thing that may happen next, as a sentence, and the world after it. */
export type Step = readonly [sentence: string, next: State]

/**
 * A guarded step of one kind: adds all ways in which it may happen in a state, none when its guard does not hold. A generator
 * would read better, and take twice as long: an exploration asks millions of times.
 */
export type Action = (state: State, setting: Setting, add: (...step: Step) => void) => void

const PODS = 'ABC'
export const podName = (pod: number): string => PODS[pod]!
export const writerName = (writer: number): string => `write ${writer + 1}`

/** A version of the row in words: what it was at first, or the writes that it has seen. */
export function versionName(version: number): string {
  if (version === 0) return 'the old row'
  const writes = [0, 1, 2].filter((writer) => version & (1 << writer)).map((writer) => writer + 1)
  return `the row of write ${writes.join(' + ')}`
}
