import type { MetricsRegistry } from '@model-cache/event-loop/internal'
import type { FollowState } from '../cache/gap.js'
import type { NamespaceCaches, OperatorLog, Store } from '../protocol/index.js'

/** What a root does about writes that Prisma does not see: what a function of `@model-cache/follow` returns. */
export interface FollowOption {
  /** What reads of caches with `follow: 'required'` do while nobody follows. */
  readonly onGap: 'serve' | 'bypass'
  /** Called once per root, before its caches are bound. */
  followFor(root: FollowedRoot): RootFollower
}

/** What a follower has to know of the root that it follows for. */
export interface FollowedRoot {
  /** Undefined for the unnamed root. */
  readonly name: string | undefined
  readonly namespace: string
  readonly store: Store
  readonly namespaceCaches: NamespaceCaches
  readonly metrics: { readonly registry: MetricsRegistry; readonly prefix: string | undefined }
  readonly log: OperatorLog
}

/** How a root learns of writes outside Prisma: from a follower of this process, or of another one. */
export interface RootFollower {
  readonly watch: FollowReports
  /** Begins to listen, and to follow as the leader or wait as a stand-by. */
  start(): Promise<void>
  /** Before the store is closed. */
  stop(): Promise<void>
}

/** What the follower says, in every process. */
export interface FollowReports extends FollowState {
  /** The last report of a follower; undefined if there is none from a moment ago. */
  readonly report: FollowerReport | undefined
}

/** What the follower of a namespace says of itself, to all processes. */
export interface FollowerReport {
  /** The id of its leadership: another leader may not know what this process has heard of before. */
  readonly follower: string
  /** When it was sent, in milliseconds by a clock of the follower that never goes back. */
  readonly atMs: number
  /** `'opening'` until everything is followed that is listed; `'resigned'` when it follows no more. */
  readonly state: 'opening' | 'following' | 'resigned'
  /**
   * How long ago the oldest change was committed that the store has not taken, in milliseconds; 0 if it has taken all. Where the log is that
   * of a standby, what the standby lags behind does not count.
   */
  readonly lagMs: number
  /** The part of the log that has not been confirmed. */
  readonly lagBytes: number
  /** Whether the log is that of a standby. */
  readonly isStandby: boolean
  /** How long ago the oldest change was committed that the standby does not have; null if that is unknown, or there is none. */
  readonly standbyLagMs: number | null
  /** The caches that are followed, by the layouts of their descriptions. */
  readonly caches: readonly string[]
}
