/** `invalidateResults` ends what any process keeps, also by options that the caller does not have. */
import { cached, invalidateResults } from 'model-cache'
import { useOpened } from '../../support/use-opened.ts'
import { openResults, type Query, warm } from './results-fixture.ts'

const fixture = useOpened(openResults)
const one = useOpened(() => fixture.open({ models: { Topic: '1h', Article: { ttl: '1h', by: 'authorId' } } }))
const other = useOpened(() => fixture.open({ models: {} }))

const person = '5eed0000-0000-4000-a000-0000000000a1'
const topics: Query = (p) => p.topic.count()
const articles: Query = (p) => p.article.count({ where: { authorId: person } })
const people: Query = (p) => cached(p, { ttl: '1m' }).person.count()
const brief: Query = (p) => cached(p, { ttl: '1m', mayBeStale: true }).review.count()
const all = [topics, articles, people, brief]

/** Whether each query still has its result. */
async function kept(): Promise<readonly boolean[]> {
  const found: boolean[] = []
  for (const query of all) {
    one.statements()
    await query(one.prisma)
    found.push(one.statements().length === 0)
  }
  return found
}

it.each<[models: string[] | undefined, expected: boolean[]]>([
  [['Article'], [true, false, true, true]],
  [
    ['Person', 'Topic'],
    [false, true, false, true],
  ],
  // Nobody keeps results of it.
  [['Seat'], [true, true, true, true]],
  [undefined, [false, false, false, false]],
])('ends those of %j from a process that keeps none', async (models, expected) => {
  await warm(one, ...all)
  await invalidateResults(other.prisma, models)
  expect(await kept()).toEqual(expected)
})

it('refuses models that the schema lacks, and clients without reads', async () => {
  await expect(invalidateResults(one.prisma, ['Topics'])).rejects.toThrow(/invalidateResults.*"Topics"/)
  await expect(invalidateResults(fixture.plain)).rejects.toThrow(/reads/)
})
