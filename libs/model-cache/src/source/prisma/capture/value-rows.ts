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

/** `$1`, `?`, `CAST($1::text AS "role")`, `null`. */
const cell = /^\s*(CAST\s*\(\s*)?(?:\$(\d+)|(\?)|(NULL))(?:\s*(?:::\s*\w+)?\s+AS\s[^,]*\))?\s*$/i

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
      const cells = cellsIn(text, before)
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

function cellsIn(text: string, parameters: number): ValueCell[] {
  const cells: ValueCell[] = []
  let count = parameters
  for (const part of /[('"`]/.test(text) ? partsOf(text) : text.split(',')) {
    const [, cast, number, mark, isNull] = cell.exec(part) ?? []
    const isCast = cast !== undefined && { isCast: true as const }
    if (number !== undefined) cells.push({ parameter: Number(number), ...isCast })
    else if (mark !== undefined) cells.push({ parameter: ++count, ...isCast })
    else {
      count += marksIn(part)
      cells.push(isNull === undefined ? 'expression' : 'null')
    }
  }
  return cells
}

/** The parts between commas outside of parentheses and quotes. */
function partsOf(text: string): string[] {
  const parts: string[] = []
  let depth = 0
  let from = 0
  for (let at = 0; at < text.length; at++) {
    const sign = text[at]!
    if (quotes.has(sign)) at = text.indexOf(sign, at + 1)
    else if (sign === '(') depth++
    else if (sign === ')') depth--
    else if (sign === ',' && depth === 0) {
      parts.push(text.slice(from, at))
      from = at + 1
    }
  }
  parts.push(text.slice(from))
  return parts
}

const quotes: ReadonlySet<string> = new Set(["'", '"', '`'])
