import { createHash } from 'node:crypto'
import type { Line } from './line.ts'

/** Of all that a line holds: equal lines are one, whatever they are lines of. */
export function hashOf(line: Line): string {
  return createHash('sha256').update(JSON.stringify(line)).digest('hex')
}

/** Of what the database tells lots apart by. */
export function idOf(line: Line): string {
  return line.id
}
