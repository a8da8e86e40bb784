import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { jest } from '@jest/globals'
import { Logger } from '@nestjs/common'
import { type } from 'arktype'
import { Registry } from 'prom-client'
import { eventually } from '../../../../test/support/eventually.js'
import { Wire } from '../../../../test/support/wire.js'
import { defineModelCache } from '../cache/policy/definition.js'
import { MemoryStore, newToken, type Store, warmKey } from '../protocol/index.js'
import { createTestCache } from '../testing/test-cache.js'
import { warmUpKeyOf } from '../warm/warm-at-start.js'
import { WarmingProcesses } from '../warm/warm-messages.js'
import type { WarmOptions } from '../warm/warm-options.js'
import type { WarmedCache } from '../warm/warmer.js'
import type { ModelCacheModuleOptions } from './model-cache.options.js'
import { createRootWarmer } from './root-warmer.js'

const posts = defineModelCache<{ id: string }>()({
  model: 'Post',
  schema: type({ id: 'string' }),
  id: 'id',
  ttl: '1m',
  dependsOn: [],
  load: () => [],
})
const none = (): ReadonlyMap<string, WarmedCache> => new Map()
/** Of which no row is read. */
const some = (): ReadonlyMap<string, WarmedCache> => new Map([['Post', {} as WarmedCache]])
const logs: string[] = []

beforeEach(() => {
  const record = (message: unknown): void => void logs.push(String(message))
  jest.spyOn(Logger.prototype, 'log').mockImplementation(record)
  jest.spyOn(Logger.prototype, 'warn').mockImplementation(record)
})
afterEach(() => {
  jest.restoreAllMocks()
  logs.length = 0
})

function warmer(warm: WarmOptions, options: Partial<ModelCacheModuleOptions> = {}) {
  const wire = new Wire()
  const store: Store = Object.assign(new MemoryStore(), { messages: wire })
  const metrics = new Registry()
  const given = { namespace: 'shop', ...options }
  return { wire, store, metrics, root: createRootWarmer(given, warm, { root: 'billing', store, metrics }) }
}

async function isLeased(store: Store, caches: readonly string[] = ['Post']): Promise<boolean> {
  const key = warmUpKeyOf('shop', caches)
  const request = { token: newToken(), leaseMs: 1, onlyAbsent: false, onlyUnmarked: false }
  const [answer] = await store.leaseMany([key], request)
  return answer!.token === null
}

it('replays what a command sends, until its end', async () => {
  const { metrics, root, wire } = warmer({ perSecond: 50 }, { metricsPrefix: 'app_' })
  const { cache } = createTestCache(posts, [{ id: '1' }])
  root.start(() => new Map([['Post', cache as unknown as WarmedCache]]))
  const { signal } = new AbortController()
  const processes = new WarmingProcesses('shop', wire)
  await processes.open()
  const found = (await processes.find(new Set(['Post']), signal)).get('Post')!
  expect(found.perSecond).toBe(50)
  expect(await processes.replay(found, [{ cache: 'Post', id: '1' }], signal)).toMatchObject({ stored: 1 })
  expect(await metrics.metrics()).toContain(
    'app_model_cache_warmed_ids_total{model="Post",result="stored",root="billing"} 1',
  )
  await root.stop()
  expect([...wire.listeners.keys()].filter((channel) => channel === warmKey('shop'))).toEqual([])
})

it('ends although the log of the application throws', async () => {
  const warn = jest.spyOn(Logger.prototype, 'warn').mockImplementation(() => {
    throw new Error('the worker has exited')
  })
  const { root } = warmer({ from: { url: 'valkey://127.0.0.1:1' } })
  root.start(some)
  await eventually(() => warn.mock.calls.length > 0)
  await expect(root.stop()).resolves.toBeUndefined()
})

it('needs no messages, and warms nothing up without a source', async () => {
  const store = new MemoryStore()
  const root = createRootWarmer(
    { namespace: 'shop' },
    {},
    { root: undefined, store, metrics: new Registry() },
  )
  root.start(none)
  await root.stop()
  expect(await isLeased(store)).toBe(false)
  expect(logs).toEqual([])
})

it('leaves the warm-up at the start to a process with caches', async () => {
  const { root, store } = warmer({ from: { url: 'valkey://127.0.0.1:1' } })
  root.start(none)
  expect(await isLeased(store, [])).toBe(false)
  await root.stop()
  expect(logs).toEqual([])
})

it('ends a warm-up with the process, and leaves it to others', async () => {
  const connected = Promise.withResolvers<void>()
  const silent = createServer(() => connected.resolve()).listen(0, '127.0.0.1')
  await once(silent, 'listening')
  const url = `valkey://127.0.0.1:${(silent.address() as AddressInfo).port}`
  const { root, store } = warmer({ from: { url } }, { valkey: { url: 'valkey://127.0.0.1:1' } })
  root.start(some)
  await connected.promise
  expect(await isLeased(store)).toBe(true)
  await root.stop()
  expect(await isLeased(store)).toBe(false)
  expect(logs).toEqual([])
  silent.close()
})

it('refuses to warm a namespace up from itself', () => {
  const url = 'valkey://127.0.0.1:1'
  expect(() => warmer({ from: { url } }, { valkey: { url } })).toThrow(
    'option "warm.from.namespace" is "shop"; expected another namespace',
  )
  expect(() => warmer({ from: { url, namespace: 'other' } }, { valkey: { url } })).not.toThrow()
  expect(() => warmer({ from: { url } })).not.toThrow()
})
