import { answeringPrisma } from '../../../../../../test/support/answering-prisma.js'
import { prepareLockingReads } from '../locking-reads.js'
import type { WrittenRow, WriteUnit } from '../../write-coordinator.js'
import {
  type Args,
  type CallbackTransaction,
  type PrismaTransaction,
  type QueryParams,
  transactionOf,
} from '../internals.js'
import { describeSchemaText } from '../schema/describe-schema.js'
import { WriteRunner } from './write-runner.js'

const { models } = describeSchemaText(`
datasource db {
  provider = "postgresql"
}
model Lot {
  id    String @id
  slug  String @unique
  state String
  bids  Bid[]
}
model Bid {
  id    String @id
  lotId String
  lot   Lot    @relation(fields: [lotId], references: [id], onDelete: Cascade)
}
model Note {
  id   String @id
  text String
}
`)

const conflict = Object.assign(new Error('deadlock'), {
  name: 'PrismaClientKnownRequestError',
  code: 'P2034',
})
const refused = Object.assign(new Error('refused'), {
  name: 'PrismaClientKnownRequestError',
  code: 'P2034',
  meta: { driverAdapterError: { name: 'DriverAdapterError', cause: { kind: 'TransactionWriteConflict' } } },
})
const lost = new Error('lost')

interface Caches {
  /** The key fields of a lookup of lots. */
  readonly lookup?: readonly string[]
  readonly prepare?: () => Promise<void>
}

/** A runner, and all that it does in order. */
async function running(
  provider = 'postgresql',
  answer: (query: string) => unknown = () => ({ id: 'l' }),
  { lookup, prepare }: Caches = {},
) {
  const log: string[] = []
  const { ask, client } = await answeringPrisma(
    provider,
    [...models.keys()],
    (query) => {
      log.push(query.startsWith('raw') ? 'lock' : query)
      if (query.includes('has_any')) return [{ may: true }]
      return answer(query)
    },
    prepareLockingReads,
  )
  /** The transaction of each query. */
  const sentIn: (string | number | undefined)[] = []
  let ids = 0
  const engine = (action: string) => async () => {
    log.push(action)
    const result = answer(action)
    if (result instanceof Error) throw result
  }
  const promiseIn =
    (transaction?: PrismaTransaction) => (callback: (own?: PrismaTransaction) => unknown) => ({
      // oxlint-disable-next-line unicorn/no-thenable -- a promise of Prisma runs its query when it is awaited
      then: () => void callback(transaction),
    })
  Object.assign(client, {
    _originalClient: Object.assign(client, { _appliedParent: client }),
    _createPrismaPromise: promiseIn(),
    _engine: { transaction: (action: string) => engine(action)() },
  })
  async function transactCallback(
    this: object,
    { callback, options }: CallbackTransaction,
  ): Promise<unknown> {
    log.push(`start ${JSON.stringify(options) ?? ''}`)
    const transaction = { kind: 'itx', id: `tx${++ids}` } as const
    const tx = Object.create(client, { _createPrismaPromise: { value: promiseIn(transaction) } }) as object
    const { _engine } = this as { readonly _engine: { transaction(action: string): Promise<unknown> } }
    let result: unknown
    try {
      result = await callback(tx)
    } catch (error) {
      await _engine.transaction('rollback')
      throw error
    }
    await _engine.transaction('commit')
    return result
  }
  const transactArray = async (): Promise<unknown> => {
    log.push('array')
    return ['array']
  }
  let units = 0
  const begin = (): WriteUnit => {
    const name = `u${++units}`
    log.push(`${name} begins`)
    return {
      markWritten: (model: string, rows: readonly WrittenRow[]) =>
        log.push(`${name} ${model} ${JSON.stringify(rows)}`),
      markAllWritten: (model: string, reason: string) => log.push(`${name} ${model}: ${reason}`),
      markCreated: (model: string, reason: string) => log.push(`${name} ${model} created: ${reason}`),
      markJoined: (model: string, rows: readonly WrittenRow[]) =>
        log.push(`${name} ${model} entered ${JSON.stringify(rows)}`),
      noteWrite: () => log.push(`${name} writes`),
      fence: async () => void log.push(`${name} fences`),
      end: async (end?: string) => void log.push(`${name} ends ${end}`),
    } as Partial<WriteUnit> as WriteUnit
  }
  const coordinator = {
    idFieldsOf: (name: string) => (name === 'Note' ? [] : [['id']]),
    lookupsOf: (name: string) =>
      lookup && name === 'Lot' ? [{ key: lookup, fields: lookup, through: undefined }] : [],
    prepare: () => {
      log.push('prepare')
      return prepare?.().then(() => void log.push('prepared'))
    },
    begin,
    within: async <T>(_: WriteUnit, __: object, work: () => Promise<T>) => work(),
  }
  const planning = {
    models,
    coordinator,
    limit: 3,
    groupsPerQuery: 2,
    returnsCreated: provider !== 'mysql',
    locksRows: true,
  }
  const methods = { query: async () => undefined, transactCallback, transactArray }
  const runner = new WriteRunner(client, methods as never, planning as never, 5)
  const run = (query: string, args: Args, transaction?: PrismaTransaction): Promise<unknown> => {
    const [model, operation] = query.split('.') as [string, string]
    const params = { model, action: operation, dataPath: [], args, transaction }
    const call = {
      model,
      operation,
      args,
      isComplete: true,
      params,
      query: async (given: object, passed: QueryParams = params) => {
        sentIn.push(passed.transaction?.id)
        return ask(`${model}.${passed.action}`, given)
      },
    }
    return runner.run(call).catch((error: unknown) => (log.push(`throws ${(error as Error).message}`), error))
  }
  const inCallback = (work: (transaction: PrismaTransaction) => Promise<unknown>): Promise<unknown> => {
    const callback = (tx: object): Promise<unknown> => work(transactionOf(tx)!)
    return runner
      .transactCallback(client, { callback, options: { timeout: 1 } })
      .catch((error: unknown) => error)
  }
  return { client, inCallback, log, run, runner, sentIn }
}

