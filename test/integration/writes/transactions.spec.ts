import { setTimeout as sleep } from 'node:timers/promises'
import { type } from 'arktype'
import { extendPrisma, modelCaches, ModelCacheWrites } from 'model-cache'
import { createTestCache, FlakyStore, MemoryStore } from 'model-cache/testing'
import type { PrismaClient } from '#prisma/client/client.js'
import { linesOf, RecordingCoordinator } from './recording-coordinator.js'
import { openWritesFixture, type WritesFixture } from './writes-fixture.js'

let fixture: WritesFixture
let prisma: PrismaClient
let recorder: RecordingCoordinator

beforeAll(async () => {
  fixture = await openWritesFixture()
  ;({ prisma, recorder } = fixture)
})
afterAll(() => fixture.close())

let guests = 0
let id: string
beforeEach(async () => {
  id = `guest-${++guests}`
  await fixture.plain.guestUser.create({ data: { id, name: 'old', email: `${id}@example.com` } })
  recorder.caches = { GuestUser: [['id']] }
  recorder.refusal = undefined
  recorder.look = () => fixture.value('SELECT name FROM "GuestUser" WHERE id = $1', [id])
  await recorder.take()
  fixture.statements()
})
const rename = (name: string) => ({ where: { id }, data: { name } })

describe('$transaction with a callback', () => {
  it('fences once, right before COMMIT, and ends after it', async () => {
    const made = await prisma.$transaction(async (tx) => {
      await tx.guestUser.update(rename('half'))
      await tx.guestUser.update(rename('new'))
      return tx.guestUser.create({ data: { name: 'made', email: '' }, select: { id: true } })
    })
    const marked = `markWritten GuestUser {"id":"${id}"}`
    expect(await recorder.take()).toEqual(
      linesOf([marked, marked, `markWritten GuestUser {"id":"${made.id}"}`], 'old', 'new'),
    )
  })

  it('runs its callback within the unit, with the client of the transaction', async () => {
    await prisma.$transaction(async (tx) => {
      expect(recorder.scope).toBe(tx)
      await tx.guestUser.update(rename('new'))
      const { guestUser } = recorder.scope as typeof tx
      expect(await guestUser.findUnique({ where: { id } })).toMatchObject({ name: 'new' })
    })
    expect(recorder.scope).toBeUndefined()
  })

  it('fences no more than it writes if it is the first write of a process, which has to learn of the caches', async () => {
    const store = new FlakyStore(new MemoryStore())
    const definition = modelCaches().defineModelCache<{ id: string }>()({
      model: 'GuestUser',
      schema: type({ id: 'string' }),
      id: 'id',
      ttl: '1m',
    })
    const { cache } = createTestCache(definition, [], { store })
    await cache.get('nobody')
    const { change } = store.calls
    const worker = extendPrisma(fixture.openClient(), new ModelCacheWrites({ store }))
    await worker.$transaction((tx) => tx.guestUser.update(rename('new')))
    expect([store.calls.fenceMany, store.calls.change - change]).toEqual([1, 0])
  })

  it('ends after a rollback, without a fence, and passes the error to the caller', async () => {
    const error = new Error('changed my mind')
    const work = prisma.$transaction(async (tx) => {
      await tx.guestUser.update(rename('new'))
      throw error
    })
    await expect(work).rejects.toBe(error)
    expect(await recorder.take()).toEqual([`markWritten GuestUser {"id":"${id}"}`, 'end seeing old'])
  })

  it('ends after a timeout', async () => {
    const work = prisma.$transaction(
      async (tx) => {
        await tx.guestUser.update(rename('new'))
        await sleep(2_100)
        await tx.guestUser.update(rename('newer'))
      },
      { timeout: 2_000 },
    )
    await expect(work).rejects.toMatchObject({ code: 'P2028' })
    expect((await recorder.take()).at(-1)).toBe('end seeing old')
  })

  it('ends after a timeout that nobody notices before COMMIT', async () => {
    const work = prisma.$transaction(
      async (tx) => {
        await tx.guestUser.update(rename('new'))
        await sleep(2_100)
      },
      { timeout: 2_000 },
    )
    await expect(work).rejects.toMatchObject({ code: 'P2028' })
    expect(await recorder.take()).toEqual([`markWritten GuestUser {"id":"${id}"}`, 'end seeing old'])
  })

  it('rolls back if the fence rejects', async () => {
    recorder.refusal = new Error('no fence')
    const work = prisma.$transaction((tx) => tx.guestUser.update(rename('new')))
    await expect(work).rejects.toBe(recorder.refusal)
    expect((await recorder.take()).at(-1)).toBe('end seeing old')
  })

  it('knows the end of a COMMIT that the database refuses', async () => {
    await fixture.plain
      .$executeRaw`ALTER TABLE "AuctionBid" ALTER CONSTRAINT "AuctionBid_guestId_fkey" DEFERRABLE INITIALLY DEFERRED`
    recorder.caches.AuctionBid = [['id']]
    const bid = await fixture.plain.auctionBid.findFirstOrThrow()
    const work = prisma.$transaction((tx) =>
      tx.auctionBid.update({ where: { id: bid.id }, data: { guestId: 'nobody' } }),
    )
    await expect(work).rejects.toThrow()
    expect(await recorder.take()).toEqual(linesOf(`markWritten AuctionBid {"id":"${bid.id}"}`, 'old', 'old'))
  })

  /** Those of a write during which another one creates a row. */
  const linesBeside = (other: string): unknown[] => {
    const created = linesOf(`markWritten GuestUser {"id":"${other}"}`, 'old', 'old')
    const marked = `markWritten GuestUser {"id":"${id}"}`
    return linesOf([marked, ...created.map((line) => `2: ${String(line)}`)], 'old', 'new')
  }

  it('separates writes of the client itself from those of the transaction', async () => {
    const other = `${id}-other`
    await prisma.$transaction(async (tx) => {
      await tx.guestUser.update(rename('new'))
      await prisma.guestUser.create({ data: { id: other, name: 'other', email: '' } })
      await recorder.ended()
      expect(recorder.events.at(-1)).toBe('2: end seeing old')
    })
    expect(await recorder.take()).toEqual(linesBeside(other))
  })

  it('keeps two transactions apart, even one inside the other', async () => {
    const other = `${id}-other`
    await prisma.$transaction(async (outer) => {
      await prisma.$transaction(async (inner) => {
        await outer.guestUser.update(rename('new'))
        await inner.guestUser.create({ data: { id: other, name: 'other', email: '' } })
      })
    })
    expect(await recorder.take()).toEqual(linesBeside(other))
  })

  it('counts nested transactions as part of the outer one, even if they are rolled back', async () => {
    const nested = `${id}-nested`
    await prisma.$transaction(async (tx) => {
      await tx.guestUser.update(rename('new'))
      const { $transaction } = tx as unknown as PrismaClient
      await $transaction
        .call(tx as never, async (inner) => {
          await inner.guestUser.create({ data: { id: nested, name: 'nested', email: '' } })
          throw new Error('back to the savepoint')
        })
        .catch(() => {})
    })
    expect(await fixture.plain.guestUser.count({ where: { id: nested } })).toBe(0)
    expect(await recorder.take()).toEqual([
      `markWritten GuestUser {"id":"${id}"}`,
      `markWritten GuestUser {"id":"${nested}"}`,
      'fence seeing old',
      'end seeing new',
    ])
  })

  it('selects the rows of a bulk write in the transaction, which sees its uncommitted rows', async () => {
    await prisma.$transaction(async (tx) => {
      await tx.guestUser.update(rename('bulk'))
      expect(await tx.guestUser.deleteMany({ where: { name: 'bulk' } })).toEqual({ count: 1 })
    })
    const marked = `markWritten GuestUser {"id":"${id}"}`
    expect(await recorder.take()).toEqual([marked, marked, 'fence seeing old', 'end'])
  })
})

