import { Registry } from 'prom-client'
import { ModelCacheWrites, type Store } from 'model-cache'
import { MemoryStore } from 'model-cache/advanced'
import type { FollowerReport } from 'model-cache/internal'
import { Wire } from '../../../test/support/wire.js'
import type { DatabaseLog } from './database-log.js'
import { createFollow } from './follow-options.js'

class WiredStore extends MemoryStore {
  readonly messages: Wire
  constructor(messages: Wire) {
    super()
    this.messages = messages
  }
}

const report: FollowerReport = {
  follower: 'one',
  atMs: 0,
  state: 'following',
  lagMs: 0,
  lagBytes: 0,
  isStandby: false,
  standbyLagMs: null,
  caches: ['Post'],
}

function follow(openLog?: (namespace: string) => DatabaseLog) {
  const wire = new Wire()
  const store: Store = new WiredStore(wire)
  const namespace = 'shop'
  const metrics = new Registry()
  const warned = Promise.withResolvers<string>()
  const follower = createFollow({ maxLagMs: 2_000 }, openLog).followFor({
    name: 'billing',
    namespace,
    store,
    namespaceCaches: new ModelCacheWrites({ store, namespace }).cachesIn({ store, namespace }),
    metrics: { registry: metrics, prefix: 'app_' },
    log: { warn: warned.resolve, info() {} },
  })
  const say = (change: Partial<FollowerReport>): Promise<void> =>
    wire.publish('shop:{follow}', JSON.stringify({ ...report, atMs: performance.now(), ...change }))
  return { follower, metrics, say, warned: warned.promise }
}

describe('a root that others follow for', () => {
  it('counts no cache as followed while the lag is longer than it may be', async () => {
    const { follower, say } = follow()
    await follower.start()
    await say({})
    expect(follower.watch.isFollowed('Post')).toBe(true)
    await say({ lagMs: 2_001 })
    expect(follower.watch.isFollowed('Post')).toBe(false)
    await follower.stop()
  })

  it('exports what it hears, until its end', async () => {
    const { follower, metrics, say } = follow()
    await follower.start()
    await say({ lagBytes: 7 })
    expect(await metrics.metrics()).toContain('app_model_cache_follow_lag_bytes{root="billing"} 7')
    await follower.stop()
    expect(await metrics.metrics()).not.toContain('app_model_cache_follow_lag_bytes{')
  })
})

describe('a root that follows', () => {
  it('logs why it cannot', async () => {
    const log: Pick<DatabaseLog, 'name' | 'elect'> = {
      name: 'a database',
      elect: () => Promise.reject(new Error('the server is full')),
    }
    const { follower, warned } = follow(() => log as DatabaseLog)
    await follower.start()
    expect(await warned).toContain(
      'writes to a database outside this library are not followed by this process: the server is full.',
    )
    await follower.stop()
  })
})
