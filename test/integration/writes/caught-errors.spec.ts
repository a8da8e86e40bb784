import type { PrismaClient } from '#prisma/client/client.js'
import { linesOf, RecordingCoordinator } from './recording-coordinator.js'
import { openWritesFixture, type WritesFixture } from './writes-fixture.js'

let fixture: WritesFixture
let prisma: PrismaClient
let recorder: RecordingCoordinator
let where: { email: string }

beforeAll(async () => {
  fixture = await openWritesFixture()
  ;({ prisma, recorder } = fixture)
  const { email } = await fixture.plain.user.findFirstOrThrow()
  where = { email }
})
afterAll(() => fixture.close())

beforeEach(async () => {
  await fixture.plain.user.update({ where, data: { firstName: 'old' } })
  recorder.caches = { User: [['id']] }
  recorder.look = () => fixture.value('SELECT "firstName" FROM "User" WHERE email = $1', [where.email])
  await recorder.take()
})

/** Prisma writes the name, and then finds no such bid. */
const half = { data: { firstName: 'half', bids: { connect: { id: 'no such bid' } } } }

describe('a write that fails half-way in a transaction, and whose error the callback catches', () => {
  it('announces the rows that it has written, because COMMIT keeps them', async () => {
    await prisma.$transaction(async (tx) => {
      await expect(tx.user.update({ where, ...half })).rejects.toMatchObject({ code: 'P2018' })
    })
    expect(await recorder.take()).toEqual(
      linesOf(expect.stringMatching(/^markWritten User \{"id":"[^"]+"\}$/), 'old', 'half'),
    )
  })

  it('is not fenced if the callback rejects in the end', async () => {
    const work = prisma.$transaction((tx) => tx.user.update({ where, ...half }))
    await expect(work).rejects.toMatchObject({ code: 'P2018' })
    expect(await recorder.take()).toEqual([expect.stringContaining('markWritten User'), 'end seeing old'])
  })

  it('affects no row if the database has refused it, because PostgreSQL then commits nothing', async () => {
    const { email } = await fixture.plain.user.findFirstOrThrow({ where: { NOT: where } })
    const work = prisma.$transaction(async (tx) => {
      await expect(tx.user.update({ where, data: { email } })).rejects.toMatchObject({ code: 'P2002' })
    })
    await work.catch(() => {})
    expect(await recorder.take()).toEqual([])
  })
})

describe('a write of its own that fails half-way', () => {
  it('is not fenced, because it is rolled back', async () => {
    await expect(prisma.user.update({ where, ...half })).rejects.toMatchObject({ code: 'P2018' })
    expect(await recorder.take()).toEqual([expect.stringContaining('markWritten User'), 'end seeing old'])
  })
})

describe('a transaction that is begun in SQL', () => {
  it.each(['COMMIT', 'ROLLBACK'])(
    'has all rows count as written before %s, as nobody knows which are',
    async (end) => {
      await prisma.$executeRawUnsafe('BEGIN')
      await recorder.take()
      await prisma.$executeRawUnsafe(end)
      expect(await recorder.take()).toEqual(linesOf('markWritten all User: raw', 'old', 'old'))
    },
  )
})
