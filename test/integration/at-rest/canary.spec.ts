import { eventually } from '../../support/eventually.ts'
import { useOpened } from '../../support/use-opened.js'
import { run } from '../doctor/command-line.ts'
import { type CanaryProcess, newPlanted, openCanaryWorld, type Planted, shownIn } from './canary.ts'
import { newKey } from './encrypted-world.ts'

const world = useOpened(openCanaryWorld, 60_000)

const names = [
  'first',
  'second',
  'created',
  'outside',
  'warmed',
  'guest',
  'absent',
  'email',
  'city',
  'otherCity',
  'emptyCity',
  'phone',
  'firstName',
  'guestName',
  'argument',
] as const

const userOf = (planted: Planted, id: string) => ({
  id,
  email: `${planted.email}@${id}.org`,
  firstName: planted.firstName!,
  lastName: 'Vögel',
  displayName: 'any',
  phone: planted.phone!,
  city: planted.city!,
  country: 'NZ',
  locale: 'en',
  timezone: 'UTC',
})

/** Reads in each way, in all processes at once, so that they lease the same rows. */
async function readAll(processes: readonly CanaryProcess[], planted: Planted): Promise<void> {
  const { absent, argument, city, emptyCity, first, guest, guestName, second } = planted
  await Promise.all(
    processes.map(async ({ guests, prisma, users }) => {
      for (let time = 0; time < 4; time++) {
        await Promise.all([users.get(first!), users.get(second!), users.get(absent!), guests.get(guest!)])
        await users.getBy('email', `${planted.email}@${first}.org`)
        await users.getBy('email', `${planted.email}@${absent}.org`)
        await users.list('ofCity', city!)
        await users.list('ofCity', emptyCity!)
        await prisma.user.findUnique({ where: { id: second! } })
        await prisma.user.findMany({ where: { city: city! }, orderBy: { rating: 'desc' } })
        await prisma.user.findMany({
          where: { city: city!, phone: planted.phone! },
          orderBy: { rating: 'asc' },
        })
        await prisma.user.count({ where: { firstName: { contains: argument! } } })
        await prisma.user.groupBy({ by: ['city'], where: { phone: planted.phone! }, _count: true })
        await prisma.guestUser.findMany({ where: { name: guestName! }, orderBy: { email: 'asc' } })
        await prisma.guestUser.aggregate({ where: { email: { not: argument! } }, _max: { name: true } })
      }
    }),
  )
}

async function writeAll({ guests, prisma, users }: CanaryProcess, planted: Planted): Promise<void> {
  const { city, created, first, guest, otherCity, outside, second } = planted
  await prisma.user.create({ data: userOf(planted, created!) })
  await prisma.user.update({ where: { id: first! }, data: { city: otherCity! } })
  await prisma.user.updateMany({ where: { city: city! }, data: { rating: { increment: 1 } } })
  await prisma.$transaction(async (client) => {
    await client.user.update({ where: { email: `${planted.email}@${second}.org` }, data: { rating: 3 } })
    await client.guestUser.update({ where: { id: guest! }, data: { email: `another ${planted.email}` } })
  })
  await prisma.user.upsert({
    where: { id: created! },
    update: { city: otherCity! },
    create: userOf(planted, created!),
  })
  await prisma.user.delete({ where: { id: created! } })
  await users.invalidate(second!)
  await guests.invalidateAll()
  // Past Prisma, so that the follower names them.
  await prisma.$queryRaw`SELECT 1`
  const values = userOf(planted, outside!)
  const columns = Object.keys(values)
  await world.sql.query(
    `INSERT INTO "User" (${columns.map((name) => `"${name}"`).join(', ')}, "updatedAt")
     VALUES (${columns.map((_, i) => `$${i + 1}`).join(', ')}, now())`,
    Object.values(values),
  )
  await world.sql.query('UPDATE "User" SET city = $1 WHERE id = $2', [otherCity, outside])
  await eventually(async () => (await users.get(outside!))?.city === otherCity)
  await world.sql.query('DELETE FROM "User" WHERE id = $1', [outside])
  await eventually(async () => (await users.get(outside!)) === null)
}

/** As a person looks, through the process that mounts it. */
async function inspect({ url }: CanaryProcess, planted: Planted): Promise<void> {
  const base = `${url}/inspector/api/v1`
  const encoded = (text: string): string => encodeURIComponent(text)
  const headers = { 'x-model-cache-inspector': '1' }
  for (const path of [
    'caches',
    'processes',
    'history',
    'queries',
    'recent?cache=User',
    `row?cache=User&id=${encoded(planted.first!)}`,
    `entry?cache=User&lookup=email&key=${encoded(`${planted.email}@${planted.first}.org`)}`,
    `entry?cache=User&lookup=ofCity&key=${encoded(planted.city!)}`,
  ]) {
    const { status } = await fetch(`${base}/${path}`, { headers })
    expect([path, status]).toEqual([path, 200])
  }
  const invalidated = await fetch(`${base}/invalidate?cache=User&id=${encoded(planted.second!)}`, {
    method: 'POST',
    headers,
  })
  expect(invalidated.ok).toBe(true)
}

