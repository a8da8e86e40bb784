import { entriesIn, hashAt } from '../backend/valkey/valkey-catalogue.js'
import type { ValkeyNodes } from '../backend/valkey/valkey-nodes.js'
import { cacheOf, type DescribedCache } from './cache-description.js'
import { catalogueEpochKey, catalogueKey } from '../format/key-space.js'

/** The catalogue of a namespace as it is. */
export interface CatalogueListing {
  /** Undefined if there is none, or it has been lost: then no stored row counts. */
  readonly epoch: string | undefined
  readonly caches: readonly DescribedCache[]
}

/** Reads the catalogue without any effect: a {@link Catalogue} creates one that does not exist. @throws StoreError */
export async function readCatalogue(nodes: ValkeyNodes, namespace: string): Promise<CatalogueListing> {
  const key = catalogueKey(namespace)
  const node = nodes.nodeOf(key)
  const [pairs, epoch] = await Promise.all([
    hashAt(node, key),
    node.call('GET', catalogueEpochKey(namespace)),
  ])
  const own = pairs[pairs.indexOf('=epoch') + 1]
  return {
    epoch: typeof epoch === 'string' && epoch === own ? epoch : undefined,
    caches: entriesIn(pairs).map(cacheOf),
  }
}
