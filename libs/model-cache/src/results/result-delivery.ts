import { Delivery } from '../cache/read/delivery.js'
import type { Read } from '../cache/read/read.js'
import type { StoredResult } from '../cache/results/stored-result.js'
import { hasCode } from '../errors.js'
import type { ResultId } from './result-loader.js'

/**
 * Delivers results. Prisma waits for a query however long it takes. So the callers of a query that is past its deadline wait for it
 * together: it runs on without a permit, and each gets a copy of the result, which is not stored.
 */
export class ResultDelivery extends Delivery<StoredResult, ResultId> {
  override fail(read: Read<StoredResult, ResultId>, error: unknown): void {
    const { loading } = read.id
    if (!loading || !hasCode(error, 'E_LOAD_TIMEOUT')) return super.fail(read, error)
    loading.then(
      (result) => this.deliverLoaded(read, result, false),
      (failed: unknown) => super.fail(read, failed),
    )
  }
}
