/* oxlint-disable no-underscore-dangle -- that is how Prisma marks what is its own */
import { PrismaPg } from '@prisma/adapter-pg'
import { AlreadyExtendedError, extendPrisma } from 'model-cache'
import { verifyExtension } from 'model-cache/advanced'
import { Prisma, PrismaClient } from '#prisma/client/client.js'
import { RecordingCoordinator } from './recording-coordinator.js'

/** No server listens there. */
const adapter = new PrismaPg({ connectionString: 'postgresql://nobody@127.0.0.1:1/nothing' })

describe('verifyExtension', () => {
  it('finds nothing lost with the installed Prisma, without a connection', async () => {
    const client = new PrismaClient({ adapter })
    expect(await verifyExtension(client)).toEqual([])
    const extended = extendPrisma(client, new RecordingCoordinator())
    expect(await verifyExtension(extended)).toEqual([])
    expect(await verifyExtension(extended.$extends({ client: { hello: () => 1 } }))).toEqual([])
  })

  it('names the models that cannot be read, and why', async () => {
    const client = new PrismaClient({ adapter })
    const text = schemaOf(client)
    replaceSchema(client, text.replace(/^ +rating .*/m, '').replace(/^ +bundle +SponsorBundle .*/m, ''))
    expect(await verifyExtension(client)).toEqual([
      'It is unknown which rows a write to User affects, so each invalidates all rows of its model and of all related models (field User.rating is not in the schema)',
      'It is unknown which rows a write to SponsorBundle, Sponsor, Fundraiser affects, so each invalidates all rows of its model and of all related models (field Sponsor.bundle is not in the schema)',
    ])
  })

  it('reports a missing schema', async () => {
    const client = new PrismaClient({ adapter })
    replaceSchema(client, '')
    const losses = await verifyExtension(client)
    expect(losses).toHaveLength(Object.keys(Prisma.ModelName).length)
    expect(losses).toContainEqual(
      expect.stringMatching(
        /^It is unknown which rows a write to User affects, .* \(model User is not in the schema\)$/,
      ),
    )
  })

  it('reports queries and transactions that it cannot capture', async () => {
    const client = new PrismaClient({ adapter })
    const otherwise = async () => null
    // A Prisma whose queries, transactions and ends take unknown ways.
    const deaf = {
      $extends: () => ({
        ...Object.fromEntries(Object.keys(client).map((name) => [name, { create: () => otherwise() }])),
        $transaction: otherwise,
        _createPrismaPromise: otherwise,
      }),
    }
    const stranger = Object.create(client, { _originalClient: { value: { _appliedParent: deaf } } })
    expect(await verifyExtension(stranger)).toEqual([
      expect.stringContaining('Queries take another way to the database, so no write is captured'),
      expect.stringContaining('A query cannot be put into a transaction'),
      expect.stringContaining('Writes in a transaction cannot be recognised'),
      expect.stringContaining('The end of a transaction cannot be observed'),
      expect.stringContaining('Batches cannot be recognised'),
      expect.stringContaining('Queries of a batch do not show what they are'),
    ])
  })

  it('reports a client without models', async () => {
    expect(await verifyExtension({})).toEqual(['The client has no models, so no write is captured'])
  })
})

describe('extendPrisma', () => {
  it('refuses a client whose writes are announced already, whatever extensions it has', () => {
    const client = new PrismaClient({ adapter })
    const before = client.$extends({ client: { hello: () => 1 } })
    const extended = extendPrisma(client, new RecordingCoordinator())
    const after = extended.$extends({ client: { hello: () => 1 } })
    for (const again of [client, extended, before, after]) {
      expect(() => extendPrisma(again, new RecordingCoordinator())).toThrow(AlreadyExtendedError)
    }
  })

  it('refuses objects that are not clients, and invalid limits', () => {
    const recorder = new RecordingCoordinator()
    expect(() => extendPrisma({}, recorder)).toThrow(
      'option "prisma" is an object (Object); expected a Prisma client.',
    )
    expect(() => extendPrisma(new PrismaClient({ adapter }), recorder, { maxRows: 0 })).toThrow(
      'option "maxRows" is 0; expected a whole number of rows, at least 1.',
    )
    const endless = { transactionTimeoutMs: 2 ** 31 }
    expect(() => extendPrisma(new PrismaClient({ adapter }), recorder, endless)).toThrow(
      'option "transactionTimeoutMs" is 2147483648; expected milliseconds, from 1 to 3600000.',
    )
  })
})

function schemaOf(client: PrismaClient): string {
  return (client as unknown as { _engineConfig: { inlineSchema: string } })._engineConfig.inlineSchema
}

function replaceSchema(client: PrismaClient, inlineSchema: string): void {
  const internals = client as unknown as { _engineConfig: object }
  internals._engineConfig = { ...internals._engineConfig, inlineSchema }
}
