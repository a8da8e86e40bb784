/**
 * `model-cache/testing`: test doubles for applications with caches, and the contract tests of a store.
 *
 * @module model-cache/testing
 */
export { describeStore, type StoreContractOptions } from './describe-store.js'
export type { TestFramework } from './test-framework.js'
export { FlakyStore } from './flaky-store.js'
export { createTestCache, type TestCache } from './test-cache.js'
export { MemoryStore } from '../protocol/index.js'
export { writeValue } from './write-value.js'
