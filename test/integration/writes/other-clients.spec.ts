/* oxlint-disable no-underscore-dangle -- that is how Prisma marks what is its own */
import { extendPrisma } from 'model-cache'
import { createPrismaSource } from 'model-cache/advanced'
import { PrismaClient } from '#prisma/client/client.js'
import { useOpened } from '../../support/use-opened.js'
import { openWritesFixture } from './writes-fixture.js'

const fixture = useOpened(openWritesFixture)

beforeEach(async () => {
  fixture.recorder.caches = { GuestUser: [['id']] }
  await fixture.recorder.take()
})

describe('a client whose schema cannot be read', () => {
  it('invalidates all rows of all models', async () => {
    const { openClient, recorder } = fixture
    const client = openClient()
    const internals = client as unknown as { _engineConfig: object }
    internals._engineConfig = { ...internals._engineConfig, inlineSchema: '' }
    const prisma = extendPrisma(client, recorder)
    recorder.caches = { AuctionBid: [['id']], FeatureFlags: [['id']] }
    await prisma.guestUser.create({ data: { id: 'blind', name: 'one', email: '' } })
    await prisma.$transaction([prisma.guestUser.delete({ where: { id: 'blind' } })])
    expect(await recorder.take()).toEqual([
      'markWritten all AuctionBid: unknown',
      'markWritten all FeatureFlags: unknown',
      'fence',
      'end',
      '2: markWritten all AuctionBid: unknown',
      '2: markWritten all FeatureFlags: unknown',
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
    const { plain, recorder } = fixture
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
