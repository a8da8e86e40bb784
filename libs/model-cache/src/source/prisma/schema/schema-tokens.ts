/** A token of a Prisma schema. A `word` is a name, a keyword or a number; a `mark` is one character. */
export interface Token {
  readonly kind: 'word' | 'text' | 'mark' | 'documentation' | 'newline' | 'end'
  /** Text comes without quotes and escapes, documentation without slashes. */
  readonly value: string
  /** The number of the line, from 1. */
  readonly line: number
}

/** The first matching alternative is the token. A comment on a line of its own includes the line break. */
const pattern = new RegExp(
  [
    String.raw`(?<newline>\r\n|[\n\r])`,
    String.raw`///(?<documentation>[^\n\r]*)`,
    String.raw`(?<skipped>[^\S\n\r]+|(?<=^[^\S\n\r]*)//[^\n\r]*(?:\r\n|[\n\r])|//[^\n\r]*|/\*[\s\S]*?\*/)`,
    String.raw`"(?<text>(?:\\.|[^"\\\n\r])*)"`,
    String.raw`(?<word>-?\d+(?:\.\d+)?(?![\p{L}\p{N}_])|[\p{L}\p{N}_][\p{L}\p{N}_-]*)`,
    String.raw`(?<mark>[\s\S])`,
  ].join('|'),
  'gmu',
)

/** Splits a schema into tokens, with an `end` after the last one. Drops comments and keeps documentation. */
export function tokensOf(schema: string): readonly Token[] {
  const tokens: Token[] = []
  let line = 1
  for (const { 0: match, groups } of schema.matchAll(pattern)) {
    const { newline, documentation, text, word, mark } = groups!
    if (word !== undefined) tokens.push({ kind: 'word', value: word, line })
    else if (mark !== undefined) tokens.push({ kind: 'mark', value: mark, line })
    else if (newline !== undefined) tokens.push({ kind: 'newline', value: newline, line })
    else if (text !== undefined) tokens.push({ kind: 'text', value: unescape(text), line })
    else if (documentation !== undefined)
      tokens.push({ kind: 'documentation', value: documentation.trim(), line })
    line += match.match(/\r\n|[\n\r]/g)?.length ?? 0
  }
  tokens.push({ kind: 'end', value: '', line })
  return tokens
}

const escapes: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f' }

/** Replaces escapes, which are the same as in JSON. */
function unescape(text: string): string {
  return text.replaceAll(/\\(?:u([\dA-Fa-f]{4})|(.))/gu, (_, code: string | undefined, other: string) =>
    code === undefined ? (escapes[other] ?? other) : String.fromCharCode(Number.parseInt(code, 16)),
  )
}
