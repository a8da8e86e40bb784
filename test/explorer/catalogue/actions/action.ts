import type * as search from '../../search.ts'
import { bit, type Bits, type State } from '../model.ts'
import { ownEntry, type Scenario, type Setting } from '../scenario.ts'

export type Step = search.Step<State>
export type Action = search.Action<State, Setting>

const letters = 'ABCD'

/** A process with a cache is a letter and the number of its entry; one without is a worker. */
export function processName(process: number, scenario: Scenario): string {
  const own = ownEntry(scenario, process)
  return own === 0 ? `worker ${letters[process]}` : `${letters[process]} (${entryNames(own)})`
}

/** By set of entries. */
const namesOfEntries = Array.from(
  { length: 8 },
  (_, entries) =>
    [0, 1, 2]
      .filter((entry) => entries & bit(entry))
      .map((entry) => `cache ${entry + 1}`)
      .join(' and ') || 'nothing',
)

export const entryNames = (entries: Bits): string => namesOfEntries[entries]!

export const writerName = (writer: number, scenario: Scenario): string =>
  `${processName(scenario.writers[writer]!, scenario)}: write ${writer + 1}`
