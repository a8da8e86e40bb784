import { Prisma } from '../differential/client/client.ts'
import { defineModelCache, type LookupWorld, useLookupWorlds } from './lookup-pods.js'

const newWorld = useLookupWorlds()

const definitions = {
  accounts: defineModelCache('Account', {
    ttl: '1m',
    unique: { email: 'email', token: 'token' },
    lists: {
      balance: { by: 'balance' },
      avatar: { by: 'avatar' },
      ofEmail: { by: 'email' },
      born: { by: 'born' },
      created: { by: 'createdAt' },
      views: { by: 'views' },
      name: { by: 'name' },
      role: { by: 'role', where: { balance: { in: [new Prisma.Decimal('31.5'), new Prisma.Decimal(42)] } } },
      team: { through: 'teams' },
    },
  }),
  hours: defineModelCache('Hour', {
    id: 'label',
    ttl: '1m',
    unique: { at: 'at' },
    lists: { ofDay: { by: 'date' } },
  }),
  moments: defineModelCache('Hour', { name: 'Moment', id: 'at', ttl: '1m', unique: { label: 'label' } }),
  days: defineModelCache('Day', { id: 'date', ttl: '1m' }),
}
const open = ({ openPod }: LookupWorld) => openPod(definitions)
type Pod = Awaited<ReturnType<typeof open>>

/** What the database finds by the condition, what the cache finds, and what the cache finds without the database. */
async function compare(
  pod: Pod,
  database: Promise<readonly object[]>,
  read: () => Promise<readonly (object | null)[]>,
): Promise<number> {
  const expected = await database
  expect(await read()).toEqual(expected)
  await Promise.all(Object.values(pod.caches).map((cache) => cache.drain()))
  pod.statements()
  expect(await read()).toEqual(expected)
  expect(pod.statements()).toEqual([])
  return expected.length
}

