import { setTimeout as delay } from 'node:timers/promises'
import { FollowWatch } from '@model-cache/follow/internal'
import { type CatalogueListing, type ValkeyNodes, ValkeyStore } from 'model-cache/internal'
import { fault, type Finding, ok } from '../finding.js'

/** How long to wait for a report, in milliseconds: followers send one twice a second. */
const waitMs = 2_000

const maxLagMs = 10_000

/** Whether somebody follows the log of the database for the caches of a namespace. */
export async function checkFollower(
  nodes: ValkeyNodes,
  namespace: string,
  { caches }: CatalogueListing,
  deadlineMs: number,
): Promise<readonly Finding[]> {
  // Before an application has started, nobody follows.
  if (caches.length === 0) return []
  const store = new ValkeyStore({ ...nodes.connection, deadlineMs })
  const watch = new FollowWatch({ namespace, messages: store.messages, maxLagMs })
  try {
    await store.connect()
    await watch.start()
    for (let waitedMs = 0; !watch.report && waitedMs < waitMs; waitedMs += 50) await delay(50)
    const { report } = watch
    if (report?.state === 'following' && report.lagMs <= maxLagMs)
      return [ok('follow.running', `The log is followed, with a lag of ${Math.round(report.lagMs)} ms.`)]
    return [
      fault(
        'warning',
        'follow.running',
        report
          ? `A follower is ${report.state}, with a lag of ${Math.round(report.lagMs)} ms.`
          : `No follower has reported to ${namespace} for ${waitMs / 1_000} s.`,
        "Rows that others write stay stale until their ttl ends; caches with `follow: 'required'` read from the database.",
        'Start a process with `follow: followPostgres({ url })` or `followMysql({ url })`; see docs/operations.md, ModelCacheNotFollowed.',
      ),
    ]
  } finally {
    await watch.stop()
    await store.close()
  }
}
