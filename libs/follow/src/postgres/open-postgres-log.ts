import type { FollowProblem, OpenLog } from '../database-log.js'
import type { FollowedTable } from '../followed-tables.js'
import type { FollowedPublication } from './followed-publication.js'
import type { ReplicationStream } from './replication-stream.js'

/** How a log was opened. */
type Opened = Pick<OpenLog, 'isNew' | 'durable' | 'resumesAt' | 'end' | 'problems'>

/** A slot that is being read, with the publication that says what is in it. */
export class OpenPostgresLog implements OpenLog {
  readonly isNew: boolean
  readonly durable: string | undefined
  readonly resumesAt: bigint
  readonly end: bigint
  readonly problems: readonly FollowProblem[]
  readonly #publication: FollowedPublication
  readonly #stream: ReplicationStream

  constructor(
    publication: FollowedPublication,
    stream: ReplicationStream,
    { durable, end, isNew, problems, resumesAt }: Opened,
  ) {
    this.isNew = isNew
    this.durable = durable
    this.resumesAt = resumesAt
    this.end = end
    this.problems = problems
    this.#publication = publication
    this.#stream = stream
  }

  get versions(): ReadonlyMap<string, string> {
    return this.#publication.versions
  }

  get ended(): Promise<Error> {
    return this.#stream.ended
  }

  placeOf(): string {
    return ''
  }

  confirm(position: bigint): void {
    this.#stream.confirm(position)
  }

  ask(): void {
    this.#stream.ask()
  }

  pause(): void {
    this.#stream.pause()
  }

  resume(): void {
    this.#stream.resume()
  }

  hasChanged(): Promise<boolean> {
    return this.#publication.hasChanged()
  }

  async follow(tables: readonly FollowedTable[]): Promise<readonly FollowProblem[]> {
    const problems = await this.#publication.follow(tables)
    this.#stream.refresh()
    return problems
  }

  close(): Promise<void> {
    return this.#stream.close()
  }
}
