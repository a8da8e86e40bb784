import { hasLockingReads, lockingRead, prepareLockingReads } from './locking-reads.js'

/** A driver adapter that returns what its transactions are sent. */
function adapterOf() {
  const startTransaction = async () => ({ queryRaw: async (query: Query): Promise<Query> => query })
  return { connect: async () => ({ startTransaction }) }
}
type Adapter = ReturnType<typeof adapterOf>
interface Query {
  readonly sql: string
  readonly args: readonly unknown[]
}

const clientOf = (provider: string, adapter?: Adapter): object => ({
  _activeProvider: provider,
  _engineConfig: { adapter },
})

const begin = async ({ connect }: Adapter) => (await connect()).startTransaction()

const select: Query = { sql: 'SELECT `id` FROM `Lot`', args: [1] }

describe('hasLockingReads', () => {
  it.each<[boolean, string]>([
    [true, 'mysql'],
    [false, 'postgresql'],
    [false, 'sqlite'],
  ])('%p: a SELECT of %s can lock what it finds', (expected, provider) => {
    expect(hasLockingReads(clientOf(provider))).toBe(expected)
  })
})

describe('lockingRead', () => {
  it('locks what a SELECT finds, once, with whichever clients of the adapter', async () => {
    const adapter = adapterOf()
    for (let clients = 0; clients < 2; clients++) prepareLockingReads(clientOf('mysql', adapter))
    const transaction = await begin(adapter)
    expect(await lockingRead(() => transaction.queryRaw(select))).toEqual({
      ...select,
      sql: `${select.sql} FOR UPDATE`,
    })
    expect(await transaction.queryRaw(select)).toBe(select)
  })

  it('leaves other statements as they are', async () => {
    const adapter = adapterOf()
    prepareLockingReads(clientOf('mysql', adapter))
    const transaction = await begin(adapter)
    const sent: Query[] = []
    const insert = { ...select, sql: 'INSERT INTO `Lot` SELECT' }
    expect(await lockingRead(async () => sent.push(await transaction.queryRaw(insert)))).toBeUndefined()
    expect(sent).toEqual([insert])
  })

  it.each<[string, string, boolean]>([
    ['connected before', 'mysql', true],
    ['is of another database', 'postgresql', false],
  ])('returns nothing if the client %s', async (_, provider, isEarly) => {
    const adapter = adapterOf()
    const early = await begin(adapter)
    prepareLockingReads(clientOf(provider, adapter))
    const { queryRaw } = isEarly ? early : await begin(adapter)
    expect(await lockingRead(() => queryRaw(select))).toBeUndefined()
  })

  it('leaves a client without a driver adapter as it is', () => {
    expect(() => prepareLockingReads(clientOf('mysql'))).not.toThrow()
  })
})
