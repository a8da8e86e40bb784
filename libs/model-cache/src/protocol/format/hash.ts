/**
 * Hashes the last 16 UTF-16 units of a string, where both counted and random ids differ. FNV-1a with 32 bits, folded because its
 * low bits alone are weak.
 */
export function hashOf(text: string): number {
  let hash = 0x811c9dc5
  for (let i = Math.max(0, text.length - 16); i < text.length; i++)
    hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  return hash ^ (hash >>> 16)
}
