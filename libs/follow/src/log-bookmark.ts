import { type GuardedKey, guardOf, newToken, type Store } from 'model-cache/internal'
import { followError } from './errors.js'
import type { LogNote, OpenLog } from './database-log.js'

/** How long a log is remembered that nobody follows. */
const lifeMs = 30 * 24 * 60 * 60 * 1_000
const leaseMs = 2_000

/** What may have changed without the caches having taken it: all rows, or those of some tables. */
export type Gap = 'everything' | readonly string[]

/** What the store knows of a durable log. */
interface Note extends LogNote {
  /** What the log had of each followed table; see {@link OpenLog.versions}. */
  readonly tables: Readonly<Record<string, string>>
}

/** Returns how far the caches have taken a durable log; undefined if nothing is known of it. @throws StoreError */
export async function readNote(store: Store, namespace: string, durable: string): Promise<Note | undefined> {
  const [text = null] = await store.getMany([keyOf(namespace, durable).key])
  return noteIn(text)
}

/**
 * How far the caches have taken a durable log, and of which tables, as a value in the store: the next follower goes on there.
 *
 * Each position is noted before the database learns that it is confirmed. So a log that is further than its note was read by
 * somebody else, or was made again, or the store lost what it had; and a log that ends before its note is of a database
 * that was restored.
 */
export class LogBookmark {
  readonly #store: Store
  readonly #key: GuardedKey
  readonly #log: OpenLog
  readonly #untilAnswered: <T>(ask: () => Promise<T>) => Promise<T>
  /** The caches have taken all changes up to it; some of them may be sent again. */
  #taken: bigint
  #tables: Readonly<Record<string, string>> = {}

  /**
   * @param durable the name of the log
   * @param untilAnswered tries again until the store answers
   */
  constructor(
    store: Store,
    namespace: string,
    durable: string,
    log: OpenLog,
    untilAnswered: <T>(ask: () => Promise<T>) => Promise<T>,
  ) {
    this.#store = store
    this.#key = keyOf(namespace, durable)
    this.#log = log
    this.#taken = log.resumesAt
    this.#untilAnswered = untilAnswered
  }

  /** Returns which of the tables have changes that the caches have not taken, and that the log does not have any more. */
  async gapOf(tables: readonly string[]): Promise<Gap> {
    const [text = null] = await this.#untilAnswered(() => this.#store.getMany([this.#key.key]))
    const note = noteIn(text)
    const { end, resumesAt, versions } = this.#log
    if (!note || resumesAt > note.position || note.position > end) return 'everything'
    this.#taken = note.position
    return tables.filter((table) => note.tables[table] !== versions.get(table))
  }

  /** Notes that the caches have taken all changes of the tables, and of no others, up to the last confirmed position. */
  follow(tables: Iterable<string>): Promise<void> {
    const { versions } = this.#log
    this.#tables = Object.fromEntries(Array.from(tables, (table) => [table, versions.get(table) ?? '']))
    return this.#write()
  }

  /** Confirms a position to the database once the store has noted it. */
  async confirm(position: bigint): Promise<void> {
    if (position > this.#taken) this.#taken = position
    await this.#write()
    this.#log.confirm(position)
  }

  #write(): Promise<void> {
    return this.#untilAnswered(async () => {
      const position = this.#taken
      const value = textOf({ position, place: this.#log.placeOf(position), tables: this.#tables })
      const request = { token: newToken(), leaseMs, onlyAbsent: false, onlyUnmarked: false }
      const [lease] = await this.#store.leaseMany([this.#key], request)
      if (!lease || lease.token === null) throw followError('another process writes the note.')
      const [isWritten] = await this.#store.fillMany([
        { ...this.#key, token: lease.token, value, ttlMs: lifeMs },
      ])
      if (!isWritten) throw followError('the note was not written.')
    })
  }
}

function keyOf(namespace: string, durable: string): GuardedKey {
  const key = `${namespace}:{follow}:log:${durable}`
  return { key, guard: guardOf(key) }
}

function textOf({ position, ...note }: Note): string {
  return JSON.stringify({ position: String(position), ...note })
}

function noteIn(text: string | null): Note | undefined {
  try {
    const { place, position, tables } = Object(JSON.parse(text ?? '')) as Record<string, unknown>
    if (typeof position !== 'string' || typeof place !== 'string') return undefined
    if (typeof tables !== 'object' || tables === null) return undefined
    return { position: BigInt(position), place, tables: tables as Record<string, string> }
  } catch {
    return undefined
  }
}
