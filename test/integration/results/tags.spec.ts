import { cached, invalidateTags } from 'model-cache'
import { useOpened } from '../../support/use-opened.ts'
import { openResults, warm } from './results-fixture.ts'

const fixture = useOpened(openResults)
const one = useOpened(() => fixture.open({ models: {} }))
const other = useOpened(() => fixture.open({ models: {} }))

const counting = (tags: readonly string[], others: object = {}) => {
  const view = cached(one.prisma, { ttl: '1m', tags, ...others })
  return () => view.article.count({ where: { rank: { gt: 0 } } })
}

/** How many statements a query sends. */
async function sent(query: () => PromiseLike<unknown>): Promise<number> {
  one.statements()
  await query()
  return one.statements().length
}

it('ends results with a tag in all processes, and no others', async () => {
  const [a, b, both, none] = [counting(['a']), counting(['b']), counting(['a', 'b']), counting([])]
  for (const query of [a, b, both, none]) await warm(one, query)
  await invalidateTags(other.prisma, ['a'])
  expect([await sent(a), await sent(b), await sent(both), await sent(none)]).toEqual([1, 0, 1, 0])
})

it('ends what may be stale otherwise', async () => {
  const query = counting(['prices'], { mayBeStale: true })
  await warm(one, query)
  const before = await query()
  await other.prisma.article.create({
    data: { id: 960, title: 'new', rank: 5, isPublic: true, created: new Date() },
  })
  expect(await query()).toBe(before)
  await invalidateTags(other.prisma, ['prices', 'others'])
  expect(await query()).toBe(before + 1)
})

it('ends with a write as well', async () => {
  const query = counting(['a'])
  await warm(one, query)
  await other.prisma.article.updateMany({ data: { rank: 3 } })
  expect(await query()).toBe(await fixture.plain.article.count({ where: { rank: { gt: 0 } } }))
})

it('has the tags that were given, whatever the caller makes of their list', async () => {
  const tags = ['first']
  const query = counting(tags)
  await warm(one, query)
  tags[0] = 'second'
  await warm(one, counting(tags))
  await invalidateTags(other.prisma, ['first'])
  expect([await sent(counting(['first'])), await sent(counting(['second']))]).toEqual([1, 0])
})

it('takes any number of tags, which share a bounded number of registers', async () => {
  const tags = Array.from({ length: 3_000 }, (_, i) => `tenant:${i}`)
  const query = counting(['tenant:7'])
  await warm(one, query)
  await invalidateTags(one.prisma, tags)
  expect(await sent(query)).toBe(1)
})

it('refuses what are no tags, and clients without reads', async () => {
  await expect(invalidateTags(one.prisma, [1] as never)).rejects.toThrow(/invalidateTags\.tags/)
  await expect(invalidateTags(fixture.plain, ['a'])).rejects.toThrow(/"reads"/)
})
