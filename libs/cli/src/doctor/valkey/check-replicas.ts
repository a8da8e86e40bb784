import type { ValkeyNode, ValkeyNodes } from 'model-cache/internal'
import { fault, type Finding, ok } from '../finding.js'
import { infoOf } from './server-facts.js'

/** How long replicas may take to acknowledge a key, in milliseconds: a slow replica is to be described, not given up. */
const patienceMs = 2_000

/**
 * Whether replicas of each primary acknowledge what `consistency.replicas` has them acknowledge, by trying with a key that expires at once.
 *
 * @param replicas how many
 */
export async function checkReplicas(
  nodes: ValkeyNodes,
  namespace: string,
  replicas: number,
): Promise<readonly Finding[]> {
  if (replicas === 0) return []
  const found = await Promise.all(
    nodes.primaries.map((node) => checkReplicasOf(node, nodes, namespace, replicas)),
  )
  return found.flat()
}

async function checkReplicasOf(
  node: ValkeyNode,
  nodes: ValkeyNodes,
  namespace: string,
  replicas: number,
): Promise<Finding[]> {
  const key = keyOn(node, nodes, namespace)
  if (key === undefined) return []
  // A server that refuses writes is another finding.
  const isWritten = await node.call('SET', key, '1', 'PX', '10000').then(
    () => true,
    () => false,
  )
  if (!isWritten) return []
  const acknowledged = Number(await node.call('WAIT', String(replicas), String(patienceMs)))
  await node.call('UNLINK', key)
  const online = await onlineReplicasOf(node)
  if (acknowledged < replicas) return [tooFew(node, nodes, replicas, acknowledged, online)]
  if (online !== undefined && online > replicas) return [notAll(node, replicas, online)]
  const text = `${replicas} ${replicas === 1 ? 'replica' : 'replicas'} of ${node.name} acknowledged a write.`
  return [ok('valkey.replica-count', text)]
}

/** A key that a node has; undefined if none is found, as if it has no slot. */
function keyOn(node: ValkeyNode, nodes: ValkeyNodes, namespace: string): string | undefined {
  const id = crypto.randomUUID()
  if (!nodes.isCluster) return `${namespace}:{doctor}:${id}`
  // Even a single slot is found among so many.
  for (let i = 0; i < 500_000; i++) {
    const key = `${namespace}:{doctor:${i}}:${id}`
    if (isOn(nodes, key, node)) return key
  }
  return undefined
}

function isOn(nodes: ValkeyNodes, key: string, node: ValkeyNode): boolean {
  try {
    return nodes.nodeOf(key) === node
  } catch {
    // Nobody has its slot.
    return false
  }
}

/** Returns how many replicas are online; undefined if the server forbids `INFO`. */
async function onlineReplicasOf(node: ValkeyNode): Promise<number | undefined> {
  const info = await infoOf(node)
  return (
    info &&
    [...info].filter(([field, value]) => /^slave\d+$/.test(field) && /\bstate=online\b/.test(value)).length
  )
}

function tooFew(
  { name }: ValkeyNode,
  { isCluster }: ValkeyNodes,
  replicas: number,
  acknowledged: number,
  online: number | undefined,
): Finding {
  const isMissing = online === undefined || online < replicas
  const [, host = '<host>', port = '<port>'] = /^(\S+):(\d+)$/.exec(name) ?? []
  const follow = isCluster
    ? `CLUSTER REPLICATE <node id of ${name}> on another node`
    : `REPLICAOF ${host} ${port} on another server`
  return fault(
    'error',
    'valkey.replica-count',
    isMissing && online !== undefined
      ? `${name} has ${online || 'no'} connected ${online === 1 ? 'replica' : 'replicas'}, and consistency.replicas is ${replicas}.`
      : `${acknowledged} of ${replicas} replicas of ${name} acknowledge a write within ${patienceMs / 1_000} s.`,
    'No fence and no invalidation counts: mode `strict` refuses writes, `available` commits them without a fence, and new processes bypass Valkey.',
    isMissing
      ? `${follow}, or a lower consistency.replicas, with which a failover may bring old rows back.`
      : `INFO replication on ${name} shows the lag of each; look at the log of those that lag, and restart them.`,
  )
}

function notAll({ name }: ValkeyNode, replicas: number, online: number): Finding {
  return fault(
    'note',
    'valkey.replica-count',
    `${name} has ${online} replicas, and consistency.replicas is ${replicas}.`,
    'A failover to a replica that has not acknowledged the last invalidations may bring old rows back.',
    `Set consistency.replicas to ${online}, if all of them may be promoted.`,
  )
}
