import { ModelCacheModule, modelCaches } from 'model-cache'
import type { EntryReport } from '@model-cache/inspector'
import type { Prisma } from '#prisma/client/client.js'
import { guests, type InspectedApplication, useInspectedApplications } from './inspected-application.js'

const world = useInspectedApplications()
const { defineModelCache } = modelCaches<Prisma.TypeMap>()
/** Another cache of the same rows, whose lists have an order and a condition. */
const addressed = defineModelCache('GuestUser', {
  name: 'Addressed',
  ttl: '1m',
  lists: {
    newest: {
      by: 'name',
      where: { email: { in: ['a@x', 'b@x'] } },
      orderBy: [{ createdAt: 'desc' }],
      limit: 2,
    },
  },
})

const users = defineModelCache('User', { ttl: '1m', unique: { byEmail: 'email' } })

let app: InspectedApplication
beforeAll(async () => {
  app = await world.start({ imports: [ModelCacheModule.forFeature([addressed, users])] })
})

const createGuests = (name: string, ids: readonly string[]) =>
  world.prisma.guestUser.createMany({ data: ids.map((id) => ({ id, name, email: `${id}@x` })) })

async function entryOf(key: string, { cache = 'GuestUser', lookup = 'named' } = {}): Promise<EntryReport> {
  const { json, status } = await app.get(
    `/inspector/api/v1/entry?${new URLSearchParams({ cache, lookup, key })}`,
  )
  expect(status).toBe(200)
  return json as EntryReport
}

/** Reads a list until it and its rows are stored. */
async function store(name: string): Promise<void> {
  const cache = app.cache(guests)
  while (!(await cache.explain('named', name)).stored.isHit) await cache.list('named', name)
  for (const { id } of await cache.list('named', name))
    while (!(await cache.explain(id)).stored.isHit) await cache.get(id)
}

const placesIn = ({ comparison }: EntryReport) =>
  comparison.rows.map(({ belongs, id, sourcePlace, storedPlace }) => [id, storedPlace, sourcePlace, belongs])

describe('an entry', () => {
  it('is that of the database, with its rows, their places, and what the store has of them', async () => {
    await createGuests('same', ['same-1', 'same-2'])
    await store('same')
    await app.cache(guests).invalidate('same-2')
    const entry = await entryOf('same')
    expect(entry).toMatchObject({ stored: { isHit: true }, ids: ['same-1', 'same-2'] })
    expect(entry.comparison).toEqual({
      outcome: 'same',
      error: null,
      storedRows: 2,
      sourceRows: 2,
      rows: [
        {
          id: 'same-1',
          storedPlace: 1,
          sourcePlace: 1,
          stored: {
            isHit: true,
            storedAt: expect.stringMatching(/Z$/),
            expiresAt: expect.stringMatching(/Z$/),
            bytes: expect.any(Number),
          },
          belongs: true,
          lastWrite: null,
        },
        {
          id: 'same-2',
          storedPlace: 2,
          sourcePlace: 2,
          stored: { isHit: false, reason: 'not_cached' },
          belongs: true,
          lastWrite: {
            at: expect.stringMatching(/Z$/),
            by: 'this process',
            process: entry.processes[0]!.process,
          },
        },
      ],
    })
  })

  it('differs where a row has joined past the cache, the rows that differ first', async () => {
    await createGuests('joined', ['joined-2', 'joined-3'])
    await store('joined')
    await createGuests('joined', ['joined-4'])
    const entry = await entryOf('joined')
    expect(entry.comparison).toMatchObject({ outcome: 'different', storedRows: 2, sourceRows: 3 })
    expect(placesIn(entry)).toEqual([
      ['joined-4', null, 3, true],
      ['joined-2', 1, 1, true],
      ['joined-3', 2, 2, true],
    ])
  })

  it('is outdated where a row has left, since a read notices that', async () => {
    await createGuests('left', ['left-1', 'left-2'])
    await store('left')
    await world.prisma.guestUser.update({ where: { id: 'left-1' }, data: { name: 'gone' } })
    await app.cache(guests).invalidate('left-1')
    const entry = await entryOf('left')
    expect(entry.comparison.outcome).toBe('outdated')
    expect(placesIn(entry)).toEqual([
      ['left-1', 1, null, false],
      ['left-2', 2, 1, true],
    ])
    expect(await app.cache(guests).list('named', 'left')).toMatchObject([{ id: 'left-2' }])
  })

  it('differs where the stored row does not say that it has left, as a read would deliver it', async () => {
    await createGuests('stale', ['stale-1'])
    await store('stale')
    await world.prisma.guestUser.update({ where: { id: 'stale-1' }, data: { name: 'gone' } })
    const entry = await entryOf('stale')
    expect(entry.comparison.outcome).toBe('different')
    expect(placesIn(entry)).toEqual([['stale-1', 1, null, true]])
    expect(await app.cache(guests).list('named', 'stale')).toMatchObject([{ id: 'stale-1' }])
  })

  it('that is not stored is shown as the database has it', async () => {
    await createGuests('unread', ['unread-1'])
    const entry = await entryOf('unread')
    expect(entry.ids).toBeNull()
    expect(entry.comparison).toMatchObject({ outcome: 'notStored', storedRows: null, sourceRows: 1 })
    expect(placesIn(entry)).toEqual([['unread-1', null, 1, true]])
    expect((await entryOf('unknown')).comparison).toMatchObject({
      outcome: 'notStored',
      sourceRows: 0,
      rows: [],
    })
  })

  it('that is empty is the same as that of the database', async () => {
    await store('empty')
    expect((await entryOf('empty')).comparison).toMatchObject({
      outcome: 'same',
      storedRows: 0,
      sourceRows: 0,
    })
  })

  it('says which rows the write has changed that invalidated it', async () => {
    await createGuests('written', ['written-1'])
    await store('written')
    await app.cache(guests).invalidateBy('named', 'written')
    const [{ lastUnknownWrite, lastWrite }] = (await entryOf('written')).processes as [
      EntryReport['processes'][number],
    ]
    expect(lastWrite).toEqual({
      at: expect.stringMatching(/Z$/),
      by: 'this process',
      rows: [],
      rowCount: 0,
    })
    expect(lastUnknownWrite).toBeNull()
    await app.cache(guests).invalidateAll()
    const [after] = (await entryOf('written')).processes
    expect(after!.lastUnknownWrite).toEqual({ at: expect.stringMatching(/Z$/), what: 'all' })
  })

  it('of a unique key is compared as one row', async () => {
    const user = {
      firstName: 'Ada',
      lastName: 'L',
      displayName: 'Ada L',
      country: 'IE',
      locale: 'en',
      timezone: 'UTC',
    }
    await world.prisma.user.create({ data: { id: 'u', email: 'ada@x', ...user } })
    const cache = app.cache(users)
    while (!(await cache.explain('byEmail', 'ada@x')).stored.isHit) await cache.getBy('byEmail', 'ada@x')
    const byEmail = { cache: 'User', lookup: 'byEmail' }
    expect((await entryOf('ada@x', byEmail)).comparison).toMatchObject({
      outcome: 'same',
      storedRows: 1,
      sourceRows: 1,
    })
    await world.prisma.user.delete({ where: { id: 'u' } })
    const { comparison } = await entryOf('ada@x', byEmail)
    expect(comparison).toMatchObject({ outcome: 'different', storedRows: 1, sourceRows: 0 })
    await app.cache(users).invalidate('u')
    expect((await entryOf('ada@x', byEmail)).comparison.outcome).toBe('outdated')
  })
})
