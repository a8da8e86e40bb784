import { familyOf } from '../../columns/column-kinds.js'
import { readStatement, type Statement } from './statement.js'
import { isOpen, split, type SqlToken, sqlTokensOf } from './sql-tokens.js'

/** What a text of SQL does, as far as it shows that. */
export interface SqlReading {
  /** Undefined if it only reads. */
  readonly writing: Writing | undefined
  /** Whether the database may commit each further statement of its transaction at once. */
  readonly mayEndTransaction: boolean
  /** Whether it begins a transaction in SQL, `true`, or ends one, `false`. */
  readonly begins: boolean | undefined
  /** Whether the role of the connection may have other rights after it. */
  readonly changesRights: boolean
}

/** One of Prisma's forms, or all that it names. */
export type Writing =
  | { readonly kind: 'statement'; readonly statement: Statement }
  | { readonly kind: 'other'; readonly names: (table: string) => boolean; readonly emptiesTables: boolean }

/** What all others have, which are to be read: not the queries of Prisma, unless a column is named so. */
const remarkable =
  /^(?!\s*SELECT\b)|;|\b(?:INSERT|UP(?:DATE|SERT)|D(?:ELETE|O|ROP)|MERGE|RE(?:PLACE|SET|NAME)|TRUNCATE|C(?:ALL|OPY)|EXEC(?:UTE)?|LOAD|ALTER|IMPORT|SET(?:_CONFIG)?)\b/i
/** Words of statements that may write, wherever they stand, unless they call a function. */
const writingWord = /^(?:INSERT|UPDATE|DELETE|MERGE|REPLACE|TRUNCATE|UPSERT)$/i
/** Words that begin statements which may write. */
const beginningWord = /^(?:CALL|COPY|DO|EXEC|EXECUTE|LOAD|ALTER|DROP|RENAME|IMPORT|REFRESH|XA)$/i
/** What begins a statement that holds others: `EXPLAIN (ANALYZE) EXECUTE`, `IF n THEN CALL`, `again: LOOP`. */
const holdsOthers = /^(?:BEGIN|CASE|ELSE|ELSEIF|EXPLAIN|FOR|IF|LOOP|REPEAT|WHEN|WHILE)$/i
/** What runs statements that do not stand in the text, nor the names of their tables. */
const opaque = /\b(?:CALL|EXEC|EXECUTE|PERFORM)\b/i
const beginsOpaque = /^(?:DO|XA)$/i
/** A name in the codes of its letters. */
const encodedName = /\bU&"/i
/** `FOR UPDATE`, `FOR NO KEY UPDATE`, `ON DELETE`. */
const beforeOther = /^(?:FOR|KEY|ON|\.)$/i

