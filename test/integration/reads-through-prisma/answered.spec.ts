import { useOpened } from '../../support/use-opened.ts'
import { show } from '../differential/show.ts'
import { openReadsFixture } from './reads-fixture.ts'

const fixture = useOpened(() =>
  openReadsFixture({
    caches: [
      { model: 'Account', id: 'id' },
      { model: 'Badge', id: 'id' },
    ],
  }),
)

describe('queries that are answered', () => {
  it('returns rows without orderBy in the order of the ids', async () => {
    const rows = await fixture.prisma.account.findMany({ where: { id: { in: [5, 2, 300, 5, 3] } } })
    expect(rows.map(({ id }) => id)).toEqual([5, 2, 3])
  })

  it('loads the rows of a list in one query', async () => {
    const { prisma, statements } = fixture
    statements()
    await prisma.badge.findMany({ where: { id: { in: [1, 2, 3] } } })
    expect(statements()).toHaveLength(1)
    await fixture.cacheOf('Badge').drain()
    await prisma.badge.findMany({ where: { id: { in: [3, 2, 1] } } })
    expect(statements()).toEqual([])
  })

  it('each have decimals of their own', async () => {
    const { account } = fixture.prisma
    const one = await account.findUniqueOrThrow({ where: { id: 3 } })
    const other = await account.findUniqueOrThrow({ where: { id: 3 } })
    const listed = await account.findMany({ where: { id: { in: [3] } } })
    const decimals = new Set([one, other, ...listed].map(({ balance }) => balance))
    expect(decimals.size).toBe(3)
    Object.assign(other.balance, { s: -1, e: 12, d: [1] })
    const expected = await fixture.plain.account.findUnique({ where: { id: 3 } })
    expect(show(await account.findUnique({ where: { id: 3 } }))).toBe(show(expected))
  })
})
