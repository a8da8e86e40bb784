import type { Cluster } from 'ioredis'
import type { ValkeyClient } from './valkey-client.js'

/**
 * Says when a server may evict the guards of rows. From `INFO`, as managed servers forbid `CONFIG`.
 *
 * @returns a sentence for each policy that does
 */
export async function evictionAdvice(client: ValkeyClient): Promise<readonly string[]> {
  const nodes = client.isCluster ? (client as Cluster).nodes('master') : [client]
  const policies = await Promise.all(nodes.map(async (node) => evictingPolicy(await node.info('memory'))))
  return [...new Set(policies)].flatMap((policy) => (policy === undefined ? [] : [adviceOn(policy)]))
}

/** Undefined where nothing is evicted. */
function evictingPolicy(info: string): string | undefined {
  const valueOf = (name: string): string | undefined => new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(info)?.[1]
  const policy = valueOf('maxmemory_policy')
  return policy === 'noeviction' || valueOf('maxmemory') === '0' ? undefined : policy
}

function adviceOn(policy: string): string {
  return (
    `Valkey evicts keys when its memory is full (maxmemory-policy ${policy}), also the guards that keep outdated rows from being stored ` +
    'while rows are written: a row that is read meanwhile may then be outdated until its ttl is over. Use a server for caches alone with ' +
    'maxmemory-policy noeviction, and memory for all rows of a ttl.'
  )
}
