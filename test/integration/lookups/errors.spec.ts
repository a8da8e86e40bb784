import { Test } from '@nestjs/testing'
import { getModelCacheToken, InvalidIdError, type ModelCache, ModelCacheModule } from 'model-cache'
import { createModelCache, MemoryStore, schemaFactsOf, type Source } from 'model-cache/advanced'
import { Registry } from 'prom-client'
import { patientMs } from '../../support/patience.js'
import { useLookupWorlds } from './lookup-pods.js'
import { definePosts, idsOf, type Post, type PostKeys } from './posts.js'

const newWorld = useLookupWorlds()
const posts = definePosts()

describe('a lookup', () => {
  it('of an unknown name is refused, with the names that there are', async () => {
    const { openPod } = await newWorld()
    const { caches } = await openPod({ posts })
    const unknown = 'ofEditor' as never
    const lists = /"ofEditor".*ofAuthor.*byTitle.*firstTwo/
    for (const reading of [
      caches.posts.list(unknown, 1 as never),
      caches.posts.listMany(unknown, [1] as never),
      caches.posts.list('address' as never, 1 as never),
    ]) {
      await expect(reading).rejects.toMatchObject({ code: 'E_UNKNOWN_LOOKUP' })
    }
    await expect(caches.posts.list(unknown, 1 as never)).rejects.toThrow(lists)
    await expect(caches.posts.getBy('ofAuthor' as never, 1 as never)).rejects.toThrow(/"ofAuthor".*address/)
    await expect(caches.posts.getManyBy(unknown, [1] as never)).rejects.toThrow(/"ofEditor".*address/)
    await expect(caches.posts.invalidateBy(unknown, 1 as never)).rejects.toMatchObject({
      code: 'E_UNKNOWN_LOOKUP',
    })
    await expect(caches.posts.explain(unknown, 1 as never)).rejects.toMatchObject({
      code: 'E_UNKNOWN_LOOKUP',
    })
  })

  it.each([
    ['text for a number', '2'],
    ['null', null],
    ['undefined', undefined],
    ['NaN', NaN],
    ['a whole number that is not safe', 2 ** 60],
    ['an object for one field', { authorId: 2 }],
  ])('refuses a key of another type: %s', async (_, key) => {
    const { openPod } = await newWorld()
    const { caches, statements } = await openPod({ posts })
    const expected = /Post\.ofAuthor.*a finite number, safe if it is whole/
    await expect(caches.posts.list('ofAuthor', key as never)).rejects.toThrow(InvalidIdError)
    await expect(caches.posts.list('ofAuthor', key as never)).rejects.toThrow(expected)
    await expect(caches.posts.listMany('ofAuthor', [2, key as never])).rejects.toThrow(expected)
    await expect(caches.posts.invalidateBy('ofAuthor', key as never)).rejects.toThrow(expected)
    await expect(caches.posts.explain('ofAuthor', key as never)).rejects.toThrow(expected)
    await caches.posts.drain()
    expect(statements().length).toBeLessThanOrEqual(1)
  })

  it.each([
    ['a field is missing', { authorId: 2 }],
    ['a field is null', { authorId: 2, slug: null }],
    ['a field has another type', { authorId: 2n, slug: 'p1' }],
    ['text has a NUL', { authorId: 2, slug: 'p\0' }],
    ['it is no object', 2],
    ['it is null', null],
  ])('refuses a key of several fields if %s', async (_, key) => {
    const { openPod } = await newWorld()
    const { caches } = await openPod({ posts })
    await expect(caches.posts.getBy('address', key as never)).rejects.toThrow(
      /Post\.address.*an object \{ authorId: a finite number, safe if it is whole, slug: a well-formed string/,
    )
  })

  it('fails no other reader of its tick by a wrong key', async () => {
    const { openPod } = await newWorld()
    const { caches } = await openPod({ posts })
    const [right, wrong] = await Promise.allSettled([
      caches.posts.list('ofAuthor', 2),
      caches.posts.list('ofAuthor', '2' as never),
    ])
    expect(wrong.status).toBe('rejected')
    expect(right).toMatchObject({ status: 'fulfilled', value: [{ id: 1n }, { id: 6n }] })
  })

  it('is refused within a transaction as well', async () => {
    const { openPod } = await newWorld()
    const { caches, prisma } = await openPod({ posts })
    await prisma.$transaction(async () => {
      await expect(caches.posts.list('ofAuthor', '2' as never)).rejects.toThrow(InvalidIdError)
      await expect(caches.posts.list('unknown' as never, 2 as never)).rejects.toMatchObject({
        code: 'E_UNKNOWN_LOOKUP',
      })
    })
  })

  it('is refused at start if its source cannot find rows', async () => {
    const { openPod } = await newWorld()
    const { prisma } = await openPod({ posts })
    const source: Source<Post, bigint> = { load: async () => [], mayBlameOneId: () => false }
    const create = () =>
      createModelCache(posts, { source, store: new MemoryStore(), facts: schemaFactsOf(prisma) })
    expect(create).toThrow(expect.objectContaining({ code: 'E_INVALID_LOOKUP' }))
    expect(create).toThrow(/"Post": lookup "address" .*`find`/)
  })
})

it('lookups of an injected cache reject before the application has started, and work after it', async () => {
  const { namespace, openPod, valkey } = await newWorld()
  const { prisma } = await openPod({ posts })
  const quiet = (): void => {}
  const application = await Test.createTestingModule({
    imports: [
      ModelCacheModule.forRoot({
        valkey: { url: valkey.url, deadlineMs: patientMs },
        prisma,
        namespace,
        registry: new Registry(),
      }),
      ModelCacheModule.forFeature([posts]),
    ],
  })
    .setLogger({ log: quiet, warn: quiet, error: quiet })
    .compile()
  const cache = application.get<ModelCache<Post, bigint, PostKeys>>(getModelCacheToken(posts))
  const address = { authorId: 2, slug: 'p1' }
  const calls = [
    () => cache.list('ofAuthor', 2),
    () => cache.listMany('ofAuthor', [2]),
    () => cache.getBy('address', address),
    () => cache.getManyBy('address', [address]),
    () => cache.invalidateBy('ofAuthor', 2),
    () => cache.explain('ofAuthor', 2),
  ]
  for (const call of calls) {
    await expect(call()).rejects.toThrow(/was used before ModelCacheModule\.forRoot has started/)
  }
  await application.init()
  for (const call of calls) await call()
  expect(idsOf(await cache.list('ofAuthor', 2))).toEqual([1n, 6n])
  await application.close()
})