async function command(namespace: string, planted: Planted, more: readonly string[]): Promise<void> {
  const email = `${planted.email}@${planted.first}.org`
  for (const args of [
    ['caches'],
    ['explain', 'User', planted.first!, ...more],
    ['explain', 'User', 'email', email, ...more],
    ['invalidate', 'User', planted.first!, ...more],
    ['invalidate', 'User', '--lookup', 'email', email, ...more],
    ['doctor'],
  ]) {
    const { code, errors, output } = await run([
      ...args,
      '--valkey',
      world.valkeyUrl,
      '--namespace',
      namespace,
    ])
    if (code === 2) throw new Error(`${args.join(' ')}: ${errors}${output}`)
  }
}

/** Everything at once. @returns all that was seen of it in Valkey */
async function work(namespace: string, planted: Planted, keys?: readonly ReturnType<typeof newKey>[]) {
  const atRest = keys && ({ keys, models: 'all', hashKeys: true } as const)
  const more = keys ? ['--keys', await world.writeKeys(keys)] : []
  const region = await world.start({ namespace, valkeyUrl: world.otherUrl })
  for (const id of [planted.first!, planted.second!, planted.warmed!])
    await region.prisma.user.create({ data: userOf(planted, id) })
  await region.prisma.guestUser.create({
    data: { id: planted.guest!, name: planted.guestName!, email: `${planted.email}@guest.org` },
  })
  await eventually(async () => {
    await region.users.getMany([planted.first!, planted.warmed!])
    const explained = await region.users.explain(planted.warmed!)
    return explained.stored.isHit
  })
  const watched = await world.watch()
  const start = (warmsFrom?: string) =>
    world.start({ namespace, ...(atRest && { atRest }), ...(warmsFrom && { warmsFrom }) })
  const one = await start(world.otherUrl)
  const other = await start()
  await eventually(async () => (await one.users.explain(planted.first!)).stored.isHit)
  await readAll([one, other], planted)
  await writeAll(one, planted)
  await readAll([other, one], planted)
  await inspect(other, planted)
  await command(namespace, planted, more)
  const warm = ['warm', '--from', world.otherUrl, '--valkey', world.valkeyUrl, '--namespace', namespace]
  expect(await run([...warm, ...more])).toMatchObject({ code: 0 })
  await readAll([one, other], planted)
  for (const process of [one, other, region]) await process.close()
  const seen = await watched.stop()
  await world.sql.query('DELETE FROM "User"')
  await world.sql.query('DELETE FROM "GuestUser"')
  return seen
}

it('everything that is planted is seen in Valkey without encryption', async () => {
  const planted = newPlanted(...names)
  const seen = await work('clear', planted)
  const shown = shownIn(planted, seen)
  // Arguments of queries are never stored but as a digest.
  expect(Object.keys(shown)).toEqual(names.filter((name) => name !== 'argument'))
  const lines = new Set(Object.values(shown).flat())
  const places = [
    'STORED clear:{User:',
    'STORED clear:{User.results.city:',
    'STORED clear:{GuestUser.results:',
    'PUBLISHED clear:{User}:written',
    'PUBLISHED clear:{warm}',
    'PUBLISHED clear:{inspect}',
  ]
  const isIn = (place: string): boolean => Array.from(lines).some((line) => line.startsWith(place))
  expect(places.filter((place) => !isIn(place))).toEqual([])
}, 120_000)

it('nothing that is planted is seen in Valkey with encryption and hashed keys', async () => {
  const planted = newPlanted(...names)
  const seen = await work('hashed', planted, [newKey('2026-12'), newKey('2026-11')])
  expect(seen.length).toBeGreaterThan(500)
  expect(shownIn(planted, seen)).toEqual({})
}, 120_000)

it('a word is found however it is written', () => {
  const planted = { word: 'wordfedcba9876543210' }
  const bytes = Buffer.from(`ab${planted.word}cd`)
  const written = [0, 1, 2].flatMap((start) =>
    (['latin1', 'hex', 'base64', 'base64url'] as const).map((encoding) =>
      bytes.subarray(start).toString(encoding),
    ),
  )
  for (const text of written) expect(shownIn(planted, [text])).toEqual({ word: [text.slice(0, 200)] })
  expect(shownIn(planted, ['wordfedcba987654321', ''])).toEqual({})
})
