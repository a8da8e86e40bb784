/** Deployments that each change the lookups of a cache: writes fence what running processes have, and nothing that nobody has any more. */
import { randomUUID } from 'node:crypto'
import { jest } from '@jest/globals'
import { Cluster, Redis } from 'ioredis'
import { extendPrisma, ModelCacheWrites, type Store } from 'model-cache'
import {
  createModelCache,
  createPrismaSource,
  MemoryStore,
  schemaFactsOf,
  ValkeyStore,
} from 'model-cache/advanced'
import { eventually } from '../../support/eventually.js'
import { patientMs } from '../../support/patience.js'
import { startValkeyCluster, type ValkeyCluster } from '../../support/valkey-server.js'
import { withMethods } from '../consistency/sabotage.js'
import { defineModelCache, type LookupWorld, useLookupWorlds } from './lookup-pods.js'

jest.setTimeout(120_000)

const openWorld = useLookupWorlds()
let world: LookupWorld
let cluster: ValkeyCluster
const opened: (() => Promise<unknown>)[] = []

beforeAll(async () => {
  cluster = await startValkeyCluster()
})
beforeEach(async () => {
  world = await openWorld()
})
afterEach(async () => {
  jest.restoreAllMocks()
  for (const close of opened.splice(0).toReversed()) await close()
})
afterAll(() => cluster.stop())

/** A store that processes share, and two hours of its time, in which all that nobody extends expires. */
interface SharedStore {
  open(): Promise<Store>
  age(registerKey: string): Promise<void>
}

function memory(): SharedStore {
  const store = new MemoryStore()
  let aheadMs = 0
  const { now } = Date
  jest.spyOn(Date, 'now').mockImplementation(() => now() + aheadMs)
  return {
    // Each process closes the store as if it had one of its own.
    open: async () => withMethods<Store>(store, { close: async () => {} }),
    age: async () => void (aheadMs += 7_200_000),
  }
}

/** No server's clock can be set, so the times in the register are. */
function valkey(connect: () => Redis | Cluster, open: () => ValkeyStore): SharedStore {
  const admin = connect()
  opened.push(async () => admin.disconnect())
  return {
    open: async () => {
      const store = open()
      await store.connect()
      return store
    },
    async age(registerKey) {
      const [epoch, existence, since, ...others] = (await admin.get(registerKey))!.split(';')
      const earlier = (text: string): string => String(Number(text) - 7_200_000)
      const listings = others.at(-1)!.replace(/(?<=@)\d+/g, earlier)
      await admin.set(
        registerKey,
        [epoch, existence, earlier(since!), ...others.slice(0, -1), listings].join(';'),
      )
    },
  }
}

const stores: Readonly<Record<string, () => SharedStore>> = {
  memory,
  valkey: () =>
    valkey(
      () => new Redis(world.valkey.port),
      () => new ValkeyStore({ url: world.valkey.url, deadlineMs: patientMs }),
    ),
  cluster: () => {
    const nodes = cluster.nodes.map(({ host, port }) => ({ host, port }))
    return valkey(
      () => new Cluster(nodes),
      () => new ValkeyStore({ client: new Cluster(nodes, { lazyConnect: true }), deadlineMs: patientMs }),
    )
  },
}

