/** A process with many caches on a cluster of many nodes: what it sends and holds. With `--expose-gc`. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Redis } from 'ioredis'
import { ModelCacheWrites } from 'model-cache'
import {
  createLoadPermits,
  createModelCache,
  type ReadThroughCache,
  Slicer,
  Tick,
  ValkeyStore,
} from 'model-cache/advanced'
import { defineLots, sourceOf } from '../../harness/fixtures/lot-cache.ts'
import { auctionItem } from '../../harness/fixtures/models.ts'
import { serveParent } from '../../harness/process.ts'
import { heapMb } from '../../harness/processor.ts'
import { openCluster, usageOf } from '../../harness/servers.ts'
import type { AuctionItem } from '#prisma/client/client.js'

/** A tick on a busy machine must not be divided, or fail. */
const PATIENCE_MS = 60_000
const IDLE_MS = 5_000
const L1_MS = 1_000

const [template] = auctionItem.rows as readonly [AuctionItem, ...AuctionItem[]]
const source = sourceOf(async (ids: readonly string[]) => ids.map((id) => ({ ...template, id })))

const methods = serveParent({
  async measure({ buckets, caches: count, nodes }: Record<'buckets' | 'caches' | 'nodes', number>) {
    const servers = await openCluster(nodes, { lazyConnect: true })
    const { admins, client } = servers
    const own = await connectionsOf(admins)
    const store = new ValkeyStore({ client, deadlineMs: PATIENCE_MS })
    try {
      await store.connect()
      const [kbBefore, startedAt] = [heapKb(), await usageOf(admins, 'wireBytes')]
      const writes = new ModelCacheWrites({ store })
      const shared = {
        store,
        source,
        writes,
        buckets,
        tick: new Tick(),
        slicer: new Slicer({ budgetMs: 1_000 }),
        loads: createLoadPermits(),
      }
      const open = (i: number): Cache =>
        createModelCache(defineLots({ name: `Model${i}`, l1: { ttl: L1_MS } }), shared)
      const caches = Array.from({ length: count }, (_, i) => open(i))
      const commands = async (work: () => Promise<unknown>) => {
        const before = await callsOf(admins)
        await work()
        return since(before, await callsOf(admins))
      }
      const read = (of: readonly Cache[], rows: number, from: number) =>
        Promise.all(
          of.flatMap((cache) => Array.from({ length: rows }, (_, i) => cache.get(`row ${from + i}`))),
        )
      const joined = await commands(() => Promise.all(caches.map((cache) => cache.join())))
      const { wireBytes } = await usageOf(admins, 'wireBytes')
      const kbAtStart = heapKb() - kbBefore
      await read(caches, 1, 0)
      const kbInUse = heapKb() - kbBefore
      // Fills all buckets. One cache after another, so that no lease expires before its row is loaded.
      for (const cache of caches) {
        await read([cache], 4 * buckets, 0)
        await cache.drain()
      }
      await sleep(L1_MS)
      const [first] = caches as [Cache]
      /** Of one tick. Heartbeats that happen to fall into it are not part of it, nor are those rows that L1 has. */
      const ticks: { readonly name: string; readonly work: () => Promise<unknown> }[] = [
        { name: 'reads a row of one cache', work: () => read([first], 1, 0) },
        { name: 'reads a row of each cache', work: () => read(caches, 1, 0) },
        { name: 'reads rows of one cache, in all buckets', work: () => read([first], 4 * buckets, 0) },
        { name: 'reads rows of each cache, in all buckets', work: () => read(caches, 4 * buckets, 0) },
        { name: 'invalidates a row of one cache', work: () => first.invalidate('row 1') },
      ]
      const cases: { name: string; calls: Calls }[] = []
      for (const { name, work } of ticks) {
        const { spublish: _, ...calls } = await commands(work)
        cases.push({ name, calls })
        await sleep(2 * L1_MS)
      }
      cases.push({ name: 'rests for a second', calls: perSecond(await commands(() => sleep(IDLE_MS))) })
      const result = {
        caches: count,
        buckets,
        nodes,
        server: await servers.describe(),
        joined,
        cases,
        connectionsPerNode: (await connectionsOf(admins)).map((connections, i) => connections - own[i]!),
        joinedKb: (wireBytes - startedAt.wireBytes) / 1_000,
        heapKbPerCache: { atStart: kbAtStart / count, inUse: kbInUse / count },
      }
      await Promise.all(caches.map((cache) => cache.close()))
      return result
    } finally {
      await store.close()
      await servers.close()
    }
  },
})
export type WideProcess = typeof methods

type Cache = ReadThroughCache<AuctionItem, string>
/** Calls by command, over all nodes. */
type Calls = Readonly<Record<string, number>>

async function callsOf(nodes: readonly Redis[]): Promise<Calls> {
  const calls: Record<string, number> = {}
  for (const info of await Promise.all(nodes.map((node) => node.info('commandstats'))))
    for (const [, name, count] of info.matchAll(/^cmdstat_(\w+):calls=(\d+)/gm))
      calls[name!] = (calls[name!] ?? 0) + Number(count)
  return calls
}

/** Of commands that the library sends; those of its scripts count as one. */
const SENT = ['mget', 'eval', 'evalsha', 'spublish', 'publish', 'get', 'ssubscribe']

function since(before: Calls, after: Calls): Calls {
  const grown = SENT.map((name) => [name, (after[name] ?? 0) - (before[name] ?? 0)] as const)
  return Object.fromEntries(grown.filter(([, count]) => count > 0))
}

const perSecond = (calls: Calls): Calls =>
  Object.fromEntries(Object.entries(calls).map(([name, count]) => [name, (1_000 * count) / IDLE_MS]))

async function connectionsOf(nodes: readonly Redis[]): Promise<number[]> {
  const infos = await Promise.all(nodes.map((node) => node.info('clients')))
  return infos.map((info) => Number(/^connected_clients:(\d+)/m.exec(info)![1]))
}

const heapKb = (): number => heapMb() * 1_000
