import type { FollowedRoot, RootFollower } from 'model-cache/internal'
import type { DatabaseLog } from './database-log.js'
import { createFollowMetrics } from './follow-metrics.js'
import { FollowWatch } from './follow-watch.js'
import { Follower } from './follower.js'

/** @param openLog undefined if another process follows */
export function createRootFollower(
  { namespaceCaches, log, metrics, name, namespace, store }: FollowedRoot,
  maxLagMs: number,
  openLog: ((namespace: string) => DatabaseLog) | undefined,
): RootFollower {
  const watch = new FollowWatch({ namespace, messages: store.messages, maxLagMs })
  const observer = createFollowMetrics(metrics.registry, { prefix: metrics.prefix, root: name, watch })
  const database = openLog?.(namespace)
  const follower =
    database && new Follower({ database, namespace, store, namespaceCaches, watch, observer, log })
  return {
    watch,
    async start() {
      await watch.start()
      follower?.start()
    },
    async stop() {
      observer.stop()
      await follower?.stop()
      await watch.stop()
    },
  }
}
