import type { CacheDescription } from '../../libs/model-cache/src/protocol/registry/cache-description.js'

/** The description of a cache whose tables are unknown, as writers get it. */
export function describedLots(change: Partial<CacheDescription> = {}): CacheDescription {
  return {
    name: 'Lot',
    model: 'Lot',
    id: [{ name: 'id', kind: 'string' }],
    buckets: 1,
    dependsOn: [],
    lookups: [],
    tables: undefined,
    ...change,
  }
}
