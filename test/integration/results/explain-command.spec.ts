/** `model-cache explain <Model>.<operation>` beside what `explainQuery` says in a process that keeps results. */
import { join } from 'node:path'
import { explainQuery } from 'model-cache'
import { valkeyUrl } from '../../support/servers.ts'
import { useOpened } from '../../support/use-opened.ts'
import { run } from '../doctor/command-line.ts'
import { openResults, warm, person } from './results-fixture.ts'

const schema = join(import.meta.dirname, '../differential/reads/schema.prisma')
const models = {
  Person: { ttl: '1h', by: 'id' },
  Article: { ttl: '1h', by: 'authorId' },
  Topic: '1h',
  Review: { ttl: '1h', by: ['personId', 'articleId'] },
}
interface Asked {
  readonly model: 'article' | 'review' | 'topic' | 'person'
  readonly action: 'findMany' | 'findFirst' | 'findUnique' | 'count'
  readonly args: object
}

const fixture = useOpened(openResults)
const one = useOpened(() => fixture.open({ models }))

const send = ({ action, args, model }: Asked) => {
  const delegate = one.prisma[model] as unknown as Record<string, (args: object) => PromiseLike<unknown>>
  return delegate[action]!(args)
}
const command = (...args: string[]) =>
  run(['explain', ...args, '--schema', schema, '--valkey', valkeyUrl(), '--namespace', fixture.namespace])
async function explained({ action, args, model }: Asked): Promise<{ stored: object; endedBy: string[] }> {
  const { errors, output } = await command(`${model}.${action}`, JSON.stringify(args), '--json')
  expect(errors).toBe('')
  return JSON.parse(output).result
}

const queries: readonly Asked[] = [
  {
    model: 'topic',
    action: 'findMany',
    args: { where: { word: { contains: 'a' } }, orderBy: { word: 'asc' } },
  },
  {
    model: 'article',
    action: 'findMany',
    args: { where: { title: { contains: 'a' } }, include: { topics: true } },
  },
  { model: 'article', action: 'count', args: { where: { authorId: person(1), rank: { gt: 0 } } } },
  {
    model: 'article',
    action: 'findMany',
    args: { where: { authorId: person(1) }, include: { reviews: true } },
  },
  { model: 'review', action: 'findMany', args: { where: { articleId: 5, personId: person(1) } } },
  { model: 'review', action: 'findFirst', args: { where: { articleId: 5 }, include: { article: true } } },
  {
    model: 'person',
    action: 'findUnique',
    args: {
      where: { id: person(3) },
      omit: { secret: true },
      include: { articles: { orderBy: { id: 'asc' } } },
    },
  },
]

it.each(queries)('says of %j what the process says', async (query) => {
  expect((await explained(query)).stored).toEqual({ isHit: false, reason: 'not_cached' })
  await warm(one, () => send(query))
  const { result } = await explainQuery(one.prisma, query)
  const { length } = result!.stored as { length: number }
  expect((await explained(query)).stored).toEqual({
    isHit: true,
    ageMs: expect.any(Number),
    expiresInMs: expect.any(Number),
    length,
  })
})

it('says what has ended a result', async () => {
  await warm(one, ...queries.map((query) => () => send(query)))
  await one.prisma.topic.updateMany({ data: { word: 'later' } })
  await one.prisma.article.updateMany({ where: { authorId: person(1) }, data: { rank: 7 } })
  const found = await Promise.all(queries.map(explained))
  expect(found.map(({ endedBy, stored }) => [endedBy, 'reason' in stored ? stored.reason : 'hit'])).toEqual([
    [['Topic.results'], 'invalidated'],
    [['Article.results', 'Topic.results'], 'invalidated'],
    [[`Article.results.authorId=${person(1)}`], 'invalidated'],
    [[`Article.results.authorId=${person(1)}`], 'invalidated'],
    [[], 'hit'],
    [['Article.results'], 'invalidated'],
    [[], 'hit'],
  ])
})

it('says that new rows whose values are unknown have ended the results of a value', async () => {
  const query = queries[2]!
  await warm(one, () => send(query))
  const data = Array.from({ length: 1_001 }, (_, i) => ({
    id: 10_000 + i,
    title: `one of many ${i}`,
    isPublic: true,
    created: new Date(),
  }))
  await one.prisma.article.createMany({ data })
  expect(await explained(query)).toMatchObject({
    endedBy: [`Article.results.authorId=${person(1)}`],
    stored: { isHit: false, reason: 'invalidated' },
  })
  await warm(one, () => send(query))
  expect((await explained(query)).stored).toMatchObject({ isHit: true })
})

it('prints it', async () => {
  const [query] = queries as [Asked]
  const printed = async () =>
    (await command(`${query.model}.${query.action}`, JSON.stringify(query.args))).output.split('\n').slice(3)
  await one.prisma.topic.updateMany({ data: { word: 'earlier' } })
  expect((await printed())[0]).toBe(
    '  miss         a result is stored, and does not count any more: changed since: Topic.results',
  )
  await warm(one, () => send(query))
  expect(await printed()).toEqual([
    expect.stringMatching(/^  hit          stored \d+\.\d s ago, expires in 3\d{3}\.\d s, \d+ bytes$/),
    expect.stringMatching(/^  key          \S+:\{Topic\.results:\d+\}:\S+$/),
    '',
  ])
})

it.each<[name: string, args: object, unknown: string]>([
  ['Person.findMany', {}, 'kept_out'],
  ['Topic.findUnique', { where: { word: { contains: 'a' } } }, 'arguments'],
])('says why no result answers %s(%j)', async (name, args, unknown) => {
  const { output } = await command(name, JSON.stringify(args), '--json')
  expect(JSON.parse(output).result).toEqual({ unknown })
})
