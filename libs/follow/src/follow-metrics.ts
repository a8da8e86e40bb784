import {
  counterIn,
  durationBuckets,
  histogramIn,
  type MetricsRegistry,
  readingIn,
} from '@model-cache/event-loop/internal'
import type { FollowObserver } from './follow-context.js'
import type { FollowWatch } from './follow-watch.js'

export interface FollowMetricsOptions {
  /** Prefix of every metric name. @default none */
  readonly prefix: string | undefined
  /** Value of the label `root` of every series. @default series without that label */
  readonly root: string | undefined
  readonly watch: Pick<FollowWatch, 'report'>
}

/** Exports whether the database is followed, as this process hears of it, and counts what this process does as the follower. */
export function createFollowMetrics(
  registry: MetricsRegistry,
  { prefix = '', root, watch }: FollowMetricsOptions,
): FollowObserver & { stop(): void } {
  const ends: (() => void)[] = []
  const gauge = (name: string, help: string, valueOf: () => number | undefined): void => {
    const reading = readingIn(registry, { name: prefix + name, help, labelNames: ['root'] }).series(root)
    ends.push(reading.add(valueOf))
  }
  gauge(
    'model_cache_follow_connected',
    'Whether some process follows the log of the database, as this one hears of it',
    () => (watch.report?.state === 'following' ? 1 : 0),
  )
  gauge(
    'model_cache_follow_lag_seconds',
    'How long ago the oldest change was committed that the store has not taken, as the follower says',
    () => watch.report && watch.report.lagMs / 1_000,
  )
  gauge(
    'model_cache_follow_standby_lag_seconds',
    'How long ago the oldest change was committed that the followed standby does not have, as the follower says',
    () => {
      const lagMs = watch.report?.standbyLagMs
      return lagMs === undefined || lagMs === null ? undefined : lagMs / 1_000
    },
  )
  gauge(
    'model_cache_follow_lag_bytes',
    'The part of the log of the database that the follower has not confirmed',
    () => watch.report?.lagBytes,
  )
  const events = counterIn(registry, {
    name: `${prefix}model_cache_follow_events_total`,
    help: 'Changes that this process has read from the log of the database, by kind (insert, update, delete, truncate)',
    labelNames: ['kind', 'root'],
  })
  const takeovers = counterIn(registry, {
    name: `${prefix}model_cache_follow_takeovers_total`,
    help: 'How often this process has begun to follow the log of the database',
    labelNames: ['root'],
  }).series(root)
  const seconds = histogramIn(registry, durationBuckets, {
    name: `${prefix}model_cache_follow_seconds`,
    help: 'Time from the COMMIT of a change in the log of the database until the store has taken its invalidations',
    labelNames: ['root'],
  }).series(root)
  return {
    events: (kind, count) => events.series(kind, root).add(count),
    lagSeconds: (value) => seconds.observe(value),
    takeovers: (count) => takeovers.add(count),
    stop: () => ends.forEach((end) => end()),
  }
}
