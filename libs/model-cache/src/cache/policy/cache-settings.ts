import { invalidOptionError } from '../../configuration-errors.js'
import {
  type ConsistencyOptions,
  type ConsistencySettings,
  consistencySettings,
} from '../../protocol/index.js'
import type { AuditOptions, AuditSettings } from '../telemetry/auditor.js'

/** The options of a cache that are plain values, besides those of its definition. */
export interface CacheSettingsOptions {
  /** First part of every key; applications that share a server need different ones. @default 'mc' */
  readonly namespace?: string
  /**
   * The number of buckets that the rows of a model are divided into, a power of two. A cluster gets one command per bucket, and
   * spreads the load by buckets: use at least ten times as many as nodes. All processes need the same number. @default 64
   */
  readonly buckets?: number
  /**
   * Bytes of negative entries that the cache adds to the store within `notFoundTtl`, and of empty lists within its `ttl`.
   * @default 4_194_304
   */
  readonly maxNotFoundBytes?: number
  /** How writes and the cache are kept in step. */
  readonly consistency?: ConsistencyOptions
  /** Compares samples of stored rows with the source. @default no audit */
  readonly audit?: AuditOptions
}

/** {@link CacheSettingsOptions} as they are validated, with their defaults. */
export interface CacheSettings {
  readonly namespace: string
  readonly buckets: number
  readonly maxNotFoundBytes: number
  readonly consistency: ConsistencySettings
  readonly audit: AuditSettings
}

/** @throws ConfigurationError */
export function cacheSettings({
  audit,
  buckets = 64,
  maxNotFoundBytes = 4 * 2 ** 20,
  namespace = 'mc',
  ...options
}: CacheSettingsOptions): CacheSettings {
  const consistency = consistencySettings(options.consistency)
  const rate = audit?.rate ?? 0
  // A brace would move the hash tag, and with it the rows of a model to other cluster slots.
  if (typeof namespace !== 'string' || !/^[\w.:-]+$/.test(namespace)) {
    throw invalidOptionError('namespace', namespace, 'letters, digits, "_", "-", "." or ":"')
  }
  if (!Number.isInteger(buckets) || !Number.isInteger(Math.log2(buckets)) || buckets > 1_024) {
    throw invalidOptionError('buckets', buckets, 'a power of two, from 1 to 1024')
  }
  if (!Number.isSafeInteger(maxNotFoundBytes) || maxNotFoundBytes < 0) {
    throw invalidOptionError('maxNotFoundBytes', maxNotFoundBytes, 'a whole number of bytes, or 0 for none')
  }
  if (!(rate >= 0 && rate <= 1)) {
    throw invalidOptionError('audit.rate', rate, 'a part of all hits, from 0 to 1')
  }
  return { namespace, buckets, maxNotFoundBytes, consistency, audit: { rate, fenceMs: consistency.fenceMs } }
}
