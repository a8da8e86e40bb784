import type { WorldSetting } from '../explorations.ts'
import { type Fault, noFaults } from './fault.ts'
import { NOTHING, noBookmark, type Breach, type Process, type State } from './model.ts'
import type { Rules } from './rules.ts'

export interface ScenarioProcess {
  /** How many reads it may begin. @default 0 */
  readonly reads?: number
  /** How many rows it may prime. @default 0 */
  readonly primes?: number
  /** Whether it has L1. @default false */
  readonly l1?: boolean
  /** Whether it bypasses the cache while it hears no healthy follower. @default false */
  readonly isStrict?: boolean
}

/** The bounds of one exploration, and what is promised within them. */
export interface Scenario {
  readonly name: string
  /** A cascade changes the row together with another one. @default two by SQL */
  readonly writers?: readonly ('SQL' | 'extended' | 'cascade')[]
  /** How many leaderships there may be; the first is healthy from the start. @default 2 */
  readonly followers?: number
  /** A binlog is kept by its server, whoever reads it. @default 'temporary' */
  readonly slot?: 'temporary' | 'durable' | 'binlog'
  readonly processes: readonly ScenarioProcess[]
  /** @default none */
  readonly faults?: Partial<Record<Fault, number>>
  /** Whether the table joins the publication later. @default false */
  readonly joins?: boolean
  /** Whether rows are loaded from a replica, and how the follower waits for it. @default 'none' */
  readonly replica?: 'none' | 'fences the row' | 'invalidates later'
  /** How many reads may be in flight at a time. @default 2 */
  readonly readsAtOnce?: number
  /** The breaches that must not be found. @default all */
  readonly promises?: readonly Breach[]
}

export type Setting = WorldSetting<Scenario, Rules>

export const isDurable = ({ slot }: Scenario): boolean => slot === 'durable'
export const isBinlog = ({ slot }: Scenario): boolean => slot === 'binlog'
/** Whether followers note how far they are. */
export const isNoted = (scenario: Scenario): boolean => isDurable(scenario) || isBinlog(scenario)

/** Whether writers may write a row that the publication does not have when they commit. */
export const changesPublication = ({ faults, joins }: Scenario): boolean =>
  joins === true || (faults?.publication ?? 0) > 0

export const hasL1 = ({ processes }: Scenario): boolean => processes.some(({ l1 }) => l1)

export function initialState({ scenario }: Setting): State {
  const { followers = 2, writers = ['SQL', 'SQL'] } = scenario
  const isPublished = !scenario.joins
  const publication = isPublished ? 0 : 1
  return {
    database: { logged: 0, visible: 0, replayed: 0, publication, unpublished: 0, cascaded: 0 },
    slot: { confirmed: 0, isLost: false, isTaken: false, begins: NOTHING },
    bookmark: isPublished && isNoted(scenario) ? { position: 0, publication } : noBookmark,
    writers: writers.map(() => ({ phase: 'idle', isPublished })),
    followers: Array.from({ length: followers }, (_, follower) => ({
      phase: follower === 0 ? 'streaming' : 'absent',
      read: 0,
      taken: 0,
      notified: 0,
      publication,
      closedFor: isPublished ? publication : NOTHING,
      gap: isPublished ? 'closed' : 'to be bumped',
      closes: 0,
      isAnnounced: follower === 0,
    })),
    value: 0,
    lease: NOTHING,
    fences: 0,
    marked: false,
    registerMarked: false,
    isDown: false,
    acknowledged: 0,
    committed: 0,
    processes: scenario.processes.map(({ l1, primes = 0, reads = 0 }): Process => ({
      readsLeft: reads,
      primesLeft: primes,
      l1: l1 ? 0 : NOTHING,
      hears: scenario.joins ? NOTHING : 0,
      trusted: scenario.joins ? NOTHING : 0,
      beats: Array.from({ length: followers }, () => NOTHING),
      lateBeats: 0,
      inbox: 0,
      isMissing: false,
      heard: 0,
      closed: 0,
    })),
    reads: [],
    faults: { ...noFaults, ...scenario.faults },
    readsBegun: 0,
    broken: null,
  }
}