/** Processes of one application, whose versions have other lists of posts. */
function openApplication(shared: SharedStore) {
  const namespace = `deployments-${randomUUID()}`
  const deploy = async (list: string, l1?: { readonly ttl: '1h' }) => {
    const fenced: string[] = []
    const own = await shared.open()
    const store = withMethods(own, {
      fenceMany(keys, ...rest) {
        fenced.push(...keys.map(({ key }) => key))
        return own.fenceMany(keys, ...rest)
      },
    })
    const client = world.plainClient()
    const consistency = { fenceMs: 100 }
    const writes = new ModelCacheWrites({ store, namespace, consistency })
    const prisma = extendPrisma(client, writes) as unknown as typeof client
    const definition = defineModelCache('Post', {
      ttl: '1h',
      ...(l1 && { l1 }),
      unique: { [`${list}Address`]: ['authorId', 'slug'] },
      lists: { [list]: { by: 'authorId', orderBy: { slug: 'asc' }, limit: 5 + list.length } },
    } as never)
    const cache = createModelCache(definition, {
      source: createPrismaSource(client, { name: 'Post', model: 'Post', idFields: ['id'] }),
      store,
      facts: schemaFactsOf(client),
      writes,
      namespace,
      consistency,
    } as never)
    const join = (): Promise<unknown> => (cache as unknown as { join(): Promise<unknown> }).join()
    const close = async (): Promise<void> => {
      await cache.close()
      await writes.close()
      await store.close()
      await client.$disconnect()
    }
    await join()
    const slugsOf = async (authorId: number): Promise<string[]> => {
      const posts = (await cache.list(list as never, authorId as never)) as { readonly slug: string }[]
      await cache.drain()
      return posts.map(({ slug }) => slug)
    }
    /** The keys that a create and a delete of a post fence. */
    const fencedByWrites = async (): Promise<number> => {
      fenced.length = 0
      const { id } = await prisma.post.create({ data: newPost(`of ${list}`) })
      await prisma.post.delete({ where: { id } })
      await writes.released()
      return new Set(fenced).size
    }
    return { cache, close, fencedByWrites, prisma, slugsOf, store }
  }
  const listed = async (store: Store): Promise<string[]> => {
    const { entries } = await store.askCatalogue(`${namespace}:{catalogue}`, { known: '', isWriter: false })
    return entries!.map(({ text }) => /"name":"(\w+)Address"/.exec(text)![1]!)
  }
  return { age: () => shared.age(`${namespace}:{Post}:register`), deploy, listed }
}

let posts = 0n
const newPost = (slug: string) => ({
  id: 9_000n + ++posts,
  slug: `a ${slug} ${posts}`,
  title: 'new',
  authorId: 1,
})

describe.each(Object.entries(stores))('deployments that change lookups, on %s', (_, open) => {
  it('leave nothing that writes fence, nine of them in a row', async () => {
    const { age, deploy, listed } = openApplication(open())
    const counts: number[] = []
    for (let i = 1; i <= 9; i++) {
      const { close, fencedByWrites, slugsOf, store } = await deploy(`list${i}`)
      await slugsOf(1)
      await eventually(async () => (await listed(store)).join() === `list${i}`)
      counts.push(await fencedByWrites())
      await close()
      await age()
    }
    expect(new Set(counts).size).toBe(1)
  })

  it('spare the lookups of a process that is still running', async () => {
    const { deploy, listed } = openApplication(open())
    const before = await deploy('before')
    opened.push(before.close)
    await before.slugsOf(1)
    const after = await deploy('after')
    opened.push(after.close)
    expect((await listed(after.store)).toSorted()).toEqual(['after', 'before'])
    const { slug } = await after.prisma.post.create({ data: newPost('seen') })
    expect(await before.slugsOf(1)).toContain(slug)
  })

  it('have a process that was forgotten list itself again before it answers: no write misses it', async () => {
    const { age, deploy, listed } = openApplication(open())
    const before = await deploy('before')
    opened.push(before.close)
    await before.slugsOf(1)
    await age()
    const after = await deploy('after')
    opened.push(after.close)
    await eventually(async () => (await listed(after.store)).join() === 'after')
    const [missed, seen] = [newPost('missed'), newPost('seen')]
    await after.prisma.post.create({ data: missed })
    expect(await before.slugsOf(1)).toContain(missed.slug)
    expect((await listed(after.store)).toSorted()).toEqual(['after', 'before'])
    await eventually(async () => {
      await before.slugsOf(1)
      return (await before.cache.explain('before' as never, 1 as never)).stored.isHit
    })
    await after.prisma.post.create({ data: seen })
    expect(await before.slugsOf(1)).toEqual(expect.arrayContaining([missed.slug, seen.slug]))
  })
})

it('have a process that reads nothing but its memory look into the store once it was forgotten', async () => {
  const { age, deploy, listed } = openApplication(stores.valkey!())
  const before = await deploy('before', { ttl: '1h' })
  opened.push(before.close)
  await eventually(async () => {
    await before.slugsOf(1)
    return (await before.cache.explain('before' as never, 1 as never)).l1?.isTrusted === true
  })
  await before.slugsOf(1)
  await age()
  const after = await deploy('after')
  opened.push(after.close)
  await eventually(async () => (await listed(after.store)).join() === 'after')
  const { slug } = await after.prisma.post.create({ data: newPost('missed') })
  await eventually(async () => (await before.slugsOf(1)).includes(slug))
})
