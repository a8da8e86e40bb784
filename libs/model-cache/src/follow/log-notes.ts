import { createHash } from 'node:crypto'
import type { Store } from '../store/store.js'

/** How long a table is remembered after its log was opened. */
const lifeMs = 30 * 24 * 60 * 60 * 1_000

/**
 * What the store remembers of durable logs: the tables that caches have followed through one until it was left, so that all that was
 * written to them meanwhile is in it. In the form of a register, which each store has.
 */
export class LogNotes {
  readonly #store: Pick<Store, 'change' | 'getMany'>
  readonly #key: string
  readonly #untilAnswered: <T>(ask: () => Promise<T>) => Promise<T>

  /** @param untilAnswered tries again until the store answers */
  constructor(
    store: Pick<Store, 'change' | 'getMany'>,
    namespace: string,
    untilAnswered: <T>(ask: () => Promise<T>) => Promise<T>,
  ) {
    this.#store = store
    this.#key = `${namespace}:{follow}:log`
    this.#untilAnswered = untilAnswered
  }

  async has(log: string, tables: readonly string[]): Promise<boolean> {
    const noted = await this.#notesOf(log)
    return tables.every((table) => noted.includes(noteOf(log, table)))
  }

  async add(log: string, tables: Iterable<string>): Promise<void> {
    for (const table of tables) await this.#put(noteOf(log, table), lifeMs)
  }

  /** Forgets all tables of a log. */
  async end(log: string): Promise<void> {
    for (const note of await this.#notesOf(log)) await this.#put(note, 0)
  }

  async #notesOf(log: string): Promise<readonly string[]> {
    const [text] = await this.#untilAnswered(() => this.#store.getMany([this.#key]))
    const entries = text?.split(';').at(-1)!.split(' ') ?? []
    return entries.map((entry) => entry.split('@')[0]!).filter((note) => note.startsWith(`${log}:`))
  }

  async #put(fingerprint: string, lifeMs: number): Promise<void> {
    const join = { kind: 'join', fingerprint, lifeMs, markMs: 0 } as const
    await this.#untilAnswered(() => this.#store.change(this.#key, join))
  }
}

function noteOf(log: string, table: string): string {
  return `${log}:${createHash('sha256').update(table).digest('base64url').slice(0, 16)}`
}
