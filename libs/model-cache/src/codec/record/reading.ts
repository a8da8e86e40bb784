import type { FunctionWriter } from '../function-writer.js'
import * as digits from './digits.js'

/** Where the writer of the code stands: `head` holds a place among the bytes, `offset` what has been read since. */
export interface Position {
  offset: number
}

/** Reads digits into a constant. */
export function take(code: FunctionWriter, at: Position, count: number): string {
  const name = assign(code, digits.readDigits('head', at.offset, count), 'n')
  at.offset += count
  return name
}

/** The expression of digits that only some values have: each read costs, so it is for the branches that need it. */
export function skip(at: Position, count: number): string {
  const digitsThere = digits.readDigits('head', at.offset, count)
  at.offset += count
  return digitsThere
}

/** The expression of the next text, which is of ASCII. */
export const takeText = (length: string): string => `substring.call(text, body, body += ${length})`

/** The same of one that may have other characters. */
export const takeWideText = (length: string): string =>
  `body + ${length} <= wide.next ? ${takeText(length)} : wide.take(body, body = wide.endOf(text, body, ${length}))`

/** Moves `head` behind what has been read, where what follows may be left out or repeated. */
export function settle(code: FunctionWriter, at: Position): void {
  if (at.offset > 0) code.line(`head += ${at.offset}`)
  at.offset = 0
}

export function assign(code: FunctionWriter, expression: string, prefix = 'v'): string {
  const name = code.variable(prefix)
  code.line(`const ${name} = ${expression}`)
  return name
}
