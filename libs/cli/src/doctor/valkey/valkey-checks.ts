import { type CatalogueListing, listProcesses, type ValkeyNode, type ValkeyNodes } from 'model-cache/internal'
import { type Check, sentenceOf } from '../doctor.js'
import { fault, type Finding, ok } from '../finding.js'
import { checkCaches } from './check-caches.js'
import { checkCluster, missingSlots, unannouncedPrimaries } from './check-cluster.js'
import { checkDatabases } from './check-databases.js'
import { checkFollower } from './check-follower.js'
import { checkPersistence } from './check-persistence.js'
import { checkReplicas } from './check-replicas.js'
import { checkRights } from './check-rights.js'
import { checkServer } from './check-server.js'
import { checkStore } from './check-store.js'
import { checkTimes } from './check-times.js'
import { infoOf } from './server-facts.js'

export interface ValkeyContext {
  /** Rejects if the server cannot be reached. */
  readonly nodes: Promise<ValkeyNodes>
  /** Rejects if it cannot be read. */
  readonly listed: Promise<CatalogueListing>
  readonly namespace: string
  /** `deadlineMs` of the application, in milliseconds. */
  readonly deadlineMs: number
  /** Whether the log of the database is followed, or is to be. */
  readonly isFollowed: boolean
  /** How many replicas have to acknowledge writes. */
  readonly replicas: number
}

/** How long the doctor itself waits for an answer, in milliseconds: a slow server is to be described, not given up. */
export const patienceMs = 4_000

/** The checks of Valkey, and of what it knows of the caches. */
export function valkeyChecks({
  deadlineMs,
  isFollowed,
  listed,
  namespace,
  nodes,
  replicas,
}: ValkeyContext): readonly Check[] {
  /** Nothing can be said of a server that is not reached, which is a finding by itself. */
  const withNodes = (id: string, run: (nodes: ValkeyNodes) => Promise<readonly Finding[]>): Check => ({
    id,
    async run() {
      const reached = await nodes.catch(() => undefined)
      return reached ? run(reached) : []
    },
  })
  const eachPrimary = (id: string, run: (node: ValkeyNode) => Promise<readonly Finding[]>): Check =>
    withNodes(id, async ({ primaries }) => (await Promise.all(primaries.map(run))).flat())
  return [
    { id: 'valkey.reachable', run: () => nodes.then(reachable, unreachable) },
    eachPrimary('valkey.server', async (node) => {
      const info = await infoOf(node)
      return [...checkServer(node, info), ...(await checkPersistence(node, info))]
    }),
    withNodes('valkey.cluster-slots', async (reached) => checkCluster(reached)),
    eachPrimary('valkey.latency', (node) => checkTimes(node, deadlineMs)),
    withNodes('valkey.rights', async (reached) => {
      // No store can connect to such a cluster.
      if (unannouncedPrimaries(reached).length > 0) return []
      const { caches } = await listed.catch(() => ({ caches: [] }))
      const names = [...new Set(caches.map(({ name }) => name))].slice(0, 50)
      const findings = await checkRights({ nodes: reached, namespace, caches: names, replicas })
      // What follows from either is no other finding.
      if (findings.some(({ severity }) => severity === 'error') || missingSlots(reached).length > 0)
        return findings
      return [
        ...findings,
        ...(await checkReplicas(reached, namespace, replicas)),
        ...(await checkStore(reached, namespace, patienceMs)),
      ]
    }),
    withNodes('caches.listed', async () => {
      // A right that is missing, or a slot, is a finding by itself.
      const found = await listed.catch(() => undefined)
      return found ? checkCaches(found, namespace) : []
    }),
    withNodes('caches.databases', async (reached) => {
      const found = await listProcesses(reached, namespace).catch(() => undefined)
      return found ? checkDatabases(found, namespace) : []
    }),
    withNodes('follow.running', async (reached) => {
      const found = isFollowed && (await listed.catch(() => undefined))
      return found ? checkFollower(reached, namespace, found, patienceMs) : []
    }),
  ]
}

function reachable({ needsNoPassword, primaries }: ValkeyNodes): Finding[] {
  const names = primaries.map(({ name }) => name).join(', ')
  return [
    ok('valkey.reachable', `Valkey answers at ${names}.`),
    ...(needsNoPassword
      ? [
          fault(
            'warning',
            'valkey.password',
            'The URL has a password, but the server accepts connections without one.',
            'Anyone who reaches the server may read and change all rows.',
            'Set a password: ACL SETUSER default resetpass >password, and CONFIG SET requirepass password',
          ),
        ]
      : []),
  ]
}

function unreachable(error: unknown): Finding[] {
  return [
    fault(
      'error',
      'valkey.reachable',
      `Valkey cannot be used: ${sentenceOf(error)}`,
      'All rows are read from the database; in mode `strict` writes fail.',
      'Start the server, or correct the URL: --valkey, by default VALKEY_URL.',
    ),
  ]
}
