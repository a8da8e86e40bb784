import { familyOf } from '../../columns/column-kinds.js'
import { isName, isOpen, mayStayCapital, unquoted, split, type SqlToken, sqlTokensOf } from './sql-tokens.js'
import { readRows, type ValueRows } from './value-rows.js'

/**
 * A statement that changes rows of one table. Prisma writes four forms of it, without an alias, FROM or USING:
 *
 * - `INSERT [IGNORE | OR IGNORE] INTO t (c, …) VALUES (v, …), … [ON CONFLICT DO NOTHING] [RETURNING …]`
 * - `INSERT INTO t (c, …) VALUES (v, …) ON CONFLICT (c, …) DO UPDATE SET c = e, … [WHERE …] [RETURNING …]`
 * - `UPDATE t SET c = e, … [WHERE …] [RETURNING …]`
 * - `DELETE FROM t [WHERE …] [RETURNING …]`
 */
export interface Statement {
  readonly kind: 'insert' | 'update' | 'delete'
  readonly schema: string | undefined
  readonly table: string
  /** The name of the table as the statement has it. */
  readonly target: string
  /** The columns of an INSERT; undefined if it names none. */
  readonly columns: readonly string[] | undefined
  /** The rows of VALUES; undefined without it. */
  readonly rows: ValueRows | undefined
  /** What SET says, also that of ON CONFLICT. */
  readonly set: ReadonlyMap<string, readonly SqlToken[]>
  readonly isUpsert: boolean
  /** Whether it says IGNORE: rows that violate a constraint are left out; MySQL stores some of them otherwise. */
  readonly isIgnoring: boolean
  readonly where: readonly SqlToken[]
  readonly hasReturning: boolean
  /** The offset at which a list of further columns can be put. */
  readonly end: number
}

/**
 * Reads a statement that is of one of the forms; undefined otherwise.
 *
 * @param limit of the rows of VALUES that are read
 */
export function readStatement(sql: string, provider: string, limit: number): Statement | undefined {
  return new Reader(sql, provider, limit).statement()
}

/** What an INSERT, an UPDATE or a DELETE does to its table. */
type Change = Omit<Statement, 'schema' | 'table' | 'target' | 'where' | 'hasReturning' | 'end'>

class Reader {
  readonly #sql: string
  readonly #provider: string
  readonly #limit: number
  #tokens: readonly SqlToken[]
  #at = 0
  #rowsEnd = 0

  constructor(sql: string, provider: string, limit: number) {
    this.#sql = sql
    this.#provider = provider
    this.#limit = limit
    // Elsewhere, it is the name of a column.
    let isInsert: boolean | undefined
    const isLast = ({ depth, text }: SqlToken): boolean => {
      isInsert ??= text.toUpperCase() === 'INSERT'
      return isInsert && depth === 0 && text.toUpperCase() === 'VALUES'
    }
    this.#tokens = sqlTokensOf(sql, provider, { isLast })
  }

