/**
 * `model-cache/internal`: for packages of the same version, such as `@model-cache/cli`. Changes without notice; an application imports
 * `model-cache` or `model-cache/advanced`.
 *
 * @module model-cache/internal
 */

// Errors, without Nest
export { invalidOptionError, missingPackageError, moduleOptionsError } from './configuration-errors.js'
export { ConfigurationError, hasCode, ModelCacheError, StoreError } from './errors.js'

// Servers, and what processes share in them
export {
  AtRest,
  type AtRestKey,
  type AtRestOptions,
  handled,
  type CacheDescription,
  Catalogue,
  type CatalogueListing,
  connectNodes,
  type ConsistencyOptions,
  consistencySettings,
  createForeignCache,
  createKeySpace,
  DatabaseEntries,
  describeForm,
  type DescribedCache,
  type DescribedForm,
  entryIdOf,
  entryIn,
  epochsOf,
  FencedWriteUnit,
  fieldsOfText,
  type GuardedKey,
  guardOf,
  type HashId,
  type IdKind,
  isLong,
  type KeyField,
  type KeyKind,
  type KeySpace,
  type ListedProcess,
  type ListedProcesses,
  listProcesses,
  type LookupDescription,
  lookupKeyOf,
  markerEpoch,
  markerStart,
  maxReplicas,
  type Messages,
  modelKeys,
  NamespaceCaches,
  newToken,
  type Opened,
  type OperatorLog,
  randomId,
  readCatalogue,
  registerIn,
  type RowFences,
  type RowId,
  sealedMessages,
  shieldLog,
  slotCount,
  type Store,
  textOfKey,
  type TypedField,
  typedForm,
  type ValkeyAddress,
  type ValkeyNode,
  type ValkeyNodes,
  ValkeyStore,
  valueFormOf,
  type WrittenCache,
} from './protocol/index.js'
export {
  openStored,
  readManyStored,
  type ReadRow,
  type StoredValue,
} from './cache/inspection/stored-value.js'
export { migratedId, postgresId, postgresIdColumns } from './source/database.js'
export type { FieldColumn, ModelTable, Tables } from './source/tables.js'
export { toCanonicalUuid } from './source/uuid.js'

// What there is to see of the caches of a process
export type { CacheContext, RowCodec } from './cache/context.js'
export {
  type Examination,
  explainGuard,
  explainStored,
  type LocalExplanation,
} from './cache/inspection/explanation.js'
export type { InspectedCache } from './cache/inspection/inspected-cache.js'
export { loadToCompare } from './cache/load/load-to-compare.js'
export type { CachedLookup } from './cache/lookups/cached-lookup.js'
export { areMembers, type LookupEntry } from './cache/lookups/lookup-entry.js'
export { type AnyModelCacheDefinition, createDefinition } from './cache/policy/definition.js'
export type { BoundLookup } from './cache/policy/lookup-options.js'
export type { L1 } from './cache/read/l1.js'
export { registerNameOf } from './cache/results/register-name.js'
export type { RecentEvent } from './cache/telemetry/history.js'
export {
  type AuditOutcome,
  type FillOutcome,
  type Layer,
  type MissReason,
  missingEvents,
} from './cache/telemetry/observer.js'
export { shieldEvents } from './cache/telemetry/shield-observer.js'
export type {
  FollowedRoot,
  FollowerReport,
  FollowOption,
  FollowReports,
  RootFollower,
} from './nest/followed-root.js'
export { type InspectedRoot, inspectedRoot, type RootCache } from './nest/inspected-root.js'

// Prisma schemas and definitions
export { shapeOf } from './definitions/bind-definition.js'
export { bindLookups } from './definitions/bind-lookups.js'
export { defaultKeyOf, idKeysOf } from './definitions/id-keys.js'
export { namesSecret } from './definitions/verify-definition.js'
export { modelPrintOf, type PrintedResults, resultDigestOf, resultPrintOf } from './results/result-prints.js'
export type { Column } from './source/columns/column.js'
export type { ScalarColumn } from './source/columns/scalar-column.js'
export { describeSchemaText } from './source/prisma/schema/describe-schema.js'
export { delegateNameOf } from './source/prisma/internals.js'
export { resultHeadOf, resultTextOf } from './source/prisma/reads/argument-text.js'
export { returnsKeptOut } from './source/prisma/reads/kept-out-fields.js'
export { sentFor } from './source/prisma/reads/sent-alone.js'
export type { RowField, RowShape, ScalarKind } from './source/row-shape.js'
export { type Model, type Models, type SchemaFacts, type Table, tableKey } from './source/schema-facts.js'

// The queries of clients, and how they are planned
export { answeringLookupOf } from './cache/read/answering-cache.js'
export { capitalized } from './source/capitalized.js'
export { isPlain } from './source/plain.js'
export { answerableActions, isRead } from './source/prisma/operations.js'
export { BypassedQueries, type BypassedQuery } from './source/prisma/reads/bypassed-queries.js'
export {
  type ClientQueries,
  type ModelQueries,
  type ReportedCache,
  reportedCacheOf,
  type ReportedLookup,
} from './source/prisma/reads/client-queries.js'
export { modelsRead } from './source/prisma/reads/models-read.js'
export { planRead } from './source/prisma/reads/plan-read.js'
export type { MissingField, QueryCoverage } from './source/prisma/reads/query-coverage.js'
export { anyValue, relationFilters, type ShapedArgs } from './source/prisma/reads/query-shape.js'
export { queryText, sourceOf } from './source/prisma/reads/query-text.js'
export { readSettingsOf } from './source/prisma/reads/read-options.js'
export { cachesIn, isCertainAnswer } from './source/prisma/reads/read-plan.js'
export type { PlannedModel, ReadPlanning } from './source/prisma/reads/read-planning.js'
export { type ReadableCache, type ReadModels, readModelsOf } from './source/prisma/reads/readable-cache.js'
export { equalTo, isEquality, valuesOf } from './source/prisma/reads/requested-ids.js'
export { mayKeepResult } from './source/prisma/reads/result-queries.js'
export { isPage, pageOrderOf } from './source/prisma/reads/row-order.js'
export type { ResultCounts } from './source/prisma/reads/result-shapes.js'
export { asGiven, scopesRead } from './source/prisma/reads/scopes-read.js'
export { Selections } from './source/prisma/reads/selections.js'
export { membersOf, type WhereMember } from './source/prisma/reads/where.js'
export type { AnsweringCache, AnsweringLookup } from './source/read-caches.js'

// Warm-ups
export { type Hint, replayAll } from './warm/hints.js'
export { Pace } from './warm/pace.js'
export { type HintSource, hintsFrom } from './warm/stored-hints.js'
export {
  addWarmCounts,
  describeIds,
  describeWarmCounts,
  isUseful,
  type WarmCounts,
  warmCountsOf,
} from './warm/warm-counts.js'
export { type WarmingProcess, WarmingProcesses } from './warm/warm-messages.js'
export {
  defaultWarmedPerSecond,
  defaultWarmedRows,
  maxWarmedPerSecond,
  maxWarmedRows,
} from './warm/warm-options.js'
