import { createHash } from 'node:crypto'

/** Derives a stable UUID from the parts, for rows without an id in the file. */
export function uuidFrom(...parts: string[]): string {
  const hex = createHash('sha256').update(JSON.stringify(parts)).digest('hex')
  // Version 8: custom format (RFC 9562, section 5.8).
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
