export type DatabaseName = 'postgresql' | 'mariadb'

/** The database that is followed, as the torture sees it. What differs from database to database is here and in the files beside it. */
export interface FollowedDatabase {
  /** For example `PostgreSQL 18.4`. */
  readonly title: string
  readonly url: string
  /** Runs statements in one session. */
  run(script: string): Promise<void>
  rows<Row>(sql: string): Promise<Row[]>
  /** Ends it at once, and has it come back with what was committed. */
  crash(): Promise<void>
  /** Where its log ends. */
  end(): Promise<string>
  /** Whether a follower has taken everything up to there. */
  hasTaken(end: string): Promise<boolean>
  /** Has the next follower begin with empty caches. */
  forget(): Promise<void>
  close(): Promise<void>
}
