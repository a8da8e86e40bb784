import type { FunctionWriter } from '../function-writer.js'
import { readDigits } from './digits.js'

/** Where the writer of the code stands: `head` holds a place in the text, `offset` what has been read since. */
export interface Position {
  offset: number
}

/** Reads digits into a constant. */
export function take(code: FunctionWriter, at: Position, count: number): string {
  const name = code.variable('n')
  code.line(`const ${name} = ${skip(at, count)}`)
  return name
}

/** The expression of digits that only some values have: each read costs, so it is for the branches that need it. */
export function skip(at: Position, count: number): string {
  const expression = readDigits('head', at.offset, count)
  at.offset += count
  return expression
}

/** Moves `head` behind what has been read, where what follows may be left out or repeated. */
export function settle(code: FunctionWriter, at: Position): void {
  if (at.offset > 0) code.line(`head += ${at.offset}`)
  at.offset = 0
}
