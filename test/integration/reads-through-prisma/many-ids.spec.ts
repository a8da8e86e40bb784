/** Reads of about as many ids as a statement of PostgreSQL has parameters, and of more. */
import { useOpened } from '../../support/use-opened.ts'
import { openReadsFixture, type ReadsFixture } from './reads-fixture.ts'

const fixture = useOpened(() =>
  openReadsFixture({
    caches: [{ model: 'Account', id: 'id', unique: { byToken: 'token' } }],
  }),
)

const numbers = (count: number): number[] => Array.from({ length: count }, (_, n) => n)

type Query = (client: ReadsFixture['plain'], count: number) => Promise<readonly object[]>

const byIds: Query = ({ account }, count) =>
  account.findMany({ where: { id: { in: numbers(count) } }, orderBy: { id: 'asc' } })
const byTokens: Query = ({ account }, count) => {
  const tokens = numbers(count).map((n) => `5eed0000-0000-4000-a000-${n.toString(16).padStart(12, '0')}`)
  return account.findMany({ where: { token: { in: tokens } } })
}

async function outcomeOf(query: Promise<unknown>): Promise<unknown> {
  try {
    return await query
  } catch (error) {
    const { name, message, code } = error as Error & { code?: string }
    return { name, message, code }
  }
}

describe('a client with caches does what Prisma does', () => {
  it.each<[string, number, string, Query]>([
    ['the most ids that are answered', 32_750, 'answered', byIds],
    ['one id more', 32_751, 'too_many_ids', byIds],
    ['the fewest ids that Prisma refuses', 32_766, 'too_many_ids', byIds],
    ['the most keys of a lookup that are answered', 32_750, 'answered', byTokens],
    ['more keys of a lookup', 40_000, 'too_many_ids', byTokens],
  ])('with %s: %d', async (_, count, outcome, query) => {
    const { plain, prisma, outcomes } = fixture
    const expected = await outcomeOf(query(plain, count))
    outcomes()
    expect(await outcomeOf(query(prisma, count))).toEqual(expected)
    expect(new Set(outcomes())).toEqual(new Set([outcome]))
  })
})

it('getMany of a cache, which divides them, takes 40,000 ids', async () => {
  const { plain, cacheOf } = fixture
  const rows = await cacheOf('Account').getMany(numbers(40_000) as never[])
  expect(rows).toHaveLength(40_000)
  expect(rows.filter((row) => row !== null)).toEqual(await plain.account.findMany({ orderBy: { id: 'asc' } }))
})