describe('keys of native types', () => {
  it.each([
    ['balance', new Prisma.Decimal('31.500'), 1],
    ['balance', new Prisma.Decimal('31.5000000000000000000001'), 0],
    ['avatar', Buffer.from('00ff13', 'hex'), 1],
    ['avatar', Buffer.from('00ff1300', 'hex'), 0],
    ['born', new Date('1990-01-04'), 1],
    ['born', new Date('1990-02-04'), 0],
    ['createdAt', new Date('2024-01-01T10:00:00.123Z'), 7],
    ['createdAt', new Date('2024-01-01T10:00:00.124Z'), 0],
    ['views', 9007199254740993n, 7],
    ['views', 9007199254740992n, 0],
    ['name', 'name 1', 3],
    ['name', 'NAME 1', 0],
    ['name', 'name 1 ', 0],
  ] as const)('find by %s = %p what the database finds, and keep it', async (field, key, count) => {
    const pod = await open(await newWorld())
    const list = field === 'createdAt' ? 'created' : field
    const found = pod.prisma.account.findMany({ where: { [field]: key }, orderBy: { id: 'asc' } })
    expect(await compare(pod, found, () => pod.caches.accounts.list(list, key as never))).toBe(count)
  })

  it('may be changed by the caller while their rows are loaded', async () => {
    const { caches } = await open(await newWorld())
    const date = new Date('2024-01-01T10:00:00.123Z')
    const bytes = Buffer.from('00ff13', 'hex')
    const lists = [caches.accounts.list('created', date), caches.accounts.list('avatar', bytes)]
    date.setTime(0)
    bytes.fill(0)
    expect((await Promise.all(lists)).map((list) => list.length)).toEqual([7, 1])
  })

  it('find a UUID in any spelling', async () => {
    const pod = await open(await newWorld())
    const { token } = await pod.prisma.account.findFirstOrThrow({ where: { id: 3 } })
    const by = (key: string) => pod.caches.accounts.getBy('token', key)
    expect(await by(token.toUpperCase())).toMatchObject({ id: 3 })
    await pod.caches.accounts.drain()
    pod.statements()
    expect(await by(token)).toMatchObject({ id: 3 })
    expect(pod.statements()).toEqual([])
    await expect(by('no uuid')).rejects.toThrow('a UUID')
  })

  it('find citext without case, and leave what databases compare differently to them', async () => {
    const { sql, ...world } = await newWorld()
    const pod = await open({ sql, ...world })
    const by = (key: string) => pod.caches.accounts.getBy('email', key)
    expect(await by('A3@X.org')).toMatchObject({ id: 3 })
    await pod.caches.accounts.drain()
    pod.statements()
    expect(await by('a3@x.ORG')).toMatchObject({ id: 3 })
    expect(pod.statements()).toEqual([])
    await sql.query(`UPDATE accounts SET email = 'ä@x.org' WHERE id = 4`)
    for (const _ of [1, 2]) {
      expect(await by('Ä@x.org')).toMatchObject({ id: 4 })
      await pod.caches.accounts.drain()
      expect(pod.statements()).not.toEqual([])
    }
    // Nor is it stored that no row has such a key: others may equal it.
    for (const _ of ['loaded', 'loaded again']) {
      expect(await by('Ö@x.org')).toBeNull()
      expect(await pod.caches.accounts.list('ofEmail', 'Ö@x.org')).toEqual([])
      await pod.caches.accounts.drain()
      expect(pod.statements()).toHaveLength(2)
    }
    const rows = await pod.caches.accounts.getManyBy('email', ['Ä@x.org', 'a3@x.org'])
    expect(rows.map((row) => row?.id)).toEqual([4, 3])
    await by('a3@x.org')
    await pod.caches.accounts.drain()
    expect((await pod.caches.accounts.explain('email', 'a3@x.org')).stored.isHit).toBe(true)
    // The key stands for any of them.
    await pod.caches.accounts.invalidateBy('email', 'Ä@x.org')
    expect((await pod.caches.accounts.explain('email', 'a3@x.org')).stored.isHit).toBe(false)
    expect((await pod.caches.accounts.explain(3)).stored.isHit).toBe(true)
  })

  it('compare constants by value, and the key of the other side of a relation', async () => {
    const pod = await open(await newWorld())
    const admins = pod.prisma.account.findMany({
      where: { role: 'ADMIN', balance: { in: ['31.5', '42'] } },
      orderBy: { id: 'asc' },
    })
    expect(await compare(pod, admins, () => pod.caches.accounts.list('role', 'ADMIN'))).toBe(1)
    const code = new Prisma.Decimal('2.50')
    const members = pod.prisma.account.findMany({
      where: { teams: { some: { code } } },
      orderBy: { id: 'asc' },
    })
    expect(await compare(pod, members, () => pod.caches.accounts.list('team', code))).toBe(2)
  })
  it('find dates by day, and times with a time zone', async () => {
    const pod = await open(await newWorld())
    const { hours } = pod.caches
    const date = new Date('2024-02-29')
    const ofDay = pod.prisma.hour.findMany({ where: { date }, orderBy: { label: 'asc' } })
    expect(await compare(pod, ofDay, () => hours.list('ofDay', date))).toBe(2)
    await expect(hours.list('ofDay', new Date('2024-02-29T12:00Z'))).rejects.toThrow('a Date at midnight UTC')
    const at = new Date('2024-02-28T10:00:00Z')
    const then = pod.prisma.hour.findMany({ where: { at } })
    expect(await compare(pod, then, async () => [await hours.getBy('at', at)])).toBe(1)
    expect(await hours.getBy('at', new Date(at.getTime() + 1))).toBeNull()
  })

  it('may be ids, which are invalidated by the rows that a write returns', async () => {
    const pod = await open(await newWorld())
    const { days, moments } = pod.caches
    const at = new Date('2024-02-28T10:00:00Z')
    const byId = async () => [await moments.get(at), await moments.getBy('label', 'hour 2')]
    const hour = await pod.prisma.hour.findUniqueOrThrow({ where: { at } })
    expect(await compare(pod, Promise.resolve([hour, hour]), byId)).toBe(2)
    // The database rounds it to seconds.
    const later = new Date('2024-02-28T23:00:00.4Z')
    await pod.prisma.hour.update({ where: { label: 'hour 2' }, data: { at: later } })
    expect(await byId()).toEqual([null, { ...hour, at: new Date('2024-02-28T23:00:00Z') }])
    expect(await moments.get(later)).toBeNull()
    const date = new Date('2024-02-28')
    const day = () => pod.prisma.day.findMany({ where: { date } })
    expect(await compare(pod, day(), async () => [await days.get(date)])).toBe(1)
    await pod.prisma.day.updateMany({
      where: { date: new Date('2024-02-28T12:00Z') },
      data: { label: 'new' },
    })
    // Until then, rows are not stored.
    await pod.writes.released()
    expect(await compare(pod, day(), () => days.getMany([date]))).toBe(1)
    await expect(days.get(new Date('2024-02-28T12:00Z'))).rejects.toThrow('a Date at midnight UTC')
  })
})
