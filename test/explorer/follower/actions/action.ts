import type * as search from '../../search.ts'
import { bit, isPublished, NOTHING } from '../model.ts'
import type { Database, Follower, State, Version } from '../model.ts'
import type { Scenario, Setting } from '../scenario.ts'

export type Step = search.Step<State>
export type Action = search.Action<State, Setting>

const letters = 'ABC'

export const processName = (process: number): string => `process ${letters[process]}`
export const followerName = (follower: number): string => `follower ${follower + 1}`
export const writerName = (writer: number): string => `writer ${writer + 1}`
export const versionName = (version: Version): string => (version === 0 ? 'the old row' : `row ${version}`)

/** Whether the follower has yet to notice that the publication is not the one that it knows. */
export function noticesChange(
  { publication: now }: Database,
  { publication }: Follower,
  { notices }: Setting['rules'],
): boolean {
  if (notices === 'by its version') return publication !== now
  return notices === 'by whether it has the table' && isPublished(publication) !== isPublished(now)
}

/** What a load gets. */
export const loadable = ({ database }: State, { replica = 'none' }: Scenario): Version =>
  replica === 'none' ? database.visible : database.replayed

/** The first version after this one that the log has an event of, or NOTHING. */
export function nextEvent({ logged, unpublished }: Database, after: Version): Version {
  for (let version = after + 1; version <= logged; version++) {
    if ((unpublished & bit(version)) === 0) return version
  }
  return NOTHING
}

/** The store deletes the value and ends the leases. */
export const unlinked = (state: State): State => ({ ...state, value: NOTHING, lease: NOTHING })

/** Marks matter to rows that are primed alone. */
export const remembersWrites = ({ processes }: Scenario): boolean =>
  processes.some(({ primes = 0 }) => primes > 0)
