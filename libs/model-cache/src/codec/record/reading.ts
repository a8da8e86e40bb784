import type { FunctionWriter } from '../function-writer.js'
import * as digits from './digits.js'

/** Position of the generated code: the variable `head` is an index into the bytes, `offset` counts the digits read since. */
export interface Position {
  offset: number
}

/** Writes a statement that reads digits into a constant, and returns its name. */
export function take(code: FunctionWriter, at: Position, count: number): string {
  const name = assign(code, digits.readDigits('head', at.offset, count), 'n')
  at.offset += count
  return name
}

/** Returns an expression for digits that only some branches need, so that other branches do not read them. */
export function skip(at: Position, count: number): string {
  const digitsThere = digits.readDigits('head', at.offset, count)
  at.offset += count
  return digitsThere
}

/** Returns an expression for the next string, which is ASCII. */
export const takeText = (length: string): string => `substring.call(text, body, body += ${length})`

/** Returns an expression for the next string, which may have non-ASCII characters. */
export const takeWideText = (length: string): string =>
  `body + ${length} <= wide.next ? ${takeText(length)} : wide.take(body, body = wide.endOf(text, body, ${length}))`

/** Advances `head` past the digits read so far, before code that runs conditionally or repeatedly. */
export function advanceHead(code: FunctionWriter, at: Position): void {
  if (at.offset > 0) code.line(`head += ${at.offset}`)
  at.offset = 0
}

export function assign(code: FunctionWriter, expression: string, prefix = 'v'): string {
  const name = code.variable(prefix)
  code.line(`const ${name} = ${expression}`)
  return name
}
