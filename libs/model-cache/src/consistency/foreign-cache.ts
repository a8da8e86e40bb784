import type { Store } from '../store/store.js'
import { Backplane } from './backplane.js'
import type { DescribedCache } from './cache-description.js'
import type { Catalogue } from './catalogue.js'
import { createKeySpace, modelKeys } from './key-space.js'
import { printsOf } from './lookup-description.js'
import { type ConsistencySettings, ModelWrites } from './model-writes.js'
import type { OperatorLog } from './operator-log.js'
import { RegisterWriter } from './register-writer.js'
import type { WrittenCache } from './written-cache.js'

/** A namespace of a store, as writers use it. */
export interface WrittenNamespace {
  readonly store: Store
  readonly namespace: string
  readonly catalogue: Catalogue
  readonly consistency: ConsistencySettings
  readonly log: OperatorLog
}

/** Creates the writers' view of a cache that this process does not have: one for each model whose writes affect it. */
export function createForeignCaches(
  cache: DescribedCache,
  { catalogue, consistency, log, namespace, store }: WrittenNamespace,
): readonly WrittenCache[] {
  const { description, layout, models, name } = cache
  const { registerKey, channel } = modelKeys(namespace, name)
  const keys =
    description &&
    createKeySpace<object, never>({
      ...description,
      namespace,
      fingerprint: '',
      prints: printsOf(description.lookups),
    })
  const { messages } = store
  const writes = new ModelWrites({
    name,
    store,
    keys: keys ?? { guardedKeyOf: unidentified },
    register: new RegisterWriter(store, registerKey, consistency),
    backplane: messages && new Backplane({ name, channel, messages, listener: nobody, log }),
    fingerprints: {
      known: () => catalogue.fingerprintsOf(layout),
      refresh: () => catalogue.ask(),
    },
    consistency,
    listener: nobody,
    observer: { fences: nothing, fenceSeconds: nothing, slowCommits: nothing, unknownWrites: nothing },
    log,
  })
  const common = { layout, writes, onAllWritten: nothing }
  const asWhole = { ...common, idFields: [], rowIdOf: unidentified, lookups: [] }
  if (!keys || !models) return (models ?? [undefined]).map((model) => ({ ...asWhole, model }))
  const [model, ...dependsOn] = models
  const idFields = description.id.map((field) => field.name)
  return [
    { ...common, model, idFields, rowIdOf: (row) => keys.rowIdOf(row), lookups: description.lookups },
    ...dependsOn.map((model) => ({ ...asWhole, model })),
  ]
}

const nothing = (): void => {}

/** This process holds no rows of the cache. */
const nobody = {
  onRows: nothing,
  onAll: nothing,
  onNotFound: nothing,
  onWritten: nothing,
  onAllWritten: nothing,
}

/** For a cache without id fields, all of whose rows count as written. */
const unidentified = (): never => {
  throw new TypeError('the rows of this cache cannot be identified')
}
