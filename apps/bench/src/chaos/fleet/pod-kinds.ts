import type { CacheSettings } from '../pod/protocol.ts'

/** The caches of each kind of pod: older and newer releases of an application, and a worker that caches nothing. */
export const cachesOf = {
  first: [{ name: 'FeatureFlags', version: 'first', buckets: 64 }],
  second: [
    { name: 'FeatureFlags', version: 'first', buckets: 64 },
    { name: 'FlagsOnceMore', version: 'first', buckets: 4 },
  ],
  next: [
    { name: 'FeatureFlags', version: 'next', buckets: 64 },
    { name: 'FlagsOnceMore', version: 'first', buckets: 8 },
  ],
  worker: [],
} as const satisfies Record<string, readonly CacheSettings[]>

export type PodKind = keyof typeof cachesOf
