import { setTimeout as delay } from 'node:timers/promises'
import { cached } from 'model-cache'
import { useOpened } from '../../support/use-opened.ts'
import { openResults, type Process, warm } from './results-fixture.ts'

const fixture = useOpened(openResults)
const one = useOpened(() => fixture.open({ models: {} }))
const other = useOpened(() => fixture.open({ models: {} }))

it('answers whatever its queries read, until that is written', async () => {
  const view = cached(one.prisma, { ttl: '1m' })
  const query = () =>
    view.person.findMany({ omit: { secret: true }, include: { pass: true }, orderBy: { email: 'asc' } })
  await warm(one, query)
  const expected = await fixture.plain.person.findMany({
    omit: { secret: true },
    include: { pass: true },
    orderBy: { email: 'asc' },
  })
  expect(await query()).toStrictEqual(expected)
  expect(await cached(other.prisma, { ttl: '1m' }).person.count()).toBe(expected.length)
  await other.prisma.pass.updateMany({ data: { photo: new Uint8Array([7]) } })
  one.statements()
  expect((await query())[0]!.pass?.photo ?? new Uint8Array([7])).toEqual(new Uint8Array([7]))
  expect(one.statements()).not.toEqual([])
})

it('ends with a write of a process that has kept nothing so far', async () => {
  const writer = await fixture.open({ models: {} })
  const query = () => cached(one.prisma, { ttl: '1m' }).topic.count({ where: { id: { gt: -5 } } })
  await warm(one, query)
  const before = await query()
  await writer.prisma.topic.create({ data: { id: 501, word: 'first' } })
  expect(await query()).toBe(before + 1)
})

it('is the same client for the same options, and leaves the others as they are', async () => {
  expect(cached(one.prisma, { ttl: '2m' })).toBe(cached(one.prisma, { ttl: '2m' }))
  expect(cached(one.prisma, { ttl: '2m' })).not.toBe(cached(one.prisma, { ttl: '3m' }))
  const query = (p: Process['prisma']) => p.topic.count({ where: { word: { contains: 'w' } } })
  await warm(one, () => query(cached(one.prisma, { ttl: '2m' })))
  await query(one.prisma)
  expect(one.statements()).toHaveLength(1)
  await query(cached(one.prisma, false))
  expect(one.statements()).toHaveLength(1)
})

it('answers raw queries by the models that are named', async () => {
  const view = cached(one.prisma, { ttl: '1m', tables: ['Article'] })
  const least = 1
  const query = () =>
    view.$queryRaw`SELECT count(*) AS n, max(created) AS last FROM "Article" WHERE id >= ${least}`
  await warm(one, query)
  const expected = await fixture.plain
    .$queryRaw`SELECT count(*) AS n, max(created) AS last FROM "Article" WHERE id >= ${least}`
  expect(await query()).toStrictEqual(expected)
  one.statements()
  expect(
    await view.$queryRaw`SELECT count(*) AS n, max(created) AS last FROM "Article" WHERE id >= ${2}`,
  ).toHaveLength(1)
  expect(one.statements()).toHaveLength(1)
  await other.prisma.article.create({ data: { id: 950, title: 'new', isPublic: true, created: new Date() } })
  expect(((await query()) as [{ n: bigint }])[0].n).toBe((expected as [{ n: bigint }])[0].n + 1n)
})

it('answers raw queries that read no model until their ttl ends', async () => {
  const query = () => cached(one.prisma, { ttl: '1m', tables: [] }).$queryRaw`SELECT clock_timestamp() AS at`
  await warm(one, query)
  const found = await query()
  await one.prisma.topic.updateMany({ data: { word: 'another' } })
  expect(await query()).toEqual(found)
})

it('sends a raw query with the values that it was given, whatever the caller makes of them then', async () => {
  const view = cached(one.prisma, { ttl: '1m', tables: ['Article'] })
  const some = (ids: readonly number[]) =>
    view.$queryRaw<object[]>`SELECT id FROM "Article" WHERE id = ANY(${ids}) ORDER BY id`
  await warm(one, () => some([3]))
  const ids = [5]
  const asked = Promise.resolve(some(ids))
  // Its turn has not ended yet.
  for (let i = 0; i < 50; i++) await Promise.resolve()
  ids.push(8)
  expect(await asked).toEqual([{ id: 5 }])
  expect(await some([5])).toEqual([{ id: 5 }])
  expect(await some([5, 8])).toEqual([{ id: 5 }, { id: 8 }])
})

