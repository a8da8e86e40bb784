import { familyOf } from '../../columns/column-kinds.js'

/** A word, a name, a value or a sign of a statement. */
export interface SqlToken {
  readonly text: string
  readonly start: number
  readonly end: number
  /** How many parentheses and brackets are open around it. */
  readonly depth: number
  /** The number of a parameter, from 1. */
  readonly parameter: number | undefined
}

/** In MySQL, a backslash escapes a quote, `#` begins a comment, and text in a comment that begins with `!` is part of the statement. */
const inMysql =
  /\s+|#[^\n]*|--(?=\s|$)[^\n]*|\/\*(?!M?!)[\s\S]*?\*\/|'(?:[^'\\]|\\[\s\S]|'')*'|"(?:[^"\\]|\\[\s\S]|"")*"|`(?:[^`]|``)*`|[A-Za-z_\u0080-\uffff][\w$\u0080-\uffff]*|\d+(?:\.\d+)?|[\s\S]/gy

/** A comment in a comment, which only PostgreSQL has, is not read; nor is `?5` of SQLite a sign of its own. */
const elsewhere =
  /\s+|--[^\n]*|\/\*(?:(?!\/\*)[\s\S])*?\*\/|[eE]'(?:[^'\\]|\\[\s\S]|'')*'|'(?:[^']|'')*'|\$([A-Za-z_\u0080-\uffff][\w\u0080-\uffff]*)?\$[\s\S]*?\$\1\$|"(?:[^"]|"")*"|`(?:[^`]|``)*`|[$?]\d+|[A-Za-z_\u0080-\uffff][\w$\u0080-\uffff]*|\d+(?:\.\d+)?|::|[\s\S]/gy

const blank = /^(?:\s|--|#(?!>)|\/\*(?!M?!))/

/**
 * Divides SQL into tokens, without comments.
 *
 * @param isLast ends the reading with the first token that it says so of. @default the end of the text
 */
export function sqlTokensOf(
  sql: string,
  provider: string,
  {
    from = 0,
    parameters = 0,
    isLast,
  }: { from?: number; parameters?: number; isLast?: (token: SqlToken) => boolean } = {},
): SqlToken[] {
  const pattern = provider === 'mysql' ? inMysql : elsewhere
  // An operator of PostgreSQL.
  const isOperator = familyOf(provider) === 'postgresql'
  const tokens: SqlToken[] = []
  let depth = 0
  let count = parameters
  pattern.lastIndex = from
  for (let match = pattern.exec(sql); match && match[0] !== ''; match = pattern.exec(sql)) {
    const [text] = match
    if (isBlank(text)) continue
    if (text === ')' || text === ']') depth--
    const parameter = text !== '?' ? numberOf(text) : isOperator ? undefined : ++count
    if (parameter !== undefined && parameter > count) count = parameter
    const token = { text, start: match.index, end: match.index + text.length, depth, parameter }
    tokens.push(token)
    if (isLast?.(token)) break
    if (text === '(' || text === '[') depth++
  }
  return tokens
}

function isBlank(text: string): boolean {
  const code = text.charCodeAt(0)
  // Nearly all tokens begin with neither.
  return code <= 47 || code > 127 ? blank.test(text) : false
}

function numberOf(text: string): number | undefined {
  const code = text.charCodeAt(0)
  return (code === 36 || code === 63) && /^.\d+$/.test(text) ? Number(text.slice(1)) : undefined
}

/** The parts between commas, or another word, at this depth. */
export function split(tokens: readonly SqlToken[], depth: number, by = ','): SqlToken[][] {
  const parts: SqlToken[][] = [[]]
  for (const token of tokens) {
    if (token.depth === depth && token.text.toUpperCase() === by) parts.push([])
    else parts.at(-1)!.push(token)
  }
  return parts
}

/** Whether one pair of parentheses holds all tokens. */
export function isWrapped(tokens: readonly SqlToken[]): boolean {
  const [first] = tokens
  if (first?.text !== '(') return false
  return tokens.findIndex(({ depth }, i) => i > 0 && depth === first.depth) === tokens.length - 1
}

/** Whether a token is a name. Words of SQL look like names, too. */
export function isName({ text }: SqlToken): boolean {
  return /^["`A-Za-z_\u0080-\uffff]/.test(text)
}

/** Whether the row that an upsert has not inserted is named. */
export function namesExcluded(tokens: readonly SqlToken[]): boolean {
  return tokens.some(({ text }) => /^"?excluded"?$/i.test(text))
}

/** The name without quotes, for which PostgreSQL takes those that have none in lower case. */
export function unquoted(text: string, provider: string): string {
  if (text.startsWith('`')) return text.slice(1, -1).replaceAll('``', '`')
  if (text.startsWith('"')) return text.slice(1, -1).replaceAll('""', '"')
  return familyOf(provider) === 'postgresql' ? text.toLowerCase() : text
}

/** Whether a name without quotes has capital letters beyond ASCII. PostgreSQL leaves them as they are in UTF-8, but not in all encodings. */
export function mayStayCapital({ text }: SqlToken): boolean {
  if (!/^[A-Za-z_\u0080-\uffff][\w$\u0080-\uffff]*$/.test(text)) return false
  const others = text.replaceAll(/[A-Z]+/g, '')
  return others !== others.toLowerCase()
}

/** Whether a quote or a comment is not closed where it seems to be, so that what follows was not read as the database does. */
export function isOpen({ end, text }: SqlToken, at: number, tokens: readonly SqlToken[]): boolean {
  const next = tokens[at + 1]
  // Comments of MySQL that begin with `!` or `M!` are executed.
  const isComment =
    text === '/' && next?.text === '*' && next.start === end && !/^M?!?$/.test(tokens[at + 2]?.text ?? '')
  return isComment || text === "'" || text === '"' || text === '`'
}
