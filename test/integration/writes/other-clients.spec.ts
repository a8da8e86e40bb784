/* oxlint-disable no-underscore-dangle -- that is how Prisma marks what is its own */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { extendPrisma } from 'model-cache'
import { createPrismaSource } from 'model-cache/advanced'
import { PrismaClient } from '#prisma/client/client.js'
import { openDatabase } from '#prisma/database.js'
import { applyMigrations } from '#prisma/migrate.js'
import { RecordingCoordinator } from './recording-coordinator.js'

let folder: string
let close: () => Promise<void>
let plain: PrismaClient
let openClient: () => PrismaClient
const recorder = new RecordingCoordinator()

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'writes-'))
  const database = await openDatabase({ dataDir: join(folder, 'pglite') })
  await database.withSession(applyMigrations)
  const opened: PrismaClient[] = []
  openClient = () => {
    const client = new PrismaClient({ adapter: database.adapter })
    opened.push(client)
    return client
  }
  plain = openClient()
  close = async () => {
    for (const client of opened) await client.$disconnect()
    await database.close()
    await rm(folder, { recursive: true, force: true })
  }
})
afterAll(() => close())

beforeEach(async () => {
  recorder.caches = { GuestUser: [['id']] }
  await recorder.take()
})

describe('a client on PGlite, which has one connection', () => {
  it('announces writes of all kinds', async () => {
    const prisma = extendPrisma(openClient(), recorder)
    const { id } = await prisma.guestUser.create({ data: { name: 'one', email: '' } })
    const marked = `markWritten GuestUser {"id":"${id}"}`
    expect(await recorder.take()).toEqual([marked, 'fence', 'end'])
    await prisma.guestUser.updateMany({ where: { name: 'one' }, data: { name: 'two' } })
    expect(await recorder.take()).toEqual([marked, 'fence', 'end'])
    await prisma.$transaction([
      prisma.guestUser.update({ where: { id }, data: { name: 'three' } }),
      prisma.guestUser.deleteMany({ where: { name: 'three' } }),
    ])
    expect(await recorder.take()).toEqual([marked, marked, 'fence', 'end'])
    expect(await plain.guestUser.count()).toBe(0)
  })
})

describe('a client whose schema cannot be read', () => {
  it('invalidates all rows of the written model and of all related ones', async () => {
    const client = openClient()
    const internals = client as unknown as { _engineConfig: object }
    internals._engineConfig = { ...internals._engineConfig, inlineSchema: '' }
    const prisma = extendPrisma(client, recorder)
    recorder.caches = { AuctionBid: [['id']], FeatureFlags: [['id']] }
    await prisma.guestUser.create({ data: { id: 'blind', name: 'one', email: '' } })
    await prisma.$transaction([prisma.guestUser.delete({ where: { id: 'blind' } })])
    expect(await recorder.take()).toEqual([
      'markWritten all AuctionBid: unknown',
      'fence',
      'end',
      '2: markWritten all AuctionBid: unknown',
      '2: fence',
      '2: end',
    ])
  })
})

describe('a client that is a class of the application', () => {
  it('keeps its methods, and is extended below them', async () => {
    class Service extends PrismaClient {
      rename(id: string, name: string) {
        return this.guestUser.update({ where: { id }, data: { name } })
      }
    }
    await plain.guestUser.create({ data: { id: 'service', name: 'old', email: '' } })
    const { adapter } = (plain as unknown as { _engineConfig: { adapter: never } })._engineConfig
    const service = extendPrisma(new Service({ adapter }), recorder)
    expect(await service.rename('service', 'new')).toMatchObject({ name: 'new' })
    expect(await recorder.take()).toEqual(['markWritten GuestUser {"id":"service"}', 'fence', 'end'])
    const options = { name: 'Guests', model: 'Guest', idFields: ['id'] }
    expect(() => createPrismaSource(service, options)).toThrow(
      'no model "Guest"; it has GuestUser, User, Item',
    )
  })
})
