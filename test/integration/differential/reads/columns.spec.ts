import { describeOn } from '../../../support/describe-databases.ts'
import { eventually } from '../../../support/eventually.ts'
import { openReadClients, type ReadClients } from './clients.ts'
import { perform } from './perform.ts'
import { show } from '../show.ts'

type Case = readonly [name: string, model: string, operation: string, args: object]

/** Clients of one database, and what each of them makes of a query. */
function clientsOf(name: string, timeZone = 'UTC') {
  let clients: ReadClients
  beforeAll(async () => {
    clients = await openReadClients(name, { timeZone })
    await clients.refill()
  })
  afterAll(() => clients.close())

  const run = async (kind: 'plain' | 'extended', model: string, operation: string, args: object) => {
    const query = { model, operation, args } as const
    const [outcome] = await perform(
      clients[kind].client!,
      { form: 'reads', client: 'client', queries: [query] } as never,
      true,
    )
    const { error, value } = outcome as { error?: Error; value?: unknown }
    return error ? `${error.name}: ${error.message.trim().split('\n').at(-1)}` : show(value)
  }
  return {
    get opened() {
      return clients
    },
    run,
    /** Runs it with empty caches and with full ones. */
    async isAsPlain(model: string, operation: string, args: object) {
      const expected = await run('plain', model, operation, args)
      for (let i = 0; i < 2; i++) expect(await run('extended', model, operation, args)).toBe(expected)
    },
    /** Whether a cache answers a query once it has its rows. */
    async isAnswered(model: string, operation: string, args: object): Promise<void> {
      const count = () => clients.outcomes.get(`${model} answered`) ?? 0
      await eventually(async () => {
        const before = count()
        await run('extended', model, operation, args)
        return count() > before
      })
    },
  }
}

const date = new Date('2024-02-29T12:30:00.123Z')
const maybe = (ids: readonly bigint[], others: object = {}, orderBy?: object): object => ({
  where: { id: { in: ids }, ...others },
  select: { id: true },
  ...(orderBy && { orderBy }),
})
const beyond = [-5n, -6n, -7n, -8n, 2n]

const ofPostgres: readonly Case[] = [
  ['infinity, after a date', 'maybe', 'findMany', maybe(beyond, { stamp: { gt: date } })],
  ['infinity, equal to a date', 'maybe', 'findMany', maybe(beyond, { stamp: date })],
  ['infinity, not equal to a date', 'maybe', 'findMany', maybe(beyond, { stamp: { not: date } })],
  ['infinity, among dates', 'maybe', 'findMany', maybe(beyond, { date: { notIn: [new Date(0)] } })],
  ['infinity, in an order', 'maybe', 'findMany', maybe(beyond, {}, [{ stamp: 'asc' }, { id: 'asc' }])],
  ['NaN, after a number', 'maybe', 'findMany', maybe(beyond, { numeric: { gt: 1 } })],
  ['NaN, not equal to a number', 'maybe', 'findMany', maybe(beyond, { numeric: { not: 2 } })],
  ['NaN, in an order', 'maybe', 'findMany', maybe(beyond, {}, [{ numeric: 'desc' }, { id: 'asc' }])],
  [
    'rows of citext in another case',
    'fan',
    'findMany',
    { where: { id: { in: [1, 2, 4, 6] } }, include: { team: true } },
  ],
  [
    'lists of citext in another case',
    'team',
    'findMany',
    { where: { name: { in: ['Reds', 'blues'] } }, include: { fans: true } },
  ],
  [
    'counts of citext in another case',
    'team',
    'findUnique',
    { where: { name: 'Reds' }, select: { _count: { select: { fans: true } } } },
  ],
  [
    'rows of another scale',
    'fan',
    'findMany',
    { where: { id: { in: [1, 2, 3, 5] } }, include: { rate: true } },
  ],
  ['lists of another scale', 'rate', 'findUnique', { where: { id: 1 }, include: { fans: true } }],
  [
    'a relation where null',
    'topic',
    'findUnique',
    { where: { id: 1 }, include: { articles: { where: null } } },
  ],
  [
    'a count where null',
    'topic',
    'findUnique',
    { where: { id: 1 }, select: { _count: { select: { articles: { where: null } } } } },
  ],
]

