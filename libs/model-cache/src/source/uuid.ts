const digits = String.raw`(?:[\da-f]{4}-?){7}[\da-f]{4}`
/** The spellings of a UUID that PostgreSQL accepts, as a pattern without anchors. */
export const uuidPattern = String.raw`(?:\{${digits}\}|${digits})`

const anyUuid = new RegExp(`^${uuidPattern}$`, 'i')
const canonicalUuid = /^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/

/** Whether PostgreSQL accepts the text as a UUID. */
export function isUuid(text: string): boolean {
  return anyUuid.test(text)
}

/** Whether the text is a UUID as PostgreSQL returns it: lower case, with hyphens. */
export function isCanonicalUuid(text: string): boolean {
  return canonicalUuid.test(text)
}

/** Spells a UUID as PostgreSQL returns it. Any other value stays as it is: it is the id of no row. */
export function toCanonicalUuid(value: unknown): unknown {
  if (typeof value !== 'string' || !isUuid(value)) return value
  const plain = value.replaceAll(/[{}-]/g, '').toLowerCase()
  return plain.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}
