import { registerPackage } from '@model-cache/event-loop/internal'
import { type FollowOption, invalidOptionError } from 'model-cache/internal'
import type { DatabaseLog } from './database-log.js'
import { createRootFollower } from './root-follower.js'

/** Written by scripts/build-library.ts. */
declare const PACKAGE_VERSION: string | undefined
registerPackage(
  '@model-cache/follow',
  typeof PACKAGE_VERSION === 'undefined' ? undefined : PACKAGE_VERSION,
  new Error('Here'),
)

/** What a root does about writes that Prisma does not see: the result of `followPostgres`, `followMysql` or `followElsewhere`. */
export interface Follow extends FollowOption {
  /** Returns the log of the database for a namespace; undefined if another process follows it. */
  readonly openLog: ((namespace: string) => DatabaseLog) | undefined
  /** Milliseconds. */
  readonly maxLagMs: number
}

export interface GapOptions {
  /**
   * What reads of caches with `follow: 'required'` do while nobody follows, or the lag is above `maxLagMs`: `'bypass'` reads the database,
   * `'serve'` what is cached. @default 'bypass'
   */
  readonly onGap?: 'serve' | 'bypass'
  /** The lag from which on caches do not count as followed, in milliseconds. @default 10_000 */
  readonly maxLagMs?: number
}

/**
 * For a process that does not follow the database itself, because others do: it hears whether they do.
 *
 * @throws ConfigurationError
 */
export function followElsewhere(options: GapOptions = {}): Follow {
  return createFollow(options, undefined)
}

/** @throws ConfigurationError */
export function createFollow(
  { maxLagMs = 10_000, onGap = 'bypass' }: GapOptions,
  openLog: Follow['openLog'],
): Follow {
  if (onGap !== 'bypass' && onGap !== 'serve')
    throw invalidOptionError('follow.onGap', onGap, "'serve' or 'bypass'")
  if (!Number.isFinite(maxLagMs) || maxLagMs < 1_000)
    throw invalidOptionError('follow.maxLagMs', maxLagMs, 'at least 1000 milliseconds')
  return { onGap, maxLagMs, openLog, followFor: (root) => createRootFollower(root, maxLagMs, openLog) }
}
