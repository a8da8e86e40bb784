import type { Models } from '../../schema-facts.js'
import { readStatement, type Statement } from './statement.js'
import { isOpen, type SqlToken, sqlTokensOf } from './sql-tokens.js'

/** What a statement does, as far as its text shows that. */
export type SqlReading =
  | { readonly kind: 'read' }
  | { readonly kind: 'statement'; readonly statement: Statement }
  | { readonly kind: 'other'; readonly names: (table: string) => boolean; readonly emptiesTables: boolean }

/** Words of statements that may write, wherever they stand, unless they call a function. */
const writing = /\b(?:INSERT|UPDATE|DELETE|MERGE|REPLACE|TRUNCATE|UPSERT)\b(?!\s*\()/i
const writingWord = /^(?:INSERT|UPDATE|DELETE|MERGE|REPLACE|TRUNCATE|UPSERT)$/i
/** Words that begin statements which may write. */
const beginning = /\b(?:CALL|COPY|DO|EXEC|EXECUTE|LOAD|ALTER|DROP|RENAME|IMPORT)\b/i
const beginningWord = /^(?:CALL|COPY|DO|EXEC|EXECUTE|LOAD|ALTER|DROP|RENAME|IMPORT)$/i
/** What stands before a statement in another one: `EXPLAIN ANALYZE EXECUTE`, `BEGIN NOT ATOMIC CALL`. */
const beforeStatement = /^(?:;|ANALYZE|ATOMIC)$/i
/** What runs statements that do not stand in the text. */
const opaque = /\b(?:CALL|EXEC|EXECUTE|PERFORM)\b/i
/** `FOR UPDATE`, `FOR NO KEY UPDATE`, `ON DELETE`. */
const beforeOther = /^(?:FOR|KEY|ON|\.)$/i

/** Texts longer than this are lists of values, and seldom the same. */
const longest = 8_192
const mostKnown = 1_000

/** Reads statements, each text once. */
export class Readings {
  readonly #provider: string
  readonly #limit: number
  readonly #known = new Map<string, SqlReading>()

  constructor(provider: string, limit: number) {
    this.#provider = provider
    this.#limit = limit
  }

  of(sql: string): SqlReading {
    if (!writing.test(sql) && !beginning.test(sql)) return read
    if (sql.length > longest) return this.#read(sql)
    let reading = this.#known.get(sql)
    if (!reading) {
      reading = this.#read(sql)
      if (this.#known.size >= mostKnown) this.#known.delete(this.#known.keys().next().value!)
      this.#known.set(sql, reading)
    }
    return reading
  }

  #read(sql: string): SqlReading {
    const statement = readStatement(sql, this.#provider, this.#limit)
    if (statement) return { kind: 'statement', statement }
    const tokens = sqlTokensOf(sql, this.#provider)
    if (!tokens.some(isOpen) && !tokens.some(isBeginning) && !tokens.some(isWriting)) return read
    const isOpaque = tokens.some(({ text }) => opaque.test(text) && !/^['"`]/.test(text))
    const names = (table: string): boolean => !isOpaque && nameIn(table).test(sql)
    return { kind: 'other', names, emptiesTables: /\bTRUNCATE\b/i.test(sql) }
  }
}

const read: SqlReading = { kind: 'read' }

function isBeginning({ text }: SqlToken, at: number, tokens: readonly SqlToken[]): boolean {
  return beginningWord.test(text) && (at === 0 || beforeStatement.test(tokens[at - 1]!.text))
}

function isWriting({ text }: SqlToken, at: number, tokens: readonly SqlToken[]): boolean {
  if (!writingWord.test(text) || tokens[at + 1]?.text === '(') return false
  return !beforeOther.test(tokens[at - 1]?.text ?? '')
}

function nameIn(table: string): RegExp {
  return new RegExp(`(?<![\\w$])${table.replaceAll(/[^\w\s]/g, String.raw`\$&`)}(?![\\w$])`, 'i')
}

/** The models whose tables a statement names that cannot be read; all if it names none. */
export function modelsNamed(models: Models, names: (table: string) => boolean): readonly string[] {
  const all = [...models.values()]
  const named = all.filter(
    ({ relations, table }) =>
      names(table.name) ||
      [...relations.values()].some(({ joinTable }) => joinTable && names(joinTable.name)),
  )
  return (named.length > 0 ? named : all).map(({ name }) => name)
}
