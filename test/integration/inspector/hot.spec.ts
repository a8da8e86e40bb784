import { ModelCacheModule, modelCaches } from 'model-cache'
import type { CachesReport, HotIdReport, ProcessesReport } from '@model-cache/inspector'
import type { Prisma } from '#prisma/client/client.js'
import { type InspectedApplication, useInspectedApplications } from './inspected-application.js'

const world = useInspectedApplications()
const { defineModelCache } = modelCaches<Prisma.TypeMap>()
const guests = defineModelCache('GuestUser', {
  name: 'Frequent',
  ttl: '1m',
  l1: { ttl: '1m', hot: 3 },
  lists: { named: { by: ['name', 'createdAt'] } },
})
const start = () => world.start({ imports: [ModelCacheModule.forFeature([guests])] })

async function reportOf(app: InspectedApplication, path: 'caches' | 'processes') {
  const { json, text } = await app.get(`/inspector/api/v1/${path}`)
  // Ids and keys are shown, and no values, whatever `show` says.
  expect(text).not.toContain('ada@example.org')
  return json as CachesReport & ProcessesReport
}

it('shows the rows and lists that processes read most, what they cost, and no values', async () => {
  const apps = [await start(), await start()]
  const createdAt = new Date(0)
  const row = { id: 'ada', name: 'Ada: 100 %', email: 'ada@example.org', createdAt }
  await world.prisma.guestUser.create({ data: row })
  const key = { name: row.name, createdAt }
  const isHeld = (hottest: readonly HotIdReport[] | null | undefined): boolean =>
    hottest?.[0]?.heldBy === apps.length && hottest[0].share > 0
  for (;;) {
    for (const app of apps) {
      const cache = app.cache(guests)
      for (let i = 0; i < 5; i++) {
        expect(await cache.get(row.id)).toEqual(row)
        expect(await cache.list('named', key)).toEqual([row])
      }
    }
    const { caches } = await reportOf(apps[0]!, 'caches')
    const found = caches.find(({ name }) => name === 'Frequent')!
    if (!isHeld(found.hottest) || !isHeld(found.lookups[0]!.hottest)) continue
    const hot = { readsPerSecond: expect.any(Number), share: expect.any(Number), processes: 2, heldBy: 2 }
    const typedKey = JSON.stringify({ name: row.name, createdAt: createdAt.toISOString() })
    expect(found.hottest).toEqual([{ ...hot, id: 'ada' }])
    expect(found.lookups[0]!.hottest).toEqual([{ ...hot, id: typedKey }])
    expect(found.hottest![0]!.share).toBeLessThanOrEqual(1)
    const entry = `/inspector/api/v1/entry?${new URLSearchParams({ cache: 'Frequent', lookup: 'named', key: typedKey })}`
    expect((await apps[0]!.get(entry)).json).toMatchObject({ ids: ['ada'] })
    expect(caches.find(({ name }) => name === 'GuestUser')).toMatchObject({
      hottest: null,
      lookups: [{ hottest: null }],
    })
    break
  }
  const { processes } = await reportOf(apps[1]!, 'processes')
  for (const { caches } of processes)
    expect(caches.find(({ name }) => name === 'Frequent')!.hot).toEqual({
      readsPerSecond: expect.any(Number),
      count: 1,
      hottest: [{ id: 'ada', readsPerSecond: expect.any(Number), isHeld: expect.any(Boolean) }],
    })
})