  statement(): Statement | undefined {
    const kind = this.#kind()
    if (!kind) return undefined
    const isIgnoring = kind !== 'insert' && kind !== 'update' && kind !== 'delete'
    const from = this.#tokens[this.#at]?.start
    const first = this.#name()
    const second = this.#skip('.') ? this.#name() : undefined
    const table = second ?? first
    if (table === undefined) return undefined
    const target = this.#sql.slice(from, this.#tokens[this.#at - 1]!.end)
    const place = { schema: second === undefined ? undefined : first, table, target }
    const head = isIgnoring || kind === 'insert' ? this.#insert(isIgnoring) : this.#set(kind)
    if (!head) return undefined
    const where = this.#skip('WHERE') ? this.#until('ON', 'RETURNING', ';') : none
    const hasReturning = this.#skip('RETURNING')
    if (hasReturning) this.#until(';')
    const end = Math.max(this.#tokens[this.#at - 1]!.end, this.#rowsEnd)
    this.#skip(';')
    // An alias, FROM, USING, a cursor, a second ON CONFLICT of SQLite, or another statement.
    if (this.#at < this.#tokens.length || where[0]?.text.toUpperCase() === 'CURRENT') return undefined
    if (this.#tokens.some(isOpen)) return undefined
    if (familyOf(this.#provider) === 'postgresql' && this.#tokens.some(mayStayCapital)) return undefined
    // SQLite counts its names of parameters in its own way.
    if (this.#provider === 'sqlite' && this.#tokens.some(({ text }) => /^[$:@]/.test(text))) return undefined
    return { ...place, ...head, where, hasReturning, end }
  }

  #kind(): 'insert' | 'insert ignore' | 'update' | 'delete' | undefined {
    if (this.#skip('UPDATE')) return 'update'
    if (this.#skip('DELETE', 'FROM')) return 'delete'
    if (this.#skip('INSERT', 'INTO')) return 'insert'
    if (this.#skip('INSERT', 'IGNORE', 'INTO') || this.#skip('INSERT', 'OR', 'IGNORE', 'INTO'))
      return 'insert ignore'
    return undefined
  }

  #insert(isIgnoring: boolean): Change | undefined {
    let columns = this.#is('(')
      ? split(this.#inParentheses(), 1).map(([column]) => this.#unquoted(column?.text ?? ''))
      : undefined
    let rows: Statement['rows']
    if (this.#is('VALUES')) {
      const { end, start } = this.#tokens[this.#at]!
      const found = readRows(this.#sql, this.#provider, end, this.#parametersBefore(start), this.#limit)
      if (!found) return undefined
      rows = found.rows
      this.#continue(found.end, found.parameters)
      this.#at++
    } else if (this.#skip('DEFAULT', 'VALUES')) {
      columns = []
      rows = { count: 1, values: () => [[]] }
      this.#continue(this.#tokens.at(-1)!.end, 0)
    } else return undefined
    const set = new Map<string, readonly SqlToken[]>()
    if (this.#skip('ON', 'CONFLICT')) {
      this.#until('DO')
      this.#at++
      if (this.#skip('UPDATE', 'SET')) {
        if (!this.#readSet(set)) return undefined
      } else if (!this.#skip('NOTHING')) return undefined
    }
    return { kind: 'insert', columns, rows, set, isUpsert: set.size > 0, isIgnoring }
  }

  #continue(from: number, parameters: number): void {
    this.#rowsEnd = from
    this.#tokens = [...this.#tokens, ...sqlTokensOf(this.#sql, this.#provider, { from, parameters })]
  }

  #parametersBefore(start: number): number {
    return this.#tokens.filter((token) => token.start < start && token.text === '?').length
  }

  #set(kind: string): Change | undefined {
    const set = new Map<string, readonly SqlToken[]>()
    const isUpdate = kind === 'update'
    if (isUpdate && !(this.#skip('SET') && this.#readSet(set))) return undefined
    const head = { columns: undefined, rows: undefined, set, isUpsert: false, isIgnoring: false }
    return { kind: isUpdate ? 'update' : 'delete', ...head }
  }

  #readSet(set: Map<string, readonly SqlToken[]>): boolean {
    for (const [column, ...others] of split(this.#until('WHERE', 'FROM', 'ON', 'RETURNING', ';'), 0)) {
      if (!column || !isName(column) || others[0]?.text !== '=') return false
      set.set(this.#unquoted(column.text), others.slice(1))
    }
    return true
  }

  #is(...words: readonly string[]): boolean {
    return words.every((word, i) => this.#tokens[this.#at + i]?.text.toUpperCase() === word)
  }

  #skip(...words: readonly string[]): boolean {
    if (!this.#is(...words)) return false
    this.#at += words.length
    return true
  }

  #name(): string | undefined {
    const token = this.#tokens[this.#at]
    if (!token || !isName(token)) return undefined
    this.#at++
    return this.#unquoted(token.text)
  }

  #unquoted(text: string): string {
    return unquoted(text, this.#provider)
  }

  /** What comes before one of these words, outside of parentheses. */
  #until(...ends: readonly string[]): readonly SqlToken[] {
    const from = this.#at
    while (this.#at < this.#tokens.length) {
      const { depth, text } = this.#tokens[this.#at]!
      if (depth === 0 && ends.includes(text.toUpperCase())) break
      this.#at++
    }
    return this.#tokens.slice(from, this.#at)
  }

  #inParentheses(): readonly SqlToken[] {
    const { depth } = this.#tokens[this.#at++]!
    const from = this.#at
    while (this.#at < this.#tokens.length && this.#tokens[this.#at]!.depth > depth) this.#at++
    return this.#tokens.slice(from, this.#at++)
  }
}

const none: readonly SqlToken[] = []
