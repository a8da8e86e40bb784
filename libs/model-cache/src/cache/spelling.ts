import type { RowId } from '../consistency/row-id.js'
import { isCanonicalUuid, isUuid, uuidPattern } from '../source/uuid.js'

const uuid = new RegExp(uuidPattern, 'gi')
const isAscii = /^[ -~]*$/

/**
 * What all spellings of an id have in common that a database may take for one: capitals, accents, spaces behind it, and the
 * braces and hyphens of a UUID. Ids of one spelling may be several all the same; only the database knows.
 */
export function spellingOf(rowId: RowId): string {
  const text = String(rowId)
  const unaccented = isAscii.test(text) ? text : text.normalize('NFKD').replaceAll(/\p{M}+/gu, '')
  return unaccented
    .replaceAll(uuid, (id) => id.replaceAll(/[{}-]/g, ''))
    .toUpperCase()
    .replaceAll(/ +(?=:|$)/g, '')
}

/** Whether an id, of which it is not known how the database compares it, is no UUID in another spelling than PostgreSQL's. */
export function looksCanonical(id: unknown): boolean {
  const values: readonly unknown[] = typeof id === 'object' && id !== null ? Object.values(id) : [id]
  return values.every((value) => typeof value !== 'string' || !isUuid(value) || isCanonicalUuid(value))
}
