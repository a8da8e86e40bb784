import { type } from 'arktype'
import { openReadsFixture, type ReadsFixture } from './reads-fixture.ts'

/** Such rows are never stored: each caller gets a copy of what Prisma gives. */
describe.each([undefined, 'shared'] as const)('JSON that is not what the schema says, rows: %s', (rows) => {
  let fixture: ReadsFixture
  beforeAll(async () => {
    const value = type({ url: 'string', size: { width: 'number' } }) as never
    fixture = await openReadsFixture({
      caches: [{ model: 'Setting', id: 'id', types: { value }, ...(rows && { rows }) }],
    })
  })
  afterAll(() => fixture.close())

  it.each([
    ['without a key', { url: 'a' }],
    ['that is a list', [{ url: 'a' }]],
  ])('%s', async (_, value) => {
    const { plain, prisma } = fixture
    const { id } = await plain.setting.findFirstOrThrow()
    await prisma.setting.update({ where: { id }, data: { value } })
    const query = { where: { id }, select: { value: true } }
    const expected = await plain.setting.findUnique(query)
    const found = await Promise.all([1, 2, 3, 4].map(() => prisma.setting.findUnique(query)))
    expect(found).toEqual([expected, expected, expected, expected])
    expect(await prisma.setting.findUnique(query)).toEqual(expected)
    expect(new Set(found.map((row) => row!.value)).size).toBe(4)
  })
})
