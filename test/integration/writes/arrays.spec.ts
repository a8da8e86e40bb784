import { setTimeout as sleep } from 'node:timers/promises'
import { PrismaPg } from '@prisma/adapter-pg'
import { extendPrisma } from 'model-cache'
import { Prisma, PrismaClient } from '#prisma/client/client.js'
import { useOpened } from '../../support/use-opened.js'
import { openWritesFixture } from './writes-fixture.js'

const fixture = useOpened(openWritesFixture)

const email = 'array@example.com'
const data = {
  email,
  firstName: 'a',
  lastName: 'b',
  displayName: '',
  country: 'CH',
  locale: '',
  timezone: '',
}
const where = { email }
beforeEach(async () => {
  fixture.recorder.caches = { User: [['id']] }
  await fixture.plain.user.deleteMany({ where: { country: 'CH', timezone: '' } })
  await fixture.plain.user.create({ data })
})

type Work = (prisma: PrismaClient) => Promise<unknown>

const increment = (prisma: PrismaClient) =>
  prisma.user.update({ where, data: { rating: { increment: 1 } }, select: { rating: true } })
const find = (prisma: PrismaClient) => prisma.user.findUnique({ where, select: { rating: true } })

const forms: Readonly<Record<string, Work>> = {
  'the same query twice': async (prisma) => {
    const query = increment(prisma)
    return prisma.$transaction([query, query])
  },
  'the same read on both sides of a write': async (prisma) => {
    const query = find(prisma)
    return prisma.$transaction([query, increment(prisma), query])
  },
  'raw SQL between': async (prisma) => {
    const query = increment(prisma)
    const raw = prisma.$executeRaw`UPDATE "User" SET rating = rating * 10 WHERE email = ${email}`
    return prisma.$transaction([query, raw, query, raw, query])
  },
  'an isolation level': async (prisma) => {
    const level = prisma.$queryRaw`SELECT current_setting('transaction_isolation')`
    const isolationLevel = Prisma.TransactionIsolationLevel.Serializable
    return prisma.$transaction([increment(prisma), level], { isolationLevel })
  },
}

it.each(Object.entries(forms))('an array of %s does what Prisma does', async (_, work) => {
  const { plain, prisma } = fixture
  const outcome = async (client: PrismaClient): Promise<unknown> => {
    await plain.user.update({ where, data: { rating: 0 } })
    const result = await work(client)
    return { result, stored: await plain.user.findUnique({ where, select: { rating: true } }) }
  }
  expect(await outcome(prisma)).toEqual(await outcome(plain))
})

describe('a client with one connection and transaction options of its own', () => {
  /** The isolation levels of its transactions. */
  const levels: unknown[] = []
  let prisma: PrismaClient
  beforeAll(() => {
    const factory = new PrismaPg({ connectionString: fixture.url, max: 1 })
    const connect = factory.connect.bind(factory)
    factory.connect = async () => {
      const adapter = await connect()
      const start = adapter.startTransaction.bind(adapter)
      return Object.assign(adapter, {
        startTransaction: (level?: Parameters<typeof start>[0]) => (levels.push(level), start(level)),
      })
    }
    const isolationLevel = Prisma.TransactionIsolationLevel.RepeatableRead
    const transactionOptions = { maxWait: 1, isolationLevel }
    prisma = extendPrisma(new PrismaClient({ adapter: factory, transactionOptions }), fixture.recorder)
  })
  afterAll(() => prisma.$disconnect())

  it('waits for the connection, in arrays of one query and in writes alone', async () => {
    await prisma.$connect()
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    const { promise: occupied, resolve: occupy } = Promise.withResolvers<void>()
    const other = prisma.$transaction(async () => (occupy(), released), { maxWait: 60_000 })
    await occupied
    const writes = Promise.all([prisma.$transaction([increment(prisma)]), increment(prisma)])
    await sleep(50)
    release()
    await other
    await writes
    expect(await find(fixture.plain)).toEqual({ rating: 2 })
  })

  it('begins the transactions of the library under the level of the database, not under that of the client', async () => {
    levels.length = 0
    await increment(prisma)
    await prisma.$transaction([increment(prisma)])
    await prisma.$transaction([increment(prisma), increment(prisma)], { maxWait: 60_000 })
    expect(levels).toEqual([undefined, undefined, 'REPEATABLE READ'])
  })
})

it('begins a new transaction with options that a nested one was given as well', async () => {
  const { prisma, plain } = fixture
  const options = { maxWait: 60_000, timeout: 60_000 }
  const { ids, transact } = { ids: [] as unknown[], transact: prisma.$transaction.bind(prisma) }
  const note = async (tx: Prisma.TransactionClient): Promise<void> => {
    const [row] = await tx.$queryRaw<{ id: string }[]>`SELECT pg_current_xact_id()::text AS id`
    ids.push(row!.id)
  }
  await transact(async (tx) => {
    await note(tx)
    const { $transaction } = tx as PrismaClient
    await $transaction?.call(tx, note as never, options)
    // Beside the outer one, which has not ended.
    await transact(async (other) => {
      await increment(other as PrismaClient)
      await note(other)
    }, options)
    throw new Error('undone')
  }, options).catch((error: Error) => expect(error.message).toBe('undone'))
  expect(ids[1]).toBe(ids[0])
  expect(ids[2]).not.toBe(ids[0])
  expect(await find(plain)).toEqual({ rating: 1 })
})