describeOn(
  ['postgresql'],
  'a client whose reads caches answer returns what Prisma does on $name for',
  ({ name }) => {
    const clients = clientsOf(name)

    it.each(ofPostgres)('%s', async (_, model, operation, args) => {
      await clients.isAsPlain(model, operation, args)
    })

    it.each(['ANN', 'ann'])(
      'text of a collation that is not deterministic, after a write by %s',
      async (id) => {
        await clients.run('extended', 'name', 'findUnique', { where: { id: 'Ann' } })
        await clients.run('extended', 'name', 'update', { where: { id }, data: { n: { increment: 1 } } })
        await clients.isAsPlain('name', 'findUnique', { where: { id: 'Ann' } })
        await clients.isAsPlain('name', 'findUnique', { where: { id } })
      },
    )

    it('text of such a collation that was missed in another spelling', async () => {
      for (let i = 0; i < 2; i++)
        await clients.run('extended', 'name', 'findUnique', { where: { id: 'new' } })
      await clients.run('extended', 'name', 'create', { data: { id: 'NEW', n: 1 } })
      await clients.isAsPlain('name', 'findUnique', { where: { id: 'new' } })
    })

    it('a cursor in the order of a list by moments that JavaScript cannot compare, from a cache', async () => {
      const orderBy = [{ stamptz6: 'desc' }, { id: 'asc' }]
      const args = { where: { mood: 'CALM' }, orderBy, cursor: { id: 1 }, take: 2 }
      await clients.isAsPlain('everything', 'findMany', args)
      await clients.isAnswered('Everything', 'findMany', args)
    })
  },
)

const changes = [-9n, -10n, -11n, -12n]
const half = new Date('2024-10-27T02:30:00Z')
const before = new Date('2024-10-27T02:10:00Z')

describeOn(
  ['postgresql'],
  'in sessions outside of UTC, it returns what Prisma does on $name for',
  ({ name }) => {
    const clients = clientsOf(name, 'Europe/Berlin')

    it.each<Case>([
      ['moments before another', 'maybe', 'findMany', maybe(changes, { stamptz: { lt: half } })],
      ['moments after another', 'maybe', 'findMany', maybe(changes, { stamptz: { gte: before } })],
      ['a moment', 'maybe', 'findMany', maybe(changes, { stamptz: half })],
      ['one of some moments', 'maybe', 'findMany', maybe(changes, { stamptz: { in: [half, before] } })],
      [
        'a moment that the clock skips',
        'maybe',
        'findMany',
        maybe(changes, { stamptz: new Date('2024-03-31T02:30:00Z') }),
      ],
      ['the order of moments', 'maybe', 'findMany', maybe(changes, {}, [{ stamptz: 'asc' }, { id: 'asc' }])],
    ])('%s', async (_, model, operation, args) => {
      await clients.isAsPlain(model, operation, args)
    })
  },
)

describeOn(
  ['mysql'],
  'for numbers in columns of truth values, it returns what Prisma does on $name:',
  ({ name }) => {
    const clients = clientsOf(name)
    const where = { id: { in: [3, 9, 4, 5] } }

    it.each<Case>([
      ['false', 'article', 'findMany', { where: { ...where, isPublic: false } }],
      ['true', 'article', 'findMany', { where: { ...where, isPublic: true } }],
      ['not false', 'article', 'findMany', { where: { ...where, isPublic: { not: false } } }],
      ['not true', 'article', 'findMany', { where: { ...where, NOT: { isPublic: true } } }],
      ['an order', 'article', 'findMany', { where, orderBy: [{ isPublic: 'asc' }, { id: 'asc' }] }],
    ])('%s', async (_, model, operation, args) => {
      await clients.isAsPlain(model, operation, args)
    })
  },
)

const author = '5eed0000-0000-4000-a000-0000000000a5'

describeOn(['mysql', 'mysql-binary'], 'queries by text are answered on $name', ({ name }) => {
  const clients = clientsOf(name)

  it.each<Case>([
    ['by a unique key', 'Person', 'findUnique', { where: { email: 'P3@x.org' }, omit: { secret: true } }],
    ['by a key of several fields', 'Article', 'findFirst', { where: { authorId: author, title: 'title 4' } }],
    ['by a list', 'Article', 'findMany', { where: { authorId: author } }],
    ['with a text that the row has', 'Article', 'findFirst', { where: { id: 4, title: 'title 4' } }],
    ['with another text', 'Article', 'findFirst', { where: { id: 4, title: 'title 5' } }],
    [
      'with the rows of a relation',
      'Person',
      'findUnique',
      { where: { id: author }, select: { id: true, articles: true } },
    ],
  ])('%s', async (_, model, operation, args) => {
    await clients.isAsPlain(model.toLowerCase(), operation, args)
    await clients.isAnswered(model, operation, args)
  })

  it.each<Case>([
    [
      'another case of a key',
      'person',
      'findUnique',
      { where: { email: 'p3@X.org' }, omit: { secret: true } },
    ],
    [
      'a space at the end of a key',
      'person',
      'findUnique',
      { where: { email: 'P3@x.org ' }, omit: { secret: true } },
    ],
    ['another case of a text', 'article', 'findFirst', { where: { id: 4, title: 'TITLE 4' } }],
    ['other letters of a text', 'article', 'findFirst', { where: { id: 4, title: 'tïtle 4' } }],
    ['a list by another case', 'article', 'findMany', { where: { authorId: author.toUpperCase() } }],
  ])('but what only the collation knows is as Prisma has it: %s', async (_, model, operation, args) => {
    await clients.isAsPlain(model, operation, args)
  })
})