it('sends raw queries that write, and those in transactions', async () => {
  const view = cached(one.prisma, { ttl: '1m', tables: ['Article'] })
  const write = () =>
    view.$queryRaw`UPDATE "Article" SET rank = coalesce(rank, 0) + 1 WHERE id = 1 RETURNING rank`
  const [first] = (await write()) as [{ rank: number }]
  expect(await write()).toEqual([{ rank: first.rank + 1 }])
  await view.$transaction(async (tx) => {
    await tx.article.update({ where: { id: 1 }, data: { rank: 400 } })
    expect(await tx.$queryRaw`SELECT rank FROM "Article" WHERE id = 1`).toEqual([{ rank: 400 }])
    expect(await tx.article.count({ where: { rank: 400 } })).toBe(1)
  })
})

it('asks the database through $uncached of a view, also by raw SQL', async () => {
  const view = cached(one.prisma, { ttl: '1m', tables: ['Topic'] })
  const query = (p: { $queryRaw: Process['prisma']['$queryRaw'] }) =>
    p.$queryRaw`SELECT count(*) FROM "Topic"`
  await warm(one, () => query(view))
  await query(view.$uncached)
  await view.$uncached.topic.count()
  expect(one.statements()).toHaveLength(2)
})

it('keeps results beyond writes where they may be stale', async () => {
  const view = cached(one.prisma, { ttl: '1m', mayBeStale: true })
  const query = () => view.word.count({ where: { n: { gte: -1_000 } } })
  await warm(one, query)
  // The first write of a process that does not know these results yet ends them.
  await other.prisma.topic.updateMany({ data: { word: 'known' } })
  await warm(one, query)
  const before = await query()
  await other.prisma.word.create({ data: { text: 'stale', mood: 'CALM', n: 900 } })
  expect(await query()).toBe(before)
  expect(await cached(one.prisma, { ttl: '1m' }).word.count({ where: { n: { gte: -1_000 } } })).toBe(
    before + 1,
  )
})

it('says after its ttl that a row is gone, although it may be stale', async () => {
  const view = cached(one.prisma, { ttl: '1s', staleFor: '1h', mayBeStale: true })
  const query = async () => view.topic.findUniqueOrThrow({ where: { id: 777 } })
  await one.prisma.topic.create({ data: { id: 777, word: 'gone' } })
  await warm(one, query)
  await one.prisma.topic.delete({ where: { id: 777 } })
  await delay(1_100)
  await expect(query()).rejects.toMatchObject({ code: 'P2025' })
})

it.each<[options: object, message: RegExp]>([
  [{}, /cached\.ttl/],
  [{ ttl: '1m', tag: 'a' }, /"cached\.tag".*no such option/],
  [{ ttl: '1m', tags: 'a' }, /cached\.tags.*a list of texts/],
  [{ ttl: '1m', tags: [''] }, /cached\.tags.*a list of texts/],
  [{ ttl: '1m', tags: Array(11).fill('a') }, /cached\.tags.*10 tags at most/],
  [{ ttl: '1m', tables: ['articles'] }, /cached\.tables.*"articles"/],
])('refuses %j', (options, message) => {
  expect(() => cached(one.prisma, options as never)).toThrow(message)
})

it('refuses what shows only when it is sent', async () => {
  await expect(cached(one.prisma, { ttl: '2d' }).article.count()).rejects.toThrow(
    /cached\.ttl.*a day at most/,
  )
  await expect(cached(one.prisma, { ttl: 'often' as never }).article.count()).rejects.toThrow(/cached/)
  await expect(cached(one.prisma, { ttl: '1m' }).$queryRaw`SELECT 1`).rejects.toThrow(/cached\.tables/)
  expect(() => cached(fixture.plain, { ttl: '1m' })).toThrow(/option "reads"/)
})
