import { createHash } from 'node:crypto'

/** A UUID that is always the same for the same words, for rows whose file gives them no id. */
export function uuidFrom(...words: string[]): string {
  const hex = createHash('sha256').update(JSON.stringify(words)).digest('hex')
  // Version 8: made by a rule of one's own (RFC 9562, section 5.8).
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
