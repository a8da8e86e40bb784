import { isWrapped, split, type SqlToken, sqlTokensOf } from './sql-tokens.js'

/** A value of VALUES: a parameter, NULL, or an expression. */
export type ValueCell = Parameter | 'null' | 'expression'

export interface Parameter {
  readonly parameter: number
  /** Whether the database makes a value of another type of it. */
  readonly isCast?: true
}

export interface ValueRows {
  readonly count: number
  /** Reads the values of each row; undefined above the limit. */
  readonly values: () => readonly (readonly ValueCell[])[] | undefined
}

/** `$1`, `?`, `null`. */
const cell = /^\s*(?:\$(\d+)|(\?)|(NULL))\s*$/i

/** A row of VALUES whose texts hold nothing that looks like a parameter, a comment or an escape. */
const plainRow =
  /\s*\(((?:[^()'"`;?\\/-]|\?(?!\d)|-(?!-)|\/(?!\*)|'(?:[^'?\\]|'')*'|"[^"?]*"|`[^`?]*`|\((?:[^()'"`;\\/-]|'(?:[^'?\\]|'')*'|"[^"?]*"|`[^`?]*`)*\))*)\)/y
const comma = /\s*,/y

/**
 * Reads the rows behind the word VALUES without dividing them into tokens, as there may be many. Returns undefined if they hold other
 * things than parameters, numbers, words, plain texts and casts.
 *
 * @param parameters how many `?` are before them
 * @param limit how many rows are read; more are only counted
 * @returns the rows, where they end, and how many `?` there are up to their end
 */
export function readRows(
  sql: string,
  provider: string,
  from: number,
  parameters: number,
  limit: number,
): { readonly rows: ValueRows; readonly end: number; readonly parameters: number } | undefined {
  const texts: string[] = []
  let count = 0
  let marks = parameters
  let end = from
  for (;;) {
    plainRow.lastIndex = end
    const [, text] = plainRow.exec(sql) ?? []
    if (text === undefined) return undefined
    end = plainRow.lastIndex
    if (++count <= limit) texts.push(text)
    marks += marksIn(text)
    comma.lastIndex = end
    if (!comma.test(sql)) break
    end = comma.lastIndex
  }
  const values = (): ValueCell[][] | undefined => {
    if (count > limit) return undefined
    let before = parameters
    return texts.map((text) => {
      const cells = cellsIn(text, before, provider)
      before += marksIn(text)
      return cells
    })
  }
  return { rows: { count, values }, end, parameters: marks }
}

function marksIn(text: string): number {
  let count = 0
  for (let at = text.indexOf('?'); at >= 0; at = text.indexOf('?', at + 1)) count++
  return count
}

function cellsIn(text: string, parameters: number, provider: string): ValueCell[] {
  if (/[[('"`]/.test(text)) return split(sqlTokensOf(text, provider, { parameters }), 0).map(cellOf)
  let count = parameters
  return text.split(',').map((part) => {
    const [, number, mark, isNull] = cell.exec(part) ?? []
    if (number !== undefined) return { parameter: Number(number) }
    if (mark !== undefined) return { parameter: ++count }
    count += marksIn(part)
    return isNull === undefined ? 'expression' : 'null'
  })
}

/** `$1`, `CAST($1::text AS "role")`, `NULL`. */
export function cellOf(tokens: readonly SqlToken[]): ValueCell {
  const [first, second, third] = tokens
  if (tokens.length === 1 && first!.parameter !== undefined) return { parameter: first!.parameter }
  if (tokens.length === 1 && first!.text.toUpperCase() === 'NULL') return 'null'
  const isCast = first?.text.toUpperCase() === 'CAST' && second?.text === '(' && isWrapped(tokens.slice(1))
  return isCast && third?.parameter !== undefined
    ? { parameter: third.parameter, isCast: true }
    : 'expression'
}
