import type { Identity } from '../consistency/identity.js'

/**
 * What is stored where there is no row: words behind a mark that no codec's text begins with, each followed by a semicolon, and
 * the id. So a marker that was copied under another key is refused, as a row of another id is.
 *
 * ```
 * -;<id>
 * ```
 */
export function absenceOf(identity: Identity): string {
  return `${start}${String(identity)}`
}

/** Whether what begins at a place is the absence of this row; undefined where it is no absence. */
export function isAbsenceOf(bytes: Buffer, textStart: number, identity: Identity): boolean | undefined {
  if (bytes[textStart] !== mark) return undefined
  return bytes.toString('utf8', textStart) === absenceOf(identity)
}

const start = '-;'
const mark = start.charCodeAt(0)
