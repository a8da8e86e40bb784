import { invalidOptionError } from '../../configuration-errors.js'

/** @throws ConfigurationError */
export function validNamespace(namespace: string): string {
  // A brace would move the hash tag, and with it the rows of a model to other cluster slots.
  if (!/^[\w.:-]+$/.test(namespace)) {
    throw invalidOptionError('namespace', namespace, 'letters, digits, "_", "-", "." or ":"')
  }
  return namespace
}

/** @throws ConfigurationError */
export function validBuckets(buckets: number): number {
  if (!Number.isInteger(Math.log2(buckets)) || buckets < 1 || buckets > 1_024) {
    throw invalidOptionError('buckets', buckets, 'a power of two, from 1 to 1024')
  }
  return buckets
}

/** @throws ConfigurationError */
export function validNotFoundBytes(bytes = 4 * 2 ** 20): number {
  if (Number.isSafeInteger(bytes) && bytes >= 0) return bytes
  throw invalidOptionError('maxNotFoundBytes', bytes, 'a whole number of bytes, or 0 for none')
}
