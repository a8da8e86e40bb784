import type { Identity } from '../consistency/identity.js'

/**
 * What is stored where there is no row: words behind a mark that no codec's text begins with, each followed by a semicolon, and
 * the id. So a marker that was copied under another key is refused, as a row of another id is. Its envelope has the membership word of the
 * model where that of a row has the epoch: a row that is created ends absences, and leaves rows as they are.
 *
 * ```
 * -;<id>
 * ```
 */
export function absenceOf(identity: Identity): string {
  return `${start}${String(identity)}`
}

/** Whether an absence begins at a place. */
export function isAbsence(bytes: Buffer, textStart: number): boolean {
  return bytes[textStart] === mark
}

/** Whether what begins at a place is the absence of this row. */
export function isAbsenceOf(bytes: Buffer, textStart: number, identity: Identity): boolean {
  return isAbsence(bytes, textStart) && bytes.toString('utf8', textStart) === absenceOf(identity)
}

const start = '-;'
const mark = start.charCodeAt(0)
