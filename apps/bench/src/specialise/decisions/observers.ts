import { createCacheMetrics, type CacheObserver } from 'model-cache/advanced'
import { Registry } from 'prom-client'
import { answerOf, bidIds } from '../bids.ts'
import type { Decision, Variant } from '../decision.ts'
import { openLibrary } from './library-reads.ts'

/** Hooks or none, in the library. */
export const observers: Decision = {
  name: 'observers',
  about:
    'library: no observer against its metrics in prom-client; observers are bound when a model is registered and told of batches, ' +
    'never of rows',
  variants: [variant('unobserved'), variant('metrics', () => createCacheMetrics(new Registry()))],
}

/** The same server twice: what a difference has to exceed. */
export const noDecision: Decision = {
  name: 'A/A',
  about: 'library: the same server twice, so what differs is the noise of the machine and of two processes',
  variants: [variant('one'), variant('other')],
}

function variant(name: string, createObserver?: () => CacheObserver): Variant {
  return {
    name,
    open() {
      const cache = openLibrary(createObserver ? { observer: createObserver() } : {})
      return async () => answerOf(await cache.getMany(bidIds))
    },
  }
}
