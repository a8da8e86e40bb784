/** What a database says of its columns that the schema does not show. */
export interface SaidOfColumns {
  /** The time zone of its sessions. */
  readonly timeZone: string
  /** The columns whose collation takes different texts for equal, each with the name of the collation. */
  readonly collations: readonly {
    readonly schema: string
    readonly table: string
    readonly column: string
    readonly collation: string
  }[]
}

/**
 * What is known of a database beyond the schema, once it has been asked. Until then its text counts as compared byte by byte, and the time
 * zone of its sessions as unknown.
 */
export class DatabaseFacts {
  #timeZone: string | undefined
  /** Collations by schema, table and column. */
  #collations: ReadonlyMap<string, string> = new Map()
  #version = 0

  /** Grows with each answer of the database that differs from the one before. */
  get version(): number {
    return this.#version
  }

  get isKnown(): boolean {
    return this.#version > 0
  }

  /** The time zone of the sessions; undefined until the database has been asked. */
  get timeZone(): string | undefined {
    return this.#timeZone
  }

  /** Whether each moment is one date in the sessions of the database. */
  get isUtc(): boolean {
    return this.#timeZone !== undefined && utc.test(this.#timeZone)
  }

  /** The name of a collation that takes different texts of a column for equal; undefined if it has none. */
  collationOf({ name, schema }: { name: string; schema: string }, column: string): string | undefined {
    return this.#collations.get(keyOf(schema, name, column))
  }

  learn({ collations, timeZone }: SaidOfColumns): void {
    const found = new Map(
      collations.map(({ collation, column, schema, table }) => [keyOf(schema, table, column), collation]),
    )
    const isSame =
      timeZone === this.#timeZone && JSON.stringify([...found]) === JSON.stringify([...this.#collations])
    if (isSame) return
    this.#timeZone = timeZone
    this.#collations = found
    this.#version++
  }
}

/** The names by which PostgreSQL knows UTC. */
const utc = /^(?:Etc\/)?(?:UTC|UCT|Universal|Zulu|Greenwich|GMT(?:[+-]?0)?)$/i

function keyOf(schema: string, table: string, column: string): string {
  return JSON.stringify([schema, table, column])
}
