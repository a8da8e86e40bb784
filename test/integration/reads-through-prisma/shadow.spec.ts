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

it('does not compare queries that the cache would not answer', async () => {
  await prisma.label.findMany({ where: { colour: 'red' } })
  await prisma.$uncached.label.findUnique({ where: { name: 'l1' } })
  expect(fixture.outcomes()).toEqual(['condition', 'uncached'])
  expect(fixture.comparisons()).toEqual([])
})
