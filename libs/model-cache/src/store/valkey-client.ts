import type { Cluster, Redis, RedisOptions } from 'ioredis'
import { Redis as RedisClient } from 'ioredis'
import { InvalidOptionError } from '../errors.js'
import { parseValkeyUrl } from './valkey-url.js'

/** An ioredis client, of one server or of a cluster. */
export type ValkeyClient = Redis | Cluster

export type ValkeyConnectionOptions =
  | {
      /** `valkey://`, `valkeys://`, `redis://` or `rediss://`, with an ACL user and a password where needed. */
      readonly url: string
      /** ioredis options beside the URL: `tls`, `sentinels`, `connectTimeout`, … */
      readonly options?: RedisOptions
    }
  | {
      /**
       * An existing ioredis client or cluster. The library opens connections of its own to where it goes, and never uses
       * or closes this one.
       */
      readonly client: ValkeyClient
    }

export interface ValkeyClients {
  /** Carries batched reads alone, so that no fat write delays them. */
  readonly reader: ValkeyClient
  readonly writer: ValkeyClient
  /** Those of the two that the library opened and has to close. */
  readonly owned: readonly ValkeyClient[]
}

/** @throws InvalidOptionError that never repeats a URL */
export function createValkeyClients(options: ValkeyConnectionOptions): ValkeyClients {
  if ('client' in options) {
    const { client } = options
    if (typeof client?.mget !== 'function' || typeof client.duplicate !== 'function') {
      throw new InvalidOptionError('valkey.client', client, 'an ioredis Redis or Cluster')
    }
    const [reader, writer] = [duplicate(client, 'read'), duplicate(client, 'write')]
    return { reader, writer, owned: [reader, writer] }
  }
  const parsed = { ...parseValkeyUrl(options.url), ...options.options, ...failFast, lazyConnect: true }
  const reader = new RedisClient({ ...parsed, connectionName: 'model-cache:read' })
  const writer = new RedisClient({ ...parsed, connectionName: 'model-cache:write' })
  return { reader, writer, owned: [reader, writer] }
}

/**
 * A cache that is not there must be passed by, not waited for: nothing is queued while disconnected and nothing is
 * sent again after a reconnect, where it would run late.
 */
const failFast = {
  enableOfflineQueue: false,
  autoResendUnfulfilledCommands: false,
  maxRetriesPerRequest: 0,
  // How long a socket that does not close keeps the process alive.
  disconnectTimeout: 200,
  retryStrategy: (attempt: number) =>
    Math.min(50 * 2 ** Math.min(attempt, 6), 2_000) * (0.5 + Math.random() / 2),
} satisfies RedisOptions

/**
 * A connection of our own to where the client goes: the client may queue, resend, select another database or read from
 * replicas, all of which a cache must not.
 */
function duplicate(client: ValkeyClient, role: 'read' | 'write'): ValkeyClient {
  return client.isCluster
    ? (client as Cluster).duplicate([], {
        enableOfflineQueue: false,
        lazyConnect: true,
        scaleReads: 'master',
        // Otherwise ioredis sends a write again, late, that a lost connection interrupted. Reads may be sent again.
        ...(role === 'write' && { retryDelayOnFailover: 0, retryDelayOnClusterDown: 0 }),
      })
    : (client as Redis).duplicate({ ...failFast, lazyConnect: true, connectionName: `model-cache:${role}` })
}
