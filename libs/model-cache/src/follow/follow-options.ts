import type { DatabaseLog } from './database-log.js'

/** What a root does about writes that Prisma does not see: the result of `followPostgres` or `followElsewhere`. */
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
