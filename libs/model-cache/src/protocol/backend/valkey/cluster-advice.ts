const remedy = 'give it a cluster client, `valkey: { client: new Cluster([…]) }`; see docs/cluster.md'

/** What to do about an error of a node that does not have the keys of a command; undefined for other errors. */
export function clusterAdviceOf(reason: string): string | undefined {
  if (!/^(MOVED|CROSSSLOT) /.test(reason)) return undefined
  return `The server is a node of a cluster. If the store has a client for a single server, ${remedy}`
}

interface InformedClient {
  readonly isCluster: boolean
  info(section: string): Promise<string>
}

/** Advice for a client of a single server that is a node of a cluster. */
export async function singleClientAdvice(client: InformedClient): Promise<readonly string[]> {
  if (client.isCluster || !/^cluster_enabled:1/m.test(await client.info('cluster'))) return []
  return [
    `Valkey is a cluster, and the store has a client for a single server, so nothing is cached: ${remedy}.`,
  ]
}
