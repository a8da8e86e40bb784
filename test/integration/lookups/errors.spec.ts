import { Test } from '@nestjs/testing'
import { getModelCacheToken, InvalidIdError, type ModelCache, ModelCacheModule } from 'model-cache'
import { Registry } from 'prom-client'
import { patientMs } from '../../support/patience.js'
import { useLookupWorlds } from './lookup-pods.js'
import { definePosts, idsOf, type Post, type PostKeys } from './posts.js'

const newWorld = useLookupWorlds()
const posts = definePosts()

describe('a lookup', () => {
  it.each([['text for a number', '2']])('refuses a key of another type: %s', async (_, key) => {
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

  it.each([['a field has another type', { authorId: 2n, slug: 'p1' }]])(
    'refuses a key of several fields if %s',
    async (_, key) => {
      const { openPod } = await newWorld()
      const { caches } = await openPod({ posts })
      await expect(caches.posts.getBy('address', key as never)).rejects.toThrow(
        /Post\.address.*an object \{ authorId: a finite number, safe if it is whole, slug: a well-formed string/,
      )
    },
  )

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
