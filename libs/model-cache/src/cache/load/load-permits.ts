import { bulkhead } from 'cockatiel'
import { InvalidOptionError } from '../../errors.js'

/** Bounds how many loads run at once. Further loads wait, in order. */
export interface LoadPermits {
  /** Runs a load as soon as there is a permit. */
  execute<T>(load: () => Promise<T>): Promise<T>
}

/**
 * Creates permits for a number of loads at once.
 *
 * @param count @default 8, which leaves some of the ten connections of a node-postgres pool to other queries
 * @throws InvalidOptionError
 */
export function createLoadPermits(count = 8): LoadPermits {
  if (!Number.isSafeInteger(count) || count < 1) {
    throw new InvalidOptionError('maxConcurrentLoads', count, 'a positive whole number')
  }
  return bulkhead(count, Number.MAX_SAFE_INTEGER)
}
