import type { PrismaClient } from '#prisma/client/client.js'
import { linesOf, type RecordingCoordinator } from './recording-coordinator.js'
import { openWritesFixture, type WritesFixture } from './writes-fixture.js'

let fixture: WritesFixture
let prisma: PrismaClient
let recorder: RecordingCoordinator

beforeAll(async () => {
  fixture = await openWritesFixture({ maxRows: 5 })
  ;({ prisma, recorder } = fixture)
})
afterAll(() => fixture.close())

let guests = 0
/** Creates a guest for one test, without the extension. `look` sees its name from now on. */
async function guest(): Promise<string> {
  const id = `guest-${++guests}`
  await fixture.plain.guestUser.create({ data: { id, name: 'old', email: `${id}@example.com` } })
  lookAtGuest(id)
  return id
}
function lookAtGuest(id: string): void {
  recorder.look = () =>
    fixture.value('SELECT name FROM "GuestUser" WHERE id = $1', [id]).then((name) => name ?? 'no row')
}

beforeEach(async () => {
  recorder.caches = { GuestUser: [['id']] }
  recorder.refusal = undefined
  recorder.look = async () => undefined
  await recorder.take()
  fixture.statements()
})

describe('a write whose arguments name its rows', () => {
  it('update: is fenced before it runs and ended once others see it, without further statements', async () => {
    const id = await guest()
    fixture.statements()
    const row = await prisma.guestUser.update({ where: { id }, data: { name: 'new' } })
    expect(row.name).toBe('new')
    expect(await recorder.take()).toEqual(linesOf(`markWritten GuestUser {"id":"${id}"}`, 'old', 'new'))
    expect(fixture.statements()).toHaveLength(1)
  })

  it('update of the id: announces the row under both', async () => {
    const id = await guest()
    await prisma.guestUser.update({ where: { id }, data: { id: `${id}-b`, name: 'new' } })
    expect(await recorder.take()).toEqual(
      linesOf(`markWritten GuestUser {"id":"${id}"} {"id":"${id}-b"}`, 'old', 'no row'),
    )
  })

  it('create with an id', async () => {
    lookAtGuest('made')
    fixture.statements()
    await prisma.guestUser.create({ data: { id: 'made', name: 'new', email: 'made@example.com' } })
    expect(await recorder.take()).toEqual(linesOf('markWritten GuestUser {"id":"made"}', 'no row', 'new'))
    expect(fixture.statements()).toHaveLength(1)
  })

  it('upsert, of an existing row and of a missing one', async () => {
    const id = await guest()
    for (const [where, before] of [
      [id, 'old'],
      ['upserted', 'no row'],
    ] as const) {
      lookAtGuest(where)
      await prisma.guestUser.upsert({
        where: { id: where },
        create: { id: where, name: 'new', email: `${where}@example.com` },
        update: { name: { set: 'new' } },
      })
      expect(await recorder.take()).toEqual(linesOf(`markWritten GuestUser {"id":"${where}"}`, before, 'new'))
    }
  })

  it('delete', async () => {
    const id = await guest()
    await prisma.guestUser.delete({ where: { id } })
    expect(await recorder.take()).toEqual(linesOf(`markWritten GuestUser {"id":"${id}"}`, 'old', 'no row'))
  })

  it('bulk writes of rows that the `where` names', async () => {
    const [a, b] = [await guest(), await guest()]
    fixture.statements()
    await prisma.guestUser.updateMany({ where: { id: { in: [a, b] }, name: 'old' }, data: { name: 'new' } })
    expect(await recorder.take()).toEqual(
      linesOf(`markWritten GuestUser {"id":"${a}"} {"id":"${b}"}`, 'old', 'new'),
    )
    await prisma.guestUser.deleteMany({ where: { id: b } })
    expect(await recorder.take()).toEqual(linesOf(`markWritten GuestUser {"id":"${b}"}`, 'new', 'no row'))
    expect(fixture.statements()).toHaveLength(2)
  })

  it('compound ids, and a row in two caches', async () => {
    recorder.caches = { AuctionItem: [['fundraiserId', 'lot'], ['id']] }
    const lot = await fixture.plain.auctionItem.findFirstOrThrow()
    const key = { fundraiserId: lot.fundraiserId, lot: lot.lot }
    await prisma.auctionItem.update({ where: { fundraiserId_lot: key, id: lot.id }, data: { name: 'new' } })
    expect(await recorder.take()).toEqual(
      linesOf(`markWritten AuctionItem ${JSON.stringify({ ...key, id: lot.id })}`),
    )
  })

  it('runs nothing if the fence rejects, and the caller gets the reason', async () => {
    const id = await guest()
    recorder.refusal = new Error('no fence')
    fixture.statements()
    await expect(prisma.guestUser.update({ where: { id }, data: { name: 'new' } })).rejects.toBe(
      recorder.refusal,
    )
    expect(fixture.statements()).toEqual([])
    expect((await recorder.take()).at(-1)).toBe('end seeing old')
  })
})

