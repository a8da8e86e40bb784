import type { Cluster } from 'ioredis'
import type { ValkeyClient } from './valkey-client.js'

/**
 * The policies by which a server, or the primaries of a cluster, evict keys early when memory is full; empty if none
 * does. Uses `INFO`, because managed servers forbid `CONFIG GET`.
 */
export async function evictingPolicies(client: ValkeyClient): Promise<readonly string[]> {
  const servers = client.isCluster ? (client as Cluster).nodes('master') : [client]
  const infos = await Promise.all(servers.map((server) => server.info('memory')))
  const policies = infos.flatMap((info) => {
    const { maxmemory, maxmemory_policy: policy } = Object.fromEntries(
      Array.from(info.matchAll(/^(maxmemory\w*):(\S+)/gm), ([, name, value]) => [name, value]),
    )
    return maxmemory === '0' || policy === undefined || policy === 'noeviction' ? [] : [policy]
  })
  return [...new Set(policies)]
}

/** Advice for a server that may evict the guards of rows: one sentence per policy. */
export async function evictionAdvice(client: ValkeyClient): Promise<readonly string[]> {
  return (await evictingPolicies(client)).map(
    (policy) =>
      `Valkey evicts keys when its memory is full (maxmemory-policy ${policy}), including the guards that keep outdated rows from being ` +
      'stored during a write: a row that is read meanwhile may then be outdated until its ttl ends. Use a server for caches alone, with ' +
      'maxmemory-policy noeviction and enough memory for all rows of a ttl.',
  )
}

/** How long the policy of a server is cached. */
const lifeMs = 30_000

/**
 * Returns a function that says whether a server evicts keys, cached for 30 seconds.
 *
 * @param ask calls {@link evictingPolicies}
 */
export function evictionCheck(ask: () => Promise<readonly string[]>): () => Promise<boolean> {
  let known: Promise<boolean> | undefined
  let askedAtMs = 0
  return () => {
    const nowMs = performance.now()
    if (known && nowMs - askedAtMs < lifeMs) return known
    askedAtMs = nowMs
    const answer = ask().then(({ length }) => length > 0)
    answer.catch(() => (known = undefined))
    return (known = answer)
  }
}
