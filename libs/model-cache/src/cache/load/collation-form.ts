import type { RowId } from '../../protocol/index.js'
import { isCanonicalUuid, isUuid, uuidPattern } from '../../source/uuid.js'

const uuid = new RegExp(uuidPattern, 'gi')
const isAscii = /^[ -~]*$/

/**
 * What all ids share that a database may compare as equal: their form without case, accents, trailing spaces, and the braces and
 * hyphens of a UUID. Ids of one form may still be those of different rows; only the database knows.
 */
export function collationFormOf(rowId: RowId): string {
  const text = String(rowId)
  const unaccented = isAscii.test(text) ? text : text.normalize('NFKD').replaceAll(/\p{M}+/gu, '')
  return unaccented
    .replaceAll(uuid, (id) => id.replaceAll(/[{}-]/g, ''))
    .toUpperCase()
    .replaceAll(/ +(?=:|$)/g, '')
}

/** Whether an id is no UUID in another spelling than PostgreSQL's, for sources that do not know how ids are compared. */
export function looksCanonical(id: unknown): boolean {
  const values: readonly unknown[] = typeof id === 'object' && id !== null ? Object.values(id) : [id]
  return values.every((value) => typeof value !== 'string' || !isUuid(value) || isCanonicalUuid(value))
}
