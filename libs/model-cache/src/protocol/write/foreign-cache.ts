import type { AtRest } from '../at-rest/at-rest.js'
import type { Store } from '../backend/store.js'
import { Backplane } from '../backplane.js'
import type { DescribedCache } from '../registry/cache-description.js'
import type { Catalogue } from '../registry/catalogue.js'
import { createKeySpace, modelKeys } from '../format/key-space.js'
import type { ConsistencySettings } from '../settings.js'
import { RowFences } from './row-fences.js'
import type { OperatorLog } from '../operator-log.js'
import type { WrittenCache } from './affected-cache.js'

/** A namespace of a store, as writers use it. */
export interface WrittenNamespace {
  readonly store: Store
  readonly namespace: string
  readonly catalogue: Catalogue
  readonly consistency: ConsistencySettings
  readonly log: OperatorLog
  /** The keys of this process. @default it has none: caches whose ids are hashed are emptied by each write */
  readonly atRest?: AtRest | undefined
}

/** Creates the writers' view of a cache that this process does not have. */
export function createForeignCache(
  cache: DescribedCache,
  { atRest, catalogue, consistency, log, namespace, store }: WrittenNamespace,
): WrittenCache {
  const { affectedBy, layout, name } = cache
  const { registerKey, channel } = modelKeys(namespace, name)
  const hashedBy = cache.description?.atRest?.hashedBy
  const hashId = hashedBy === undefined ? undefined : atRest?.hashIdOf(hashedBy)
  const description = hashedBy === undefined || hashId ? cache.description : undefined
  const keys =
    description && createKeySpace<object, never>({ ...description, namespace, fingerprint: '', hashId })
  const { messages } = store
  const fences = new RowFences({
    name,
    store,
    keys: keys ?? { guardedKeyOf: unidentified },
    registerKey,
    backplane: messages && new Backplane({ name, channel, messages, log, atRest }),
    fingerprints: {
      current: () => catalogue.fingerprintsOf(layout),
      refresh: () => catalogue.ask(),
    },
    consistency,
    // This process holds no rows of the cache.
    listener: { onWritten: nothing, onAllWritten: nothing },
    observer: { fences: nothing, fenceSeconds: nothing, slowCommits: nothing, unknownWrites: nothing },
    log,
  })
  const rowIdOf = keys ? (row: object) => keys.rowIdOf(row) : unidentified
  return { affectedBy, description, rowIdOf, layout, fences, onAllWritten: nothing }
}

const nothing = (): void => {}

/** For a cache without id fields, all of whose rows count as written. */
const unidentified = (): never => {
  throw new TypeError('the rows of this cache cannot be identified')
}
