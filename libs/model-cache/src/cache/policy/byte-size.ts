import { invalidOptionError } from '../../configuration-errors.js'

const unitBytes = { B: 1, kB: 1_000, MB: 1_000_000 } as const

/** A number of bytes, or a string such as `'500B'`, `'2kB'`, `'1.5MB'`. */
export type ByteSize = number | `${number}${keyof typeof unitBytes}`

/** Options of compression: which values are compressed. */
export interface CompressOptions {
  /**
   * Payloads of more bytes are compressed: `'2kB'` is a good start, as less saves little. A number is bytes. What does not get smaller is
   * stored as it is.
   */
  readonly above: ByteSize
}

/**
 * @returns bytes, at least 0
 * @throws ConfigurationError
 */
export function parseBytes(size: unknown, option: string): number {
  const match = typeof size === 'string' ? /^(\d+(?:\.\d+)?)(B|kB|MB)$/.exec(size) : null
  const bytes = match ? Math.round(Number(match[1]) * unitBytes[match[2] as keyof typeof unitBytes]) : size
  if (typeof bytes === 'number' && Number.isSafeInteger(bytes) && bytes >= 0) return bytes
  throw invalidOptionError(option, size, "bytes, as 2000, '2kB' or '1.5MB'")
}
