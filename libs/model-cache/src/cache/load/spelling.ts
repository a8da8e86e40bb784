import type { RowId } from '../../protocol/index.js'
import { isCanonicalUuid, isUuid, uuidPattern } from '../../source/uuid.js'

const uuid = new RegExp(uuidPattern, 'gi')
const isAscii = /^[ -~]*$/

/**
 * What all spellings of an id share that a database may compare as equal: it ignores case, accents, trailing spaces, and the
 * braces and hyphens of a UUID. Ids of one spelling may still be different rows; only the database knows.
 */
export function spellingOf(rowId: RowId): string {
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
