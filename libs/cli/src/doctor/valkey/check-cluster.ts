import { slotCount, type ValkeyNodes } from 'model-cache/internal'
import { fault, type Finding, ok } from '../finding.js'

/** Whether all slots are served, by nodes that answer. */
export function checkCluster(cluster: ValkeyNodes): readonly Finding[] {
  const { isCluster, primaries, replicas, slots } = cluster
  if (!isCluster) return []
  const missing = missingSlots(cluster)
  const names = new Set(slots.map(({ nodes }) => nodes[0]!))
  const known = new Set(primaries.map(({ name }) => name))
  const silent = [...names].filter((name) => !known.has(name))
  const findings: Finding[] = []
  if (missing.length > 0)
    findings.push(
      fault(
        'error',
        'valkey.cluster-slots',
        `No node has the slots ${missing.join(', ')}.`,
        'Rows in these slots are read from the database. With cluster-require-full-coverage, which is the default, so are all others.',
        'valkey-cli --cluster fix <host>:<port>, or CLUSTER ADDSLOTSRANGE on the node that should have them.',
      ),
    )
  else
    findings.push(
      ok(
        'valkey.cluster-slots',
        `All ${slotCount} slots are served, by ${names.size} primaries, to cluster clients (\`client: new Cluster([…])\`).`,
      ),
    )
  const unannounced = unannouncedPrimaries(cluster)
  const announce = 'CONFIG SET cluster-announce-ip <address that the application can reach>, on each of them'
  if (unannounced.length > 0)
    findings.push(
      fault(
        'error',
        'valkey.cluster-address',
        `These nodes announce no address: ${unannounced.join(', ')}.`,
        'A node that has met no other does not know its own. Clients leave it out, so its rows are read from the database; in mode `strict` writes fail.',
        announce,
      ),
    )
  const others = [...new Set(slots.flatMap((range) => range.unannounced))].filter(
    (name) => !unannounced.includes(name),
  )
  if (others.length > 0)
    findings.push(
      fault(
        'warning',
        'valkey.cluster-address',
        `These replicas announce no address: ${others.join(', ')}.`,
        'Clients leave them out: after a failover to one of them, its rows are read from the database; in mode `strict` writes fail.',
        announce,
      ),
    )
  if (silent.length > 0)
    findings.push(
      fault(
        'error',
        'valkey.cluster-nodes',
        `These primaries do not answer here: ${silent.join(', ')}.`,
        'Their rows are read from the database. Often the nodes announce addresses that only reach them from within their network.',
        'Start them, or set cluster-announce-ip and cluster-announce-port to what the application can reach.',
      ),
    )
  const replicated = new Set(slots.filter(({ nodes }) => nodes.length > 1).map(({ nodes }) => nodes[0]!))
  if (replicas.length > 0 && replicated.size < names.size)
    findings.push(
      fault(
        'note',
        'valkey.cluster-replicas',
        `Some primaries have no replica: ${[...names].filter((name) => !replicated.has(name)).join(', ')}.`,
        'While such a node is down, its rows are read from the database.',
        'CLUSTER REPLICATE <node id> on another node.',
      ),
    )
  return findings
}

/** The primaries that do not tell clients their address. */
export function unannouncedPrimaries({ slots }: ValkeyNodes): readonly string[] {
  return [
    ...new Set(
      slots.flatMap(({ nodes: [primary], unannounced }) => unannounced.filter((name) => name === primary)),
    ),
  ]
}

/** The slots that no node of a cluster has, as ranges. */
export function missingSlots({ isCluster, slots }: ValkeyNodes): readonly string[] {
  if (!isCluster) return []
  const gaps: string[] = []
  let next = 0
  const gap = (until: number): void => {
    if (until > next) gaps.push(until - 1 > next ? `${next}-${until - 1}` : `${next}`)
  }
  for (const { first, last } of slots.toSorted((a, b) => a.first - b.first)) {
    gap(first)
    next = Math.max(next, last + 1)
  }
  gap(slotCount)
  return gaps
}