const shown = { where: { id: 'l' }, data: { state: 'x' } }
const hidden = { where: { slug: 'a' }, data: { state: 'x' } }
const nested = { where: { id: 'l' }, data: { bids: { create: { id: 'b' } } } }
const note = { where: { id: 'n' }, data: { text: 'x' } }
const own = '{"timeout":5,"maxWait":2147483647,"isolationLevel":"ReadCommitted"}'
const ownOfSqlite = '{"timeout":5,"maxWait":2147483647}'
const failing = (error: Error, at: string) => (query: string) => (query === at ? error : { id: 'l' })

describe('a write without a transaction', () => {
  it('is fenced before it runs, and ended after it', async () => {
    const { log, run } = await running()
    expect(await run('Lot.update', shown)).toEqual({ id: 'l' })
    expect(log).toEqual([
      'prepare',
      'u1 begins',
      'u1 Lot [{"id":"l"}]',
      'u1 fences',
      'Lot.update',
      'u1 ends known',
    ])
  })

  it('is planned once the caches are known', async () => {
    const { log, run } = await running('postgresql', undefined, { prepare: async () => {} })
    await run('Lot.update', shown)
    expect(log.slice(0, 3)).toEqual(['prepare', 'prepared', 'u1 begins'])
  })

  it('is noted if it affects no known cache', async () => {
    const { log, run } = await running()
    await run('Note.update', note)
    expect(log).toEqual(['prepare', 'u1 begins', 'u1 writes', 'u1 fences', 'Note.update', 'u1 ends known'])
  })

  it.each([
    ['known', conflict],
    ['unknown', lost],
  ])('ends %s if it fails', async (end, error) => {
    const { log, run } = await running('postgresql', () => error)
    expect(await run('Lot.update', shown)).toBe(error)
    expect(log.slice(-3)).toEqual(['Lot.update', `u1 ends ${end}`, `throws ${error.message}`])
  })

  it.each([
    ['postgresql', own],
    ['mysql', own],
    ['cockroachdb', ownOfSqlite],
  ])('gets one if only its result shows the rows: %s', async (provider, options) => {
    const { log, run } = await running(provider)
    expect(await run('Lot.update', hidden)).toEqual({ id: 'l' })
    expect(log).toEqual([
      'prepare',
      'u1 begins',
      `start ${options}`,
      'Lot.update',
      'u1 Lot [{"id":"l"}]',
      'u1 fences',
      'commit',
      'u1 ends known',
    ])
  })

  it('gets one if the database changes other rows with it', async () => {
    const { log, run } = await running()
    await run('Lot.delete', { where: { id: 'l' } })
    expect(log).toContain(`start ${own}`)
  })

  it('has no snapshot on MySQL, so that it reads each row once', async () => {
    const { log, run } = await running('mysql', () => [{ id: 'l', slug: 'a' }])
    await run('Lot.delete', { where: { slug: 'a' } })
    expect(log.filter((entry) => entry.startsWith('Lot'))).toEqual(['Lot.findMany FOR UPDATE', 'Lot.delete'])
  })

  it('is repeated up to ten times after a conflict', async () => {
    let left = 9
    const { log, run } = await running('postgresql', (query) =>
      query === 'Lot.update' && left-- > 0 ? conflict : { id: 'l' },
    )
    expect(await run('Lot.update', hidden)).toEqual({ id: 'l' })
    expect(log.filter((entry) => entry === 'Lot.update')).toHaveLength(10)
    const failed = await running('postgresql', failing(conflict, 'Lot.update'))
    expect(await failed.run('Lot.update', hidden)).toBe(conflict)
    expect(failed.log.filter((entry) => entry === 'Lot.update')).toHaveLength(10)
    const other = await running('postgresql', failing(lost, 'Lot.update'))
    expect(await other.run('Lot.update', hidden)).toBe(lost)
    expect(other.log.filter((entry) => entry === 'Lot.update')).toHaveLength(1)
  })

  it.each([
    ['COMMIT whose reply is lost', 'unknown', lost, 'commit'],
    ['COMMIT that is refused', 'known', conflict, 'commit'],
    ['ROLLBACK', 'unknown', lost, 'rollback'],
    ['ROLLBACK that is refused', 'unknown', conflict, 'rollback'],
  ])('ends after a failed %s: %s', async (_, end, error, at) => {
    const { log, run } = await running('postgresql', (query) =>
      query === at ? error : at === 'rollback' && query === 'Lot.update' ? lost : { id: 'l' },
    )
    await run('Lot.update', hidden)
    expect(log.filter((entry) => entry.includes('ends'))).toContain(`u1 ends ${end}`)
  })
})

