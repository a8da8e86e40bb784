import { setTimeout as delay } from 'node:timers/promises'
import { type Client, openReadsFixture, type ReadsFixture } from './reads-fixture.ts'

let fixture: ReadsFixture
let prisma: Client
const seen: string[] = []

beforeAll(async () => {
  fixture = await openReadsFixture({
    caches: [
      { model: 'Account', id: 'id' },
      { model: 'Label', id: 'name' },
      { model: 'Comment', id: ['postId', 'number'] },
    ],
    reads: 'shadow',
  })
  ;({ prisma } = fixture)
})
beforeEach(() => {
  fixture.outcomes()
  fixture.comparisons()
  fixture.warnings.length = 0
  seen.length = 0
})
afterAll(() => fixture.close())

/** So many comparisons since the test began, in alphabetical order, once the caches have stored what they loaded. */
async function comparisons(count: number): Promise<string[]> {
  while (seen.length < count) {
    seen.push(...fixture.comparisons())
    await delay(5)
  }
  for (const { name } of fixture.definitions) await fixture.cacheOf(name).drain()
  return seen.toSorted()
}

it('returns what the database has, and asks the cache behind it', async () => {
  await prisma.label.findUnique({ where: { name: 'l1' } })
  expect(await comparisons(1)).toEqual(['same'])
  await fixture.sql.query(`UPDATE "Label" SET colour = 'raw' WHERE name = 'l1'`)
  expect(await prisma.label.findUnique({ where: { name: 'l1' } })).toMatchObject({ colour: 'raw' })
  expect(await comparisons(2)).toEqual(['different', 'same'])
  expect(fixture.outcomes()).toEqual(['shadowed', 'shadowed'])
  await fixture.cacheOf('Label').invalidateAll()
})

it('logs the fields that differ, without their values, once a minute', async () => {
  const where = { postId: 3n, number: { equals: 1 } }
  await prisma.comment.findMany({ where })
  await comparisons(1)
  await fixture.sql.query(
    `UPDATE "Comment" SET body = 'secret', "parentNo" = 2 WHERE "postId" = 3 AND number = 1`,
  )
  await prisma.comment.findMany({ where, select: { body: true, number: true } })
  await comparisons(2)
  await prisma.comment.findUnique({ where: { postId_number: { postId: 3n, number: 1 } } })
  expect(await comparisons(3)).toEqual(['different', 'different', 'same'])
  expect(fixture.warnings).toEqual([
    expect.stringContaining('ModelCache "Comment": the cache and the database differ in body, for a read'),
    expect.stringContaining('differ in parentNo, for a read'),
  ])
  expect(fixture.warnings.join()).not.toContain('secret')
})

it('reports a row that only one of them has', async () => {
  await prisma.label.findMany({ where: { name: { in: ['l2', 'l3', 'lx'] } } })
  await comparisons(1)
  await fixture.sql.query(`INSERT INTO "Label" VALUES ('lx', 'red')`)
  await prisma.label.findMany({ where: { name: { in: ['lx', 'l2', 'l3'] } } })
  expect(await comparisons(2)).toEqual(['different', 'same'])
  expect(fixture.warnings).toEqual([expect.stringContaining('differ in (row)')])
})

it('does not report a difference that ends', async () => {
  await prisma.account.findUnique({ where: { id: 2 } })
  await comparisons(1)
  await fixture.sql.query(`UPDATE accounts SET name = 'raw' WHERE id = 2`)
  expect(await prisma.account.findUnique({ where: { id: 2 } })).toMatchObject({ name: 'raw' })
  await fixture.cacheOf('Account').invalidate(2 as never)
  expect(await comparisons(2)).toEqual(['same', 'same'])
  expect(fixture.warnings).toEqual([])
})

it('compares what the caller got, whatever the caller does with it', async () => {
  const row = await prisma.account.findUnique({ where: { id: 3 } })
  row!.name = 'changed'
  row!.tags.push('changed')
  row!.createdAt.setFullYear(1)
  expect(await comparisons(1)).toEqual(['same'])
})

it('compares eight queries at once, and skips the others', async () => {
  const ids = Array.from({ length: 20 }, (_, i) => i + 1)
  await Promise.all(ids.map((id) => prisma.account.findUnique({ where: { id }, select: { name: true } })))
  const outcomes = await comparisons(20)
  expect(outcomes.filter((outcome) => outcome === 'skipped').length).toBeGreaterThan(0)
  expect(outcomes.filter((outcome) => outcome === 'same').length).toBeGreaterThanOrEqual(8)
})

it('passes errors of the database on, and those of the cache by', async () => {
  await expect(prisma.label.findUniqueOrThrow({ where: { name: 'none' } })).rejects.toMatchObject({
    code: 'P2025',
  })
  const { writes } = fixture
  const [account] = [...writes.reads.all()].filter(({ name }) => name === 'Account')
  writes.reads.add({ ...account!, get: () => Promise.reject(new Error('the cache has failed')) })
  expect(await prisma.account.findUnique({ where: { id: 3 } })).toMatchObject({ id: 3 })
  expect(await comparisons(1)).toEqual(['error'])
})

it('does not compare queries that the cache would not answer', async () => {
  await prisma.label.findMany({ where: { colour: 'red' } })
  await prisma.$uncached.label.findUnique({ where: { name: 'l1' } })
  expect(fixture.outcomes()).toEqual(['condition', 'uncached'])
  expect(fixture.comparisons()).toEqual([])
})
