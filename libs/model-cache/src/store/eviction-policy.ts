import type { Cluster } from 'ioredis'
import type { ValkeyClient } from './valkey-client.js'

/**
 * Whether a server, or a primary of a cluster, evicts keys before their time when its memory is full. `INFO` says so everywhere; managed
 * servers forbid `CONFIG GET`.
 */
export async function evictsKeys(client: ValkeyClient): Promise<boolean> {
  const servers = client.isCluster ? (client as Cluster).nodes('master') : [client]
  const infos = await Promise.all(servers.map((server) => server.info('memory')))
  return infos.some((info) => {
    const { maxmemory, maxmemory_policy: policy } = Object.fromEntries(
      Array.from(info.matchAll(/^(maxmemory\w*):(\S+)/gm), ([, name, value]) => [name, value]),
    )
    return maxmemory !== '0' && policy !== 'noeviction'
  })
}
