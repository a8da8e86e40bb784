import { invalidOptionError } from '../configuration-errors.js'
import type { DatabaseLog } from './database-log.js'

/** What a root does about writes that Prisma does not see: the result of `followPostgres`, `followMysql` or `followElsewhere`. */
export interface Follow {
  /** Returns the log of the database for a namespace; undefined if another process follows it. */
  readonly openLog: ((namespace: string) => DatabaseLog) | undefined
  readonly onGap: 'serve' | 'bypass'
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
  return { ...gapSettings(options.maxLagMs, options.onGap), openLog: undefined }
}

/** @throws ConfigurationError */
export function gapSettings(
  maxLagMs: GapOptions['maxLagMs'] = 10_000,
  onGap: GapOptions['onGap'] = 'bypass',
): Pick<Follow, 'onGap' | 'maxLagMs'> {
  if (onGap !== 'bypass' && onGap !== 'serve')
    throw invalidOptionError('follow.onGap', onGap, "'serve' or 'bypass'")
  if (!Number.isFinite(maxLagMs) || maxLagMs < 1_000)
    throw invalidOptionError('follow.maxLagMs', maxLagMs, 'at least 1000 milliseconds')
  return { onGap, maxLagMs }
}
