import { ModelCacheWrites } from 'model-cache'
import { answerOf, bidIds } from '../bids.ts'
import type { Decision, Variant } from '../decision.ts'
import { openLibrary } from './library-reads.ts'

/** Strict or lenient, in the library. */
export const consistency: Decision = {
  name: 'consistency',
  about:
    "library: consistency 'strict' against 'available', each request a write that is fenced and settled and 100 reads; the mode is " +
    'looked at only when a fence fails, so both should be alike',
  variants: [variant('strict'), variant('available')],
}

function variant(mode: 'strict' | 'available'): Variant {
  return {
    name: mode,
    open() {
      const writes = new ModelCacheWrites()
      const cache = openLibrary({ writes, consistency: { mode } })
      let written = 0
      return async () => {
        const write = writes.begin()
        write.markWritten('AuctionBid', [{ id: bidIds[written++ % bidIds.length] }])
        await write.fence()
        await write.end()
        return answerOf(await cache.getMany(bidIds))
      }
    },
  }
}
