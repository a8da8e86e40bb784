import type { Database } from '../database.js'
import type { SchemaFacts } from '../schema-facts.js'
import type { SharedTables } from '../shared-tables.js'
import { type WriterSchema, writerSchemaOf, type WriterTable } from '../tables.js'

/** The tables of a client. Which of them share rows is known once its database has said so; until then each may share those of any. */
export class ClientSchema implements WriterSchema {
  readonly ignoresCase: boolean
  readonly #facts: SchemaFacts
  readonly #database: Database
  #models: ReadonlyMap<string, WriterTable>
  #shared: SharedTables | 'unknown' | undefined = 'unknown'
  #isKnown = false

  constructor(facts: SchemaFacts, database: Database) {
    const { ignoresCase, models } = writerSchemaOf(facts, 'unknown')
    this.ignoresCase = ignoresCase
    this.#facts = facts
    this.#database = database
    this.#models = models
  }

  /** The tables of the models: another map once more is known of them. */
  get models(): ReadonlyMap<string, WriterTable> {
    return this.#models
  }

  /** Says which tables share rows. */
  get shared(): SharedTables | 'unknown' | undefined {
    return this.#shared
  }

  /**
   * Resolves once the database has been asked; undefined if it has answered. Await it before a write or a transaction begins: the
   * question may need the only connection. Never rejects.
   */
  prepare(): Promise<void> | undefined {
    return this.#isKnown ? undefined : this.#ask()
  }

  async #ask(): Promise<void> {
    try {
      const shared = this.#database.sharedTables && ((await this.#database.sharedTables()) ?? 'unknown')
      // Another question may have been answered meanwhile.
      if (this.#isKnown) return
      this.#shared = shared
      this.#models = writerSchemaOf(this.#facts, this.#shared).models
      this.#isKnown = true
    } catch {
      // A database that does not answer most likely refuses the write as well. The next write asks again.
    }
  }
}
