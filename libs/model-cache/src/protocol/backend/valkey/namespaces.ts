import type { Cluster, Redis } from 'ioredis'
import type { ValkeyClient } from './valkey-client.js'

/** How much of a server is looked through: some milliseconds, while it serves others. */
const maxScans = 100
const keysPerScan = 1_000

const suffix = ':{catalogue}'

/** The namespaces whose catalogues are among the first hundred thousand keys of each server. */
export async function namespacesIn(client: ValkeyClient): Promise<readonly string[]> {
  const nodes = client.isCluster ? (client as Cluster).nodes('master') : [client as Redis]
  const found = new Set<string>()
  await Promise.all(
    nodes.map(async (node) => {
      const prefix = node.options.keyPrefix ?? ''
      let cursor = '0'
      for (let i = 0; i < maxScans; i++) {
        const [next, keys] = await node.scan(cursor, 'MATCH', `${prefix}*${suffix}`, 'COUNT', keysPerScan)
        for (const key of keys) found.add(key.slice(prefix.length, -suffix.length))
        cursor = next
        if (cursor === '0') break
      }
    }),
  )
  return [...found]
}
