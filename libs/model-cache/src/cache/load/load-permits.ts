import { bulkhead } from 'cockatiel'
import { InvalidOptionError } from '../../errors.js'

/** Bounds how many loads run at once; the others wait, in order. */
export interface LoadPermits {
  /** Runs a load when there is a permit. */
  execute<T>(load: () => Promise<T>): Promise<T>
}

/**
 * @param count loads at once. @default 8, which leaves some of the ten connections of a pool of node-postgres to others
 * @throws InvalidOptionError
 */
export function createLoadPermits(count = 8): LoadPermits {
  if (!Number.isSafeInteger(count) || count < 1) {
    throw new InvalidOptionError('maxConcurrentLoads', count, 'a positive whole number')
  }
  return bulkhead(count, Number.MAX_SAFE_INTEGER)
}
