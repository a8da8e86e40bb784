import { type } from 'arktype'
import { Redis } from 'ioredis'
import type { ConsistencyOptions, CacheOptions, Store, ValkeyStoreOptions } from 'model-cache'
import type { CreateModelCacheOptions, ModelObserver } from 'model-cache/advanced'
import { modelCaches, ModelCacheWrites } from 'model-cache'
import { createModelCache, ValkeyStore } from 'model-cache/advanced'
import type { ReadThroughCache } from 'model-cache/advanced'
import { eventually } from '../../support/eventually.js'
import { patientMs } from '../../support/patience.js'
import { startValkey, type ValkeyServer } from '../../support/valkey-server.js'
import { VersionedLots, type Lot } from './versioned-lots.js'

const { defineModelCache } = modelCaches()

const schema = type({ id: 'string', version: 'number' })

export const defineLots = (options: Partial<CacheOptions> = {}) =>
  defineModelCache<Lot>()({ model: 'Lot', schema, id: 'id', ttl: '1h', ...options })

/** The row that all races are about. */
export const lotId = 'lot-1'

/** Changes a store. */
export type Wrap = (store: Store, admin: Redis) => Store

export interface PodOptions extends Partial<Omit<CreateModelCacheOptions<Lot, string>, 'store'>> {
  readonly model?: ReturnType<typeof defineLots>
  readonly wrap?: Wrap
  /** @default the server of the file */
  readonly valkey?: ValkeyStoreOptions
}

/** A process with a store and a cache of its own. */
export interface Pod {
  readonly cache: ReadThroughCache<Lot, string>
  readonly writes: ModelCacheWrites
  readonly store: Store
  /** What the cache has counted, by method and labels: `fences fenced`. */
  readonly counts: ReadonlyMap<string, number>
  get(id?: string): Promise<Lot | null>
  /** A write to a row, not fenced yet. */
  begin(id?: string): ReturnType<ModelCacheWrites['begin']>
  /** A whole write: fence, COMMIT, release. */
  write(id?: string): Promise<void>
}

/** One database, one namespace of a Valkey, and pods that share them. */
export interface World {
  readonly database: VersionedLots
  readonly valkey: ValkeyServer
  readonly admin: Redis
  readonly namespace: string
  openPod(options?: PodOptions): Promise<Pod>
  /** A process without caches that writes. */
  openWorker(options?: Pick<PodOptions, 'consistency' | 'wrap'>): Promise<Worker>
}

export interface Worker {
  readonly store: Store
  readonly writes: ModelCacheWrites
  /** A write to a row, not fenced yet. */
  begin(id?: string): Promise<ReturnType<ModelCacheWrites['begin']>>
}

/** Applies to all pods of a world. */
export interface Sabotage {
  readonly wrap?: Wrap
  readonly consistency?: ConsistencyOptions
}

/** Starts a Valkey for the tests of a file. */
export function useWorlds(): (sabotage?: Sabotage) => World {
  let valkey: ValkeyServer
  let admin: Redis
  let worlds = 0
  const opened: (() => Promise<void>)[] = []

  beforeAll(async () => {
    valkey = await startValkey()
    admin = new Redis(valkey.port)
  })
  afterEach(async () => {
    for (const close of opened.splice(0)) await close()
  })
  afterAll(async () => {
    admin.disconnect()
    await valkey.stop()
  })

  return (sabotage = {}) => {
    const database = new VersionedLots()
    const namespace = `world-${++worlds}`
    const openPod = async (options: PodOptions = {}): Promise<Pod> => {
      const { model = defineLots(), wrap = same, valkey: connection, ...parts } = options
      const own = new ValkeyStore(connection ?? { url: valkey.url, deadlineMs: patientMs })
      const store = (sabotage.wrap ?? same)(wrap(own, admin), admin)
      await store.connect()
      const consistency = { ...parts.consistency, ...sabotage.consistency }
      const writes = parts.writes ?? new ModelCacheWrites()
      const counts = new Map<string, number>()
      const cache = createModelCache(model, {
        source: database.source,
        namespace,
        observer: { forModel: () => counting(counts), storeChanged: () => {} },
        ...parts,
        store,
        consistency,
        writes,
      })
      opened.push(async () => {
        await cache.close()
        await store.close()
      })
      const begin = (id = lotId): ReturnType<Pod['begin']> => {
        const unit = writes.begin()
        unit.markWritten('Lot', [{ id }])
        return unit
      }
      const write = async (id = lotId): Promise<void> => {
        const unit = begin(id)
        await unit.fence()
        database.write(id)
        await unit.end()
      }
      return { cache, writes, store, counts, get: (id = lotId) => cache.get(id), begin, write }
    }
    const openWorker: World['openWorker'] = async ({ wrap = same, consistency } = {}) => {
      const own = new ValkeyStore({ url: valkey.url, deadlineMs: patientMs })
      const store = (sabotage.wrap ?? same)(wrap(own, admin), admin)
      await store.connect()
      const writes = new ModelCacheWrites({
        store,
        namespace,
        consistency: { ...consistency, ...sabotage.consistency },
      })
      opened.push(async () => {
        await writes.close()
        await store.close()
      })
      const begin: Worker['begin'] = async (id = lotId) => {
        await writes.prepare()
        const unit = writes.begin()
        unit.markWritten('Lot', [{ id }])
        return unit
      }
      return { store, writes, begin }
    }
    return { database, valkey, admin, namespace, openPod, openWorker }
  }
}

const same: Wrap = (store) => store

/** Counts calls by name and string arguments; a whole number among the arguments is the count. */
function counting(counts: Map<string, number>): ModelObserver {
  const count = (name: string, args: readonly unknown[]): void => {
    const words = [name, ...args.filter((arg) => typeof arg === 'string')].join(' ')
    const many = args.find((arg) => Number.isInteger(arg)) as number | undefined
    counts.set(words, (counts.get(words) ?? 0) + (many ?? 1))
  }
  return new Proxy({} as ModelObserver, {
    get:
      (_, name) =>
      (...args: unknown[]) =>
        count(String(name), args),
  })
}

/** Reads the row, and waits until all running fills have ended. */
export async function getStored(pod: Pod, id = lotId): Promise<Lot | null> {
  const row = await pod.get(id)
  await pod.cache.drain()
  return row
}

/** Waits until a pod uses its memory, and has the row there. */
export async function keepInMemory(pod: Pod, id = lotId): Promise<void> {
  await eventually(async () => {
    await getStored(pod, id)
    const { l1 } = await pod.cache.explain(id)
    return l1!.isTrusted && l1!.isHeld
  })
}

/** Reads the row, and checks whether it is stored then. */
export async function isStored(pod: Pod, id = lotId): Promise<boolean> {
  await getStored(pod, id)
  return (await pod.cache.explain(id)).stored.isHit
}
