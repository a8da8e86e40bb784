/** `model-cache/testing`: contract suites and doubles for those who test with caches, or write a store. */
export { describeStore, type StoreContractOptions } from './describe-store.js'
export type { TestFramework } from './test-framework.js'
export { FlakyStore } from './flaky-store.js'
export { createTestCache, type TestCache } from './test-cache.js'
export { MemoryStore } from '../store/memory-store.js'
export { writeValue } from './write-value.js'