describe('a write of SQLite that Prisma begins with a read', () => {
  it('is sent in a transaction that takes the lock before', async () => {
    const { log, run, sentIn } = await running('sqlite')
    expect(await run('Lot.update', nested)).toEqual({ id: 'l' })
    expect(sentIn).toEqual(['tx1', 'tx1'])
    expect(log).toEqual([
      'prepare',
      'u1 begins',
      'u1 Lot [{"id":"l"}]',
      'u1 Bid [{"id":"b"}]',
      'u1 fences',
      `start ${ownOfSqlite}`,
      'Lot.deleteMany',
      'Lot.update',
      'commit',
      'u1 ends known',
    ])
  })
})

describe('a write that needs no lock before', () => {
  const upsert = { where: { id: 'n' }, create: { id: 'm', text: 'x' }, update: {} }
  it.each<[string, string, string, Args]>([
    ['another database', 'postgresql', 'Lot.update', nested],
    ['no read', 'sqlite', 'Lot.update', shown],
    ['no cache', 'sqlite', 'Note.upsert', upsert],
  ])('is sent as it is: %s', async (_, provider, query, args) => {
    const { log, run, sentIn } = await running(provider)
    await run(query, args)
    expect(log.filter((entry) => entry.startsWith('start'))).toEqual([])
    expect(sentIn).toEqual([undefined])
  })
})

describe('a write beside a transaction on the same connection', () => {
  it('is fenced and ends with it, as it is committed with it', async () => {
    const { inCallback, log, run, sentIn } = await running('sqlite')
    await inCallback(async () => {
      await run('Lot.update', hidden)
      await run('Lot.update', nested)
      await run('Note.update', note)
    })
    expect(sentIn).toEqual([undefined, undefined, undefined])
    expect(log.filter((entry) => !/prepare|begins|Note/.test(entry))).toEqual([
      'start {"timeout":1}',
      'u2 Lot: unknown',
      'u2 fences',
      'Lot.update',
      'u3 Lot [{"id":"l"}]',
      'u3 Bid [{"id":"b"}]',
      'u3 fences',
      'Lot.update',
      'u4 writes',
      'u4 fences',
      'u1 Lot: unknown',
      'u1 Lot [{"id":"l"}]',
      'u1 Bid [{"id":"b"}]',
      'u1 fences',
      'commit',
      'u1 ends known',
      'u2 ends known',
      'u3 ends known',
      'u4 ends known',
    ])
  })
})