describe('$transaction with an array', () => {
  it('of writes whose arguments name their rows runs as a batch, fenced once before it', async () => {
    const result = await prisma.$transaction([
      prisma.guestUser.update({ ...rename('half'), select: { name: true } }),
      prisma.guestUser.count({ where: { id } }),
      prisma.guestUser.update({ ...rename('new'), select: { name: true } }),
    ])
    expect(result).toStrictEqual([{ name: 'half' }, 1, { name: 'new' }])
    const marked = `markWritten GuestUser {"id":"${id}"}`
    expect(await recorder.take()).toEqual([marked, marked, 'fence seeing old', 'end seeing new'])
  })

  it('of other writes runs in order in one transaction, with the same results', async () => {
    const result = await prisma.$transaction(
      [
        prisma.guestUser.create({ data: { name: 'made', email: '' }, select: { name: true } }),
        prisma.guestUser.update({ ...rename('new'), select: { name: true } }),
        prisma.guestUser.findUnique({ where: { id }, select: { name: true } }),
        prisma.$queryRaw`SHOW transaction_isolation`,
        prisma.guestUser.findFirst({ where: { id } }).bids(),
      ],
      { isolationLevel: 'RepeatableRead' },
    )
    expect(result).toStrictEqual([
      { name: 'made' },
      { name: 'new' },
      { name: 'new' },
      [{ transaction_isolation: 'repeatable read' }],
      [],
    ])
    expect(await recorder.take()).toEqual([
      expect.stringMatching(/^markWritten GuestUser \{"id":"[0-9a-f-]{36}"\}$/),
      `markWritten GuestUser {"id":"${id}"}`,
      'fence seeing old',
      'end seeing new',
    ])
  })

  it('is all or nothing, either way', async () => {
    for (const data of [
      { id: `${id}-x`, name: 'x', email: '' },
      { name: 'x', email: '' },
    ]) {
      const before = await fixture.plain.guestUser.count()
      const failing = prisma.$transaction([
        prisma.guestUser.create({ data }),
        prisma.guestUser.update({ where: { id: 'nobody' }, data: { name: 'new' } }),
      ])
      await expect(failing).rejects.toMatchObject({ code: 'P2025' })
      expect(await fixture.plain.guestUser.count()).toBe(before)
      expect((await recorder.take()).at(-1)).toBe('end seeing old')
    }
  })

  it('rolls a batch back if the fence rejects', async () => {
    recorder.refusal = new Error('no fence')
    const writes = [prisma.guestUser.update(rename('half')), prisma.guestUser.update(rename('new'))]
    await expect(prisma.$transaction(writes)).rejects.toBe(recorder.refusal)
    expect((await recorder.take()).at(-1)).toBe('end seeing old')
  })

  it('refuses elements that are not queries, as Prisma does', async () => {
    const work = async () => prisma.$transaction([Promise.resolve(1) as never])
    await expect(work()).rejects.toThrow('All elements of the array need to be Prisma Client promises')
    expect(await prisma.$transaction([])).toEqual([])
    expect(await recorder.take()).toEqual([])
  })

  it('on the client of a transaction is a separate transaction, as in Prisma', async () => {
    await prisma.$transaction(async (tx) => {
      const client = tx as unknown as PrismaClient
      await client.$transaction([client.guestUser.update(rename('new'))])
    })
    expect(await recorder.take()).toEqual([
      `2: markWritten GuestUser {"id":"${id}"}`,
      '2: fence seeing old',
      '2: end seeing new',
    ])
  })
})
