/** The order of rows that a query leaves open. */
import { eventually } from '../../support/eventually.js'
import { type CacheOptions, openReadsFixture, type ReadsFixture } from './reads-fixture.ts'

const caches: readonly CacheOptions[] = [
  { model: 'Account', id: 'id' },
  { model: 'Post', id: 'id', lists: { ofEditor: { by: 'editorId' } } },
]
// Without an index, the database finds them as they lie in the table.
const posts = { where: { editorId: 2 } }
const account = { where: { id: 2 }, include: { edited: true } }

let fixture: ReadsFixture
afterEach(() => fixture.close())

/** The database returns rows that were changed last at the end. */
async function move(id: bigint): Promise<void> {
  await fixture.sql.query(`UPDATE "Post" SET title = title WHERE id = $1`, [id])
}

/** Gives an account posts to edit. */
async function edit(): Promise<void> {
  await fixture.sql.query(`UPDATE "Post" SET "editorId" = 2`)
}

const idsOf = (rows: readonly { readonly id: bigint }[]): readonly bigint[] => rows.map(({ id }) => id)

it('is that in which the database returned the rows of a list, also of a relation', async () => {
  fixture = await openReadsFixture({ caches })
  const { plain, prisma } = fixture
  await edit()
  const before = idsOf(await plain.post.findMany(posts))
  await move(before[0]!)
  const expected = idsOf(await plain.post.findMany(posts))
  expect(expected).not.toEqual(before)
  for (const from of ['the database', 'the cache']) {
    expect([from, idsOf(await prisma.post.findMany(posts))]).toEqual([from, expected])
    expect([from, idsOf((await prisma.account.findUnique(account))!.edited)]).toEqual([from, expected])
    await fixture.cacheOf('Post').drain()
    await fixture.cacheOf('Account').drain()
  }
  expect(fixture.outcomes()).toEqual(Array<string>(4).fill('answered'))
})

it('counts as reordered in shadow mode if it differs, with a warning for each query', async () => {
  fixture = await openReadsFixture({ caches, reads: 'shadow' })
  const { prisma } = fixture
  const seen: string[] = []
  await edit()
  const compared = async (outcome: string): Promise<void> => {
    await eventually(() => seen.push(...fixture.comparisons()) > 0)
    expect(seen.splice(0)).toEqual([outcome])
    await fixture.cacheOf('Post').drain()
  }
  const [first] = idsOf(await prisma.post.findMany(posts))
  await compared('same')
  await move(first!)
  for (let n = 0; n < 2; n++) {
    await prisma.post.findMany(posts)
    await compared('reordered')
  }
  await prisma.account.findUnique(account)
  await compared('reordered')
  const warning = (query: string): unknown =>
    expect.stringContaining(`the cache has the rows of ${query} in another order than the database`)
  expect(fixture.warnings).toEqual([
    warning('Post.findMany({ where: { editorId: ? } })'),
    warning('Account.findUnique({ where: { id: ? }, include: { edited: true } })'),
  ])
})