describe('a write in a callback', () => {
  it('marks nothing more if PostgreSQL refuses it, which then commits nothing', async () => {
    const { inCallback, log, run } = await running('postgresql', failing(refused, 'Lot.update'))
    await inCallback(async (transaction) => {
      await run('Lot.update', hidden, transaction)
      await run('Lot.create', { data: { id: 'm', slug: 'b', state: 'x' } }, transaction)
    })
    expect(log).toContain('throws refused')
    expect(log).not.toContain('u1 Lot: unknown')
    expect(log).not.toContain('u2 begins')
  })

  it('is part of its transaction in a savepoint', async () => {
    const { client, inCallback, log, runner } = await running()
    await inCallback(async (transaction) => {
      const create = (callback: (own: PrismaTransaction) => unknown) => ({
        // oxlint-disable-next-line unicorn/no-thenable -- a promise of Prisma runs its query when it is awaited
        then: () => void callback(transaction),
      })
      const tx = Object.create(client, { _createPrismaPromise: { value: create } }) as object
      return runner.transactCallback(tx, { callback: async () => 1 })
    })
    expect(log.filter((entry) => entry.includes('begins'))).toEqual(['u1 begins'])
  })

  it('is fenced and ended with its transaction', async () => {
    const { inCallback, log, run } = await running()
    await inCallback(async (transaction) => {
      await run('Lot.update', shown, transaction)
      await run('Note.update', note, transaction)
    })
    expect(log).toEqual([
      'u1 begins',
      'start {"timeout":1}',
      'prepare',
      'u1 Lot [{"id":"l"}]',
      'Lot.update',
      'prepare',
      'u1 writes',
      'Note.update',
      'u1 fences',
      'commit',
      'u1 ends known',
    ])
  })

  it('marks what it may have written if it fails and the callback goes on', async () => {
    const { inCallback, log, run } = await running('sqlite', failing(lost, 'Lot.update'))
    await inCallback((transaction) => run('Lot.update', hidden, transaction))
    expect(log.slice(-5)).toEqual(['throws lost', 'u1 Lot: unknown', 'u1 fences', 'commit', 'u1 ends known'])
  })

  it('has a unit of its own after an error that may have ended the transaction', async () => {
    const { inCallback, log, run } = await running('mysql', failing(conflict, 'Note.update'))
    await inCallback(async (transaction) => {
      await run('Note.update', note, transaction)
      await run('Lot.update', shown, transaction)
    })
    expect(log.slice(log.indexOf('throws deadlock'))).toEqual([
      'throws deadlock',
      'prepare',
      'u2 begins',
      'u2 Lot [{"id":"l"}]',
      'u2 fences',
      'Lot.update',
      'u2 ends unknown',
      'u1 Lot [{"id":"l"}]',
      'u1 fences',
      'commit',
      'u1 ends known',
    ])
  })

  it('has a unit of its own after a read whose error may have ended the transaction', async () => {
    const { inCallback, log, run, runner } = await running('mysql')
    await inCallback(async (transaction) => {
      expect(await runner.watch(transaction, Promise.resolve(1))).toBe(1)
      await expect(runner.watch(transaction, Promise.reject(conflict))).rejects.toBe(conflict)
      await run('Lot.update', shown, transaction)
    })
    expect(log).toContain('u2 ends unknown')
    await expect(runner.watch({ kind: 'itx', id: 'other' }, Promise.resolve(2))).resolves.toBe(2)
  })

  it('is not fenced if the callback fails', async () => {
    const { inCallback, log } = await running()
    expect(await inCallback(() => Promise.reject(lost))).toBe(lost)
    expect(log).toEqual(['u1 begins', 'start {"timeout":1}', 'rollback', 'u1 ends known'])
  })

  it('has a unit of its own after the callback has ended', async () => {
    const { inCallback, log, run } = await running()
    let ended: PrismaTransaction | undefined
    await inCallback(async (transaction) => (ended = transaction))
    log.length = 0
    await run('Lot.update', hidden, ended)
    await run('Note.update', note, ended)
    await run('Lot.create', { data: { slug: 'a', state: 'x' } }, ended)
    expect(log).toEqual([
      'prepare',
      'u2 begins',
      'u2 Lot: unknown',
      'u2 fences',
      'Lot.update',
      'u2 ends unknown',
      'prepare',
      'u3 begins',
      'u3 writes',
      'u3 fences',
      'Note.update',
      'u3 ends unknown',
      'prepare',
      'u4 begins',
      'u4 Lot created: unknown',
      'u4 fences',
      'Lot.create',
      'u4 ends unknown',
    ])
  })
})

