import type { NamespaceCaches, OperatorLog, Store } from 'model-cache/internal'
import type { DatabaseLog } from './database-log.js'
import type { FollowWatch } from './follow-watch.js'
import type { LoggedChange } from './logged-change.js'

/** Counts what a follower does. */
export interface FollowObserver {
  /** A change has been read from the log. */
  events(kind: LoggedChange['kind'], count: number): void
  /** The time from COMMIT until the store has taken its invalidations. */
  lagSeconds(seconds: number): void
  /** This process follows now, after another one or after a gap. */
  takeovers(count: number): void
}

/** What following a database for the caches of a namespace takes. */
export interface FollowContext {
  readonly database: DatabaseLog
  /** The namespace of the caches, which all of their followers name. */
  readonly namespace: string
  readonly namespaceCaches: NamespaceCaches
  /** The store of the caches. */
  readonly store: Store
  readonly watch: FollowWatch
  readonly observer: FollowObserver
  readonly log: OperatorLog
}
