import { type } from 'arktype'
import { useOpened } from '../../support/use-opened.ts'
import { openReadsFixture } from './reads-fixture.ts'

/** A cache has only the keys that its schema names: the database answers queries for such fields. */
describe.each([undefined, 'shared'] as const)('JSON that is not what the schema says, rows: %s', (rows) => {
  const types = { value: type({ url: 'string', size: { width: 'number' } }) as never }
  const fixture = useOpened(() =>
    openReadsFixture({ caches: [{ model: 'Setting', id: 'id', types, ...(rows && { rows }) }] }),
  )

  it.each([
    ['with another key', { url: 'a', size: { width: 1 }, alt: 'text' }],
    ['with another key within', { url: 'a', size: { width: 1, height: [2] } }],
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
    expect(fixture.outcomes()).toEqual(Array(5).fill('fields'))
    await prisma.setting.findUnique({ where: { id }, select: { id: true, key: true } })
    expect(fixture.outcomes()).toEqual(['answered'])
  })
})
