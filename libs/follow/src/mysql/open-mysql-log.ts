import type { Table } from 'model-cache/internal'
import type { FollowProblem, OpenLog } from '../database-log.js'
import type { BinlogStream } from './binlog-stream.js'
import type { FollowedSchema } from './followed-schema.js'
import type { LoggedChanges } from './logged-changes.js'

/** What reads the binlog. */
export interface MysqlLogParts {
  readonly changes: LoggedChanges
  readonly schema: FollowedSchema
  readonly stream: BinlogStream
}

/** A binlog that is being read. */
export class OpenMysqlLog implements OpenLog {
  readonly isNew: boolean
  readonly durable: string
  readonly resumesAt: bigint
  readonly end: bigint
  readonly problems: readonly FollowProblem[]
  readonly #parts: MysqlLogParts
  /** What was noted, until a transaction follows it. */
  readonly #firstPlace: string

  constructor(
    parts: MysqlLogParts,
    opened: Pick<OpenMysqlLog, 'isNew' | 'durable' | 'resumesAt' | 'end' | 'problems'>,
    firstPlace: string,
  ) {
    this.#parts = parts
    this.isNew = opened.isNew
    this.durable = opened.durable
    this.resumesAt = opened.resumesAt
    this.end = opened.end
    this.problems = opened.problems
    this.#firstPlace = firstPlace
  }

  get versions(): ReadonlyMap<string, string> {
    return this.#parts.schema.versions
  }

  get ended(): Promise<Error> {
    return this.#parts.stream.ended
  }

  placeOf(position: bigint): string {
    return this.#parts.changes.placeOf(position) || this.#firstPlace
  }

  /** The server keeps its log for as long as its settings say. */
  confirm(): void {}

  ask(): void {
    this.#parts.changes.ask()
  }

  pause(): void {
    this.#parts.stream.pause('changes')
  }

  resume(): void {
    this.#parts.stream.resume('changes')
  }

  async hasChanged(): Promise<boolean> {
    return this.#parts.schema.hasChanged
  }

  async follow(tables: readonly Table[]): Promise<readonly FollowProblem[]> {
    const problems = await this.#parts.schema.follow(tables)
    this.#parts.changes.follow(tables)
    return problems
  }

  async close(): Promise<void> {
    this.#parts.stream.close()
  }
}