describe('a write whose result shows its rows', () => {
  it('create without an id: is fenced in the transaction, before others see the row', async () => {
    recorder.look = () => fixture.value(`SELECT count(*)::int FROM "GuestUser" WHERE name = 'generated'`)
    const { id } = await prisma.guestUser.create({ data: { name: 'generated', email: 'x@example.com' } })
    expect(await recorder.take()).toEqual(linesOf(`markWritten GuestUser {"id":"${id}"}`, '0', '1'))
  })

  it('update by another key that changes the id: the old row is locked first', async () => {
    recorder.caches = { User: [['id']] }
    const user = await fixture.plain.user.findFirstOrThrow()
    await prisma.user.update({ where: { email: user.email }, data: { id: 'changed' } })
    expect(await recorder.take()).toEqual(linesOf(`markWritten User {"id":"${user.id}"} {"id":"changed"}`))
  })

  it('createMany returns the count, and announces the generated ids', async () => {
    const data = [1, 2].map((n) => ({ name: `many-${n}`, email: 'many@example.com' }))
    recorder.look = () => fixture.value(`SELECT count(*)::int FROM "GuestUser" WHERE name LIKE 'many-%'`)
    expect(await prisma.guestUser.createMany({ data })).toStrictEqual({ count: 2 })
    const rows = await fixture.plain.guestUser.findMany({
      where: { email: 'many@example.com' },
      select: { id: true },
    })
    const [marked, ...rest] = await recorder.take()
    expect(rest).toEqual(['fence seeing 0', 'end seeing 2'])
    for (const { id } of rows) expect(marked).toContain(`{"id":"${id}"}`)

    const named = await prisma.guestUser.createManyAndReturn({ data, select: { name: true } })
    expect(named).toStrictEqual(data.map(({ name }) => ({ name })))
    expect(await recorder.take()).toEqual([
      expect.stringContaining('markWritten GuestUser {"id"'),
      'fence seeing 2',
      'end seeing 4',
    ])
  })

  it('passes the error of the query to the caller, and rolls back if the fence rejects', async () => {
    const id = await guest()
    const email = `${id}@example.com`
    recorder.refusal = new Error('no fence')
    await expect(prisma.guestUser.create({ data: { name: 'refused', email } })).rejects.toBe(recorder.refusal)
    expect(await fixture.plain.guestUser.count({ where: { name: 'refused' } })).toBe(0)
    recorder.refusal = undefined
    await recorder.take()
    recorder.caches = { User: [['id']] }
    const { email: taken, ...user } = await fixture.plain.user.findFirstOrThrow({ omit: { id: true } })
    await expect(prisma.user.create({ data: { ...user, email: taken } })).rejects.toMatchObject({
      code: 'P2002',
    })
    await expect(prisma.user.update({ where: { email: 'nobody' }, data: {} })).rejects.toMatchObject({
      code: 'P2025',
    })
    // Prisma generates the id of the user.
    expect(await recorder.take()).toEqual([
      expect.stringContaining('markWritten User'),
      expect.stringContaining('fence'),
      expect.stringContaining('end'),
    ])
  })
})

describe('a bulk write by any condition', () => {
  const three = async (name: string): Promise<string[]> => {
    const rows = await fixture.plain.guestUser.createManyAndReturn({
      data: [1, 2, 3].map((n) => ({ id: `${name}-${n}`, name, email: 'bulk@example.com' })),
    })
    recorder.look = () => fixture.value('SELECT count(*)::int FROM "GuestUser" WHERE name = $1', [name])
    return rows.map(({ id }) => id)
  }
  const marked = (ids: readonly string[]) =>
    `markWritten GuestUser ${ids.map((id) => `{"id":"${id}"}`).join(' ')}`

  it('announces the rows that it writes', async () => {
    const ids = await three('bulk')
    expect(
      await prisma.guestUser.updateMany({ where: { name: 'bulk' }, data: { name: 'bulky' } }),
    ).toStrictEqual({ count: 3 })
    expect(await recorder.take()).toEqual([marked(ids), 'fence seeing 3', 'end seeing 0'])
    expect(await prisma.guestUser.deleteMany({ where: { name: 'bulky' } })).toStrictEqual({ count: 3 })
    expect(await recorder.take()).toEqual([marked(ids), 'fence seeing 0', 'end seeing 0'])
  })

  it('that returns its rows needs no select before it', async () => {
    const ids = await three('back')
    fixture.statements()
    const rows = await prisma.guestUser.updateManyAndReturn({
      where: { name: 'back' },
      data: { name: 'there' },
      select: { name: true },
    })
    expect(rows).toStrictEqual([{ name: 'there' }, { name: 'there' }, { name: 'there' }])
    expect(await recorder.take()).toEqual([marked(ids), 'fence seeing 3', 'end seeing 0'])
    expect(fixture.statements()).toHaveLength(1)
  })

  it('affects all rows above the limit', async () => {
    const before = await fixture.plain.guestUser.count()
    expect(before).toBeGreaterThan(5)
    expect(await prisma.guestUser.updateMany({ data: { name: 'all' } })).toEqual({ count: before })
    expect(await recorder.take()).toEqual(['markWritten all GuestUser: unbounded', 'fence', 'end'])
    const data = [1, 2, 3, 4, 5, 6].map((n) => ({ id: `six-${n}`, name: 'six', email: '' }))
    await prisma.guestUser.createMany({ data })
    expect(await recorder.take()).toEqual(['markWritten created GuestUser: unbounded', 'fence', 'end'])
    await prisma.guestUser.updateMany({ where: { name: 'six' }, data: { name: 'x' }, limit: 2 })
    expect(await recorder.take()).toEqual(linesOf(expect.stringMatching(/^markWritten GuestUser \S+ \S+$/)))
  })
})

describe('a model without a cache', () => {
  it('is not announced, and reads never are', async () => {
    recorder.caches = {}
    const id = await guest()
    await prisma.guestUser.update({ where: { id }, data: { name: 'new' } })
    await prisma.guestUser.updateMany({ where: { name: 'new' }, data: { name: 'newer' } })
    recorder.caches = { GuestUser: [['id']] }
    expect(await prisma.guestUser.findMany({ where: { id } })).toMatchObject([{ name: 'newer' }])
    expect(await prisma.guestUser.count({ where: { id } })).toBe(1)
    expect(await recorder.take()).toEqual([])
  })
})
