import type { Store } from '../store/store.js'
import { Backplane } from './backplane.js'
import type { DescribedCache } from './cache-description.js'
import type { Catalogue } from './catalogue.js'
import { createKeySpace, modelKeys } from './key-space.js'
import { RegisterWriter } from './register-writer.js'
import { type ConsistencySettings, ModelWrites } from './model-writes.js'
import type { WrittenCache } from './written-cache.js'

export interface ForeignCacheParts {
  readonly store: Store
  readonly namespace: string
  readonly catalogue: Catalogue
  readonly consistency: ConsistencySettings
  readonly warn: (message: string) => void
  readonly info: (message: string) => void
}

/** A cache that this process does not have, as its writers see it: one for each model whose writes concern it. */
export function createForeignCaches(
  cache: DescribedCache,
  parts: ForeignCacheParts,
): readonly WrittenCache[] {
  const { catalogue, namespace, store } = parts
  const { description, layout, models, name } = cache
  const { registerKey, channel } = modelKeys(namespace, name)
  const keys = description && createKeySpace<object, never>({ ...description, namespace, fingerprint: '' })
  const writes = new ModelWrites({
    ...parts,
    name,
    register: new RegisterWriter(store, registerKey, parts.consistency.leaseMs),
    fingerprints: () => catalogue.fingerprintsOf(layout),
    askForFingerprints: () => catalogue.ask(),
    backplane:
      store.messages &&
      new Backplane({
        ...parts,
        name,
        channel,
        messages: store.messages,
        onRows: nothing,
        onAll: nothing,
        onNotFound: nothing,
      }),
    guardedKey: keys ? keys.guardedKeyOf : neverKnown,
    onWritten: nothing,
    onAllWritten: nothing,
    observer: { fences: nothing, fenceSeconds: nothing, slowCommits: nothing, unknownWrites: nothing },
  })
  const common = { layout, writes, onAllWritten: nothing }
  const asWhole = { ...common, idFields: [], rowIdOf: neverKnown }
  if (!keys || !models) return (models ?? [undefined]).map((model) => ({ ...asWhole, model }))
  const [model, ...dependsOn] = models
  const idFields = description.id.map((field) => field.name)
  return [
    { ...common, model, idFields, rowIdOf: (row) => keys.rowIdOf(row) },
    ...dependsOn.map((model) => ({ ...asWhole, model })),
  ]
}

const nothing = (): void => {}

/** Of a cache without id fields, all of whose rows count as written. */
const neverKnown = (): never => {
  throw new TypeError('the rows of this cache cannot be identified')
}
