export { AtRest, type AtRestKeys, type AtRestOptions, type HashId } from './at-rest/at-rest.js'
export { hasZstd } from './at-rest/compression.js'
export type { AtRestKey } from './at-rest/key-ring.js'
export { formedFingerprint, type StoredForm, storedForm, valueFormOf } from './at-rest/stored-form.js'
export type { Opened } from './at-rest/value-form.js'
export { MemoryStore, type MemoryStoreOptions } from './backend/memory-store.js'
export type {
  Announcement,
  CatalogueAnswer,
  CatalogueRequest,
  ChangedRegister,
  Fill,
  GuardedKey,
  LeaseAnswer,
  LeaseRequest,
  Marker,
  Messages,
  RegisterChange,
  RegisterScope,
  Store,
  StoreStateListener,
} from './backend/store.js'
export {
  connectNodes,
  type ValkeyAddress,
  type ValkeyNode,
  type ValkeyNodes,
} from './backend/valkey/valkey-nodes.js'
export { ValkeyStore, type ValkeyStoreOptions } from './backend/valkey/valkey-store.js'
export { Backplane } from './backplane.js'
export {
  envelopeStart,
  expiryOf,
  isEnvelopeOf,
  openEnvelope,
  sealEnvelope,
  timesOf,
  isNegativeEntry,
  isNegativeEntryOf,
  negativeEntryOf,
} from './format/envelope.js'
export { readGuard } from './format/guard.js'
export { markerEpoch, markerStart } from './format/marker.js'
export { hashOf } from './format/hash.js'
export {
  bucketOf,
  createKeySpace,
  guardOf,
  type IdField,
  type IdKind,
  isIdKind,
  type KeySpace,
  modelKeys,
  rowKeyIn,
  slotCount,
  warmKey,
} from './format/key-space.js'
export { fits, isText, jsonObjectIn } from './format/json-object.js'
export { fieldsOfText, textOfKey, textOfRowId, type TypedField, typedForm } from './format/key-text.js'
export {
  entryIdOf,
  entryIn,
  exactKeyOf,
  expectedFields,
  expectedOf,
  isKeyKind,
  type KeyField,
  type KeyKind,
  keyTextOf,
  lookupKeyOf,
  singleKeyOf,
} from './format/lookup-key.js'
export { isLong, type RowId } from './format/row-id.js'
export { newToken, randomId } from './format/token.js'
export { type OperatorLog, shieldLog } from './operator-log.js'
export { emptySnapshot, EpochRegister, type RegisterSnapshot } from './read/epoch-register.js'
export { Leases } from './read/leases.js'
export { epochsOf, registerIn } from './format/register.js'
export {
  type CacheDescription,
  describeForm,
  type DescribedCache,
  type DescribedForm,
  type LookupDescription,
  ownFieldsOf,
} from './registry/cache-description.js'
export { Catalogue } from './registry/catalogue.js'
export {
  DatabaseEntries,
  type ListedProcess,
  type ListedProcesses,
  listProcesses,
} from './registry/database-entries.js'
export { readCatalogue, type CatalogueListing } from './registry/catalogue-listing.js'
export { NamespaceDatabase } from './registry/namespace-database.js'
export {
  type ConsistencyOptions,
  type ConsistencySettings,
  consistencySettings,
  maxReplicas,
} from './settings.js'
export { handled } from './write/handled.js'
export { createForeignCache } from './write/foreign-cache.js'
export { CacheListing } from './write/cache-listing.js'
export { NamespaceCaches } from './write/namespace-caches.js'
export { ModelCacheWrites, outsideTransactions, type TransactionScope } from './write/model-cache-writes.js'
export type { PendingRows } from './write/pending-invalidations.js'
export { RowFences, type WriteObserver } from './write/row-fences.js'
export { FencedWriteUnit } from './write/fenced-write-unit.js'
export { sealedMessages } from './at-rest/message-seal.js'
export type { WrittenCache } from './write/affected-cache.js'
