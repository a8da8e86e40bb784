import { Logger } from '@nestjs/common'
import type { MetricsRegistry } from '@model-cache/event-loop/internal'
import type { ModelCacheWrites, Store } from '../protocol/index.js'
import type { Follow } from '../follow/follow-options.js'
import { FollowWatch } from '../follow/follow-watch.js'
import { Follower } from '../follow/follower.js'
import { createFollowMetrics } from '../follow/follow-metrics.js'
import { type ModelCacheModuleOptions, namespaceOf } from './model-cache.options.js'
import { nestLog } from './nest-log.js'

/** How a root learns of writes outside Prisma. */
export class RootFollower {
  readonly watch: FollowWatch
  readonly onGap: Follow['onGap']
  /** Undefined if another process follows. */
  readonly #follower: Follower | undefined

  constructor(watch: FollowWatch, onGap: Follow['onGap'], follower: Follower | undefined) {
    this.watch = watch
    this.onGap = onGap
    this.#follower = follower
  }

  /** Begins to listen, and to follow as the leader or wait as a stand-by. */
  async start(): Promise<void> {
    await this.watch.start()
    this.#follower?.start()
  }

  async stop(): Promise<void> {
    await this.#follower?.stop()
    await this.watch.stop()
  }
}

interface FollowedRoot {
  readonly root: string | undefined
  readonly store: Store
  readonly writes: ModelCacheWrites
  readonly metrics: MetricsRegistry
}

export function createRootFollower(
  options: ModelCacheModuleOptions,
  { maxLagMs, onGap, openLog }: Follow,
  { root, store, writes, metrics }: FollowedRoot,
): RootFollower {
  const log = nestLog(new Logger('ModelCache'))
  const namespace = namespaceOf(options, root)
  const watch = new FollowWatch({ namespace, messages: store.messages, maxLagMs })
  const observer = createFollowMetrics(metrics, { prefix: options.metricsPrefix, root, watch })
  const database = openLog?.(namespace)
  const known = writes.knownIn({ store, namespace })
  const follower = database && new Follower({ database, namespace, store, known, watch, observer, log })
  return new RootFollower(watch, onGap, follower)
}
