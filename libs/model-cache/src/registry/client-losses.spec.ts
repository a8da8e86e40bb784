/* oxlint-disable no-underscore-dangle -- that is how Prisma marks what is its own */
import { createSqliteDemo } from '../../../../test/support/sqlite-demo.js'
import { useOpened } from '../../../../test/support/use-opened.js'
import { ModelCacheWrites } from '../protocol/index.js'
import { extendPrisma } from '../source/prisma/extend-prisma.js'
import { lossesWith } from './prisma-client.js'

/** Has a client say another schema. */
function withSchema<Client extends object>(client: Client, change: (text: string) => string): Client {
  const internals = client as unknown as { _engineConfig: { inlineSchema: string } }
  const { _engineConfig: config } = internals
  internals._engineConfig = { ...config, inlineSchema: change(config.inlineSchema) }
  return client
}

const demo = useOpened(createSqliteDemo)

describe('lossesWith', () => {
  it('has no losses of a client that is extended for the root', async () => {
    const writes = new ModelCacheWrites()
    const client = extendPrisma(demo.client(), writes)
    expect(await lossesWith(client, writes, {})).toEqual([])
    expect(await lossesWith(client, writes, { consistency: { mode: 'strict' } })).toEqual([])
  })

  it('refuses a client in strict mode whose writes cannot all be planned, which is a loss otherwise', async () => {
    const writes = new ModelCacheWrites()
    const client = extendPrisma(
      withSchema(demo.client(), (text) => text.replace(/^ +rating .*/m, '')),
      writes,
    )
    expect(await lossesWith(client, writes, { consistency: { mode: 'available' } })).toEqual([
      expect.stringContaining('field User.rating is not in the schema'),
    ])
    await expect(lossesWith(client, writes, { consistency: { mode: 'strict' } })).rejects.toMatchObject({
      code: 'E_PRISMA_INTERNALS',
    })
  })

  it("has none with writes: 'manual', unless the writes of the client reach other caches", async () => {
    const manual = { writes: 'manual' } as const
    expect(await lossesWith(demo.client(), new ModelCacheWrites(), manual)).toEqual([])
    const elsewhere = extendPrisma(demo.client(), new ModelCacheWrites())
    expect(await lossesWith(elsewhere, new ModelCacheWrites(), manual)).toEqual([
      expect.stringContaining('announces its writes to the caches of another root'),
    ])
  })

  it.each([
    ['available', ''],
    ['strict', ", and mode 'strict' has no effect"],
  ] as const)('says of a client that is not extended what mode %s is worth', async (mode, effect) => {
    expect(await lossesWith(demo.client(), new ModelCacheWrites(), { consistency: { mode } })).toEqual([
      expect.stringContaining(`until \`invalidate\` is called${effect}. Provide it with`),
    ])
  })
})
