import { Registry } from 'prom-client'
import { ModelCacheWrites, type Store } from 'model-cache'
import { MemoryStore } from 'model-cache/advanced'
import type { FollowerReport } from 'model-cache/internal'
import { eventually } from '../../../test/support/eventually.js'
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
  return { follower, metrics, say, warned: warned.promise, wire }
}

describe('a root that others follow for', () => {
  it('hears the reports of its namespace from its start to its end', async () => {
    const { follower, say, wire } = follow()
    await say({})
    expect(follower.watch.report).toBeUndefined()
    await follower.start()
    await say({})
    expect(follower.watch.isFollowed('Post')).toBe(true)
    await say({ lagMs: 2_001 })
    expect(follower.watch.isFollowed('Post')).toBe(false)
    await follower.stop()
    expect(wire.listeners.size).toBe(0)
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
  it('stands for election with the store and the namespace until its end', async () => {
    const elections: { key: string; signal: AbortSignal }[] = []
    const opened: string[] = []
    const log: Pick<DatabaseLog, 'name' | 'elect'> = {
      name: 'a database',
      elect: (key, signal) => {
        elections.push({ key, signal })
        return new Promise((_, reject) =>
          signal.addEventListener('abort', () => reject(signal.reason as Error)),
        )
      },
    }
    const { follower, wire } = follow((namespace) => {
      opened.push(namespace)
      return log as DatabaseLog
    })
    expect(elections).toEqual([])
    await follower.start()
    await eventually(() => elections.length > 0)
    expect(opened).toEqual(['shop'])
    expect(elections[0]!.key).toMatch(/^shop:.+/)
    expect(elections[0]!.signal.aborted).toBe(false)
    await follower.stop()
    expect(elections[0]!.signal.aborted).toBe(true)
    expect(wire.listeners.size).toBe(0)
  })

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