describe('a batch', () => {
  it('is one unit, which its first query ends', async () => {
    const { log, run } = await running()
    const transaction = { kind: 'batch', id: 1 } as const
    await Promise.all([
      run('Lot.update', shown, transaction),
      run('Note.update', note, transaction),
      run('Lot.delete', { where: { id: 'm' } }, transaction),
    ])
    expect(log.filter((entry) => !entry.startsWith('Lot') && !entry.startsWith('Note')).toSorted()).toEqual([
      'prepare',
      'prepare',
      'prepare',
      'u1 Bid: cascade',
      'u1 Lot [{"id":"l"}]',
      'u1 Lot [{"id":"m"}]',
      'u1 begins',
      'u1 ends known',
      'u1 fences',
      'u1 fences',
      'u1 fences',
      'u1 writes',
    ])
    log.length = 0
    await run('Lot.update', shown, transaction)
    expect(log).toContain('u2 begins')
  })

  it.each<[string, string, Args, readonly string[]]>([
    [
      'new rows below',
      'Lot.create',
      { data: { id: 'm', bids: { create: {} } } },
      ['u1 Lot [{"id":"m"}]', 'u1 Bid created: nested', 'u1 Lot created: unknown'],
    ],
    [
      'rows that enter lookups',
      'Lot.update',
      { where: { id: 'l' }, data: { slug: 'b' } },
      ['u1 Lot [{"id":"l"}]', 'u1 Lot entered [{}]'],
    ],
  ])('marks what only results would show: %s', async (_, query, args, expected) => {
    const { log, run } = await running('postgresql', undefined, { lookup: ['slug', 'state'] })
    await run(query, args, { kind: 'batch', id: 1 })
    expect(log.filter((entry) => /^u1 [LB]/.test(entry))).toEqual(expected)
  })

  it('ends unknown if the database may have committed it', async () => {
    const { log, run } = await running('postgresql', () => lost)
    await run('Lot.update', shown, { kind: 'batch', id: 1 })
    expect(log).toContain('u1 ends unknown')
  })
})

describe('an array', () => {
  const promise = (action: string, args: unknown, model: string | undefined = 'Lot') => ({
    [Symbol.toStringTag]: 'PrismaPromise' as const,
    spec: { ...(model && { model }), action, args },
    requestTransaction: async ({ id }: PrismaTransaction) => `${action} in ${id}`,
  })
  it.each<[string, unknown, readonly string[]]>([
    ['of reads', [promise('findMany', {})], ['array']],
    ['whose arguments show all rows', [promise('update', shown)], ['prepare', 'array']],
    ['of a write to no cache', [promise('update', note, 'Note')], ['prepare', 'array']],
    ['of raw SQL', [{ ...promise('x', {}), spec: undefined }], ['array']],
    ['of a write to no model', [{ ...promise('x', {}), spec: { action: 'x' } }], ['prepare', 'array']],
    ['of something else', [promise('update', hidden), {}], ['array']],
    ['of something alike', [{ ...promise('update', hidden), [Symbol.toStringTag]: 'Promise' }], ['array']],
    ['of a promise of an extension', [{ ...promise('update', hidden), requestTransaction: null }], ['array']],
    ['of nothing', [promise('update', hidden), undefined], ['array']],
    ['that is none', 'none', ['array']],
    ['that is empty', [], ['array']],
  ])('%s runs as it is', async (_, promises, expected) => {
    const { client, log, runner } = await running()
    expect(await runner.transactArray(client, { promises: promises as never })).toEqual(['array'])
    expect(log).toEqual(expected)
  })

  it('runs in sequence if only results show the rows', async () => {
    const { client, log, runner } = await running()
    const promises = [promise('findMany', {}), promise('update', shown), promise('update', hidden)]
    const options = { timeout: 2 }
    expect(await runner.transactArray(client, { promises: promises as never, options })).toEqual([
      'findMany in tx1',
      'update in tx1',
      'update in tx1',
    ])
    expect(log).toEqual([
      'prepare',
      'u1 begins',
      'start {"timeout":2}',
      'u1 fences',
      'commit',
      'u1 ends known',
    ])
  })
})