/** Statements and functions by which a role gets other rights. */
const rightsChange =
  /\b(?:SET|RESET)\s+(?:(?:LOCAL|SESSION)\s+)?(?:ROLE|SESSION\s+AUTHORIZATION|row_security|ALL)\b|\bset_config\s*\(\s*(?:'(?:role|session_authorization|row_security)'|\$)/i

const ends = /^(?:COMMIT|END|ROLLBACK|ABORT|PREPARE)$/i
const beginsOwn = /^(?:BEGIN|START|SAVEPOINT)$/i
/** With `COMMIT PREPARED`, and with `RELEASE`, which ends a transaction of SQLite that a savepoint has begun. */
const endsOwn = /^(?:COMMIT|END|ROLLBACK|ABORT|RELEASE|XA)$/i
/** All other statements of MySQL may commit what is written before them. */
const staysInMysql =
  /^(?:\(|SELECT|INSERT|UPDATE|DELETE|REPLACE|WITH|VALUES|TABLE|DO|SET|SHOW|EXPLAIN|DESC|DESCRIBE|SAVEPOINT|RELEASE|USE|KILL)$/i

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
    let reading = this.#known.get(sql)
    if (reading) return reading
    reading = remarkable.test(sql) ? this.#read(sql) : read
    if (sql.length > longest) return reading
    if (this.#known.size >= mostKnown) this.#known.delete(this.#known.keys().next().value!)
    this.#known.set(sql, reading)
    return reading
  }

  #read(sql: string): SqlReading {
    const changesRights = rightsChange.test(sql)
    const statement = readStatement(sql, this.#provider, this.#limit)
    if (statement) return { ...read, writing: { kind: 'statement', statement }, changesRights }
    const tokens = sqlTokensOf(sql, this.#provider)
    const statements = split(tokens, 0, ';')
    const beginning = statements.flatMap(beginningsIn)
    const mayWrite = tokens.some(isOpen) || beginning.length > 0 || tokens.some(isWriting)
    const isOpaque =
      encodedName.test(sql) ||
      beginning.some(({ text }) => beginsOpaque.test(text)) ||
      tokens.some(({ text }) => opaque.test(text) && !/^['"`]/.test(text))
    const writing: Writing = {
      kind: 'other',
      names: (table) => !isOpaque && nameIn(table).test(sql),
      emptiesTables: /\bTRUNCATE\b/i.test(sql),
    }
    return {
      writing: mayWrite ? writing : undefined,
      mayEndTransaction: statements.some((each) => mayEnd(each, this.#provider)),
      begins: statements.map(begins).findLast((one) => one !== undefined),
      changesRights,
    }
  }
}

/** What a transaction has written that somebody has begun in SQL. */
export const unknownWriting: Writing = { kind: 'other', names: () => false, emptiesTables: false }

const read: SqlReading = {
  writing: undefined,
  mayEndTransaction: false,
  begins: undefined,
  changesRights: false,
}

/** The words of a statement that begin it, or another one in it. */
function beginningsIn(tokens: readonly SqlToken[]): readonly SqlToken[] {
  const [first, second] = tokens
  const held = first && (holdsOthers.test(first.text) || second?.text === ':') ? tokens : tokens.slice(0, 1)
  return held.filter(({ text }) => beginningWord.test(text))
}

function isWriting({ text }: SqlToken, at: number, tokens: readonly SqlToken[]): boolean {
  // MySQL has `UPDATE (a JOIN b ON …) SET`.
  const isCall = tokens[at + 1]?.text === '(' && !/^UPDATE$/i.test(text)
  if (!writingWord.test(text) || isCall) return false
  return !beforeOther.test(tokens[at - 1]?.text ?? '')
}

function begins(tokens: readonly SqlToken[]): boolean | undefined {
  const [{ text: first } = { text: '' }] = tokens
  if (/^SET$/i.test(first) && tokens.some(isAutocommit))
    return tokens.some(({ text }) => /^(?:0|OFF)$/i.test(text))
  if (beginsOwn.test(first)) return true
  return endsOwn.test(first) ? false : undefined
}

function isAutocommit({ text }: SqlToken): boolean {
  return /^autocommit$/i.test(text)
}

/**
 * Whether a statement may end the transaction that it is sent in, so that the database commits each further one at once. PostgreSQL and
 * SQLite end it by COMMIT and ROLLBACK only, MySQL commits it with most that is not about rows.
 */
function mayEnd(tokens: readonly SqlToken[], provider: string): boolean {
  const [first] = tokens
  if (!first) return false
  const has = (word: RegExp): boolean => tokens.some(({ text }) => word.test(text))
  // To a savepoint.
  if (/^ROLLBACK$/i.test(first.text) && has(/^TO$/i)) return false
  if (familyOf(provider) !== 'mysql') return ends.test(first.text)
  return !staysInMysql.test(first.text) || tokens.some(isAutocommit)
}

function nameIn(table: string): RegExp {
  return new RegExp(`(?<![\\w$])${table.replaceAll(/[^\w\s]/g, String.raw`\$&`)}(?![\\w$])`, 'i')
}
