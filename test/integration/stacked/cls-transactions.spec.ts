import { Inject, Injectable } from '@nestjs/common'
import type { TransactionHost as Host } from '@nestjs-cls/transactional'
import type { TransactionalAdapterPrisma as Adapter } from '@nestjs-cls/transactional-adapter-prisma'
import type { PrismaClient } from '@prisma/client'
import { type CacheOf, ModelCacheWrites } from 'model-cache'
import type { ClsService as Cls } from 'nestjs-cls'
import { start, type Started } from '../configuration/application.js'
import { players, prismaToken, stackImports, useStackDatabase } from './stack.js'

// CommonJS, which can require the modules of Nest once these have been evaluated.
const { ClsModule, ClsService } = await import('nestjs-cls')
const { ClsPluginTransactional, InjectTransaction, Propagation, Transactional, TransactionHost } =
  await import('@nestjs-cls/transactional')
const { TransactionalAdapterPrisma } = await import('@nestjs-cls/transactional-adapter-prisma')

const database = useStackDatabase()

type Client = Adapter<PrismaClient>

/** Writes as applications do: it does not know whether it is in a transaction. */
@Injectable()
class Repository {
  constructor(
    @Inject(TransactionHost) private readonly host: Host<Client>,
    @InjectTransaction() private readonly injected: PrismaClient,
  ) {}

  rename(id: number, name: string): Promise<unknown> {
    return this.host.tx.player.update({ where: { id }, data: { name } })
  }

  async nameOf(id: number): Promise<string | undefined> {
    return (await this.host.tx.player.findUnique({ where: { id } }))?.name
  }

  async nameInProxy(id: number): Promise<string | undefined> {
    return (await this.injected.player.findUnique({ where: { id } }))?.name
  }

  @Transactional<Client>({ timeout: 20_000 })
  async within(work: () => Promise<unknown>): Promise<void> {
    await work()
  }

  @Transactional<Client>(Propagation.Nested)
  async nested(work: () => Promise<unknown>): Promise<void> {
    await work()
  }

  @Transactional<Client>(Propagation.RequiresNew)
  async apart(work: () => Promise<unknown>): Promise<void> {
    await work()
  }

  @Transactional<Client>(Propagation.NotSupported)
  async without(work: () => Promise<unknown>): Promise<void> {
    await work()
  }
}

const failure = new Error('rolled back')
const fail = async (): Promise<never> => {
  throw failure
}

describe.each(['before', 'after'] as const)(
  '@nestjs-cls/transactional, imported %s ModelCacheModule',
  (order) => {
    let started: Started
    let repository: Repository
    let cls: Cls
    let cache: CacheOf<typeof players>
    /** Statements of reads by the extended client since the last call. */
    let selects: () => number
    beforeAll(async () => {
      const statements: string[] = []
      const client = database.openClient({ log: [{ emit: 'event', level: 'query' }] })
      client.$on('query' as never, (({ query }: { query: string }) => statements.push(query)) as never)
      selects = () =>
        statements.splice(0).filter((text) => text.startsWith('SELECT "public"."Player"')).length
      const transactional = ClsModule.forRoot({
        global: true,
        plugins: [
          new ClsPluginTransactional({
            adapter: new TransactionalAdapterPrisma<PrismaClient>({
              prismaInjectionToken: prismaToken,
              sqlFlavor: 'postgresql',
            }),
            enableTransactionProxy: true,
          }),
        ],
      })
      const { imports } = stackImports(() => client, { definitions: [players], extended: { reads: 'all' } })
      started = await start(order === 'before' ? [transactional, ...imports] : [...imports, transactional], [
        Repository,
      ])
      repository = started.app.get(Repository)
      cls = started.app.get<Cls>(ClsService)
      cache = started.cache(players)
    })
    beforeEach(async () => {
      await cache.invalidateAll()
      await cache.get(1)
      selects()
    })
    afterAll(() => started.app.close())

    /** As each request has a context of its own. */
    const request = <T>(work: () => Promise<T>): Promise<T> => cls.run(work)
    const nameOf = async (id = 1): Promise<string | undefined> => (await cache.get(id))?.name

    it('reads what the transaction has written in it, and what is committed outside', async () => {
      const written = Promise.withResolvers<void>()
      const commit = Promise.withResolvers<void>()
      const writing = request(() =>
        repository.within(async () => {
          await repository.rename(1, 'new')
          expect(await nameOf()).toBe('new')
          expect(await repository.nameOf(1)).toBe('new')
          expect(await repository.nameInProxy(1)).toBe('new')
          expect((await cache.getMany([1, 2])).map((row) => row?.name)).toEqual(['new', 'player 2'])
          written.resolve()
          await commit.promise
        }),
      )
      await Promise.race([written.promise, writing])
      await request(async () => {
        expect(await nameOf()).toBe('player 1')
        expect(await repository.nameOf(1)).toBe('player 1')
      })
      commit.resolve()
      await writing
      expect(await request(() => repository.nameOf(1))).toBe('new')
      expect(await nameOf()).toBe('new')
    })

    it('stores nothing that a transaction reads', async () => {
      await cache.invalidate([1, 2])
      await expect(
        request(() =>
          repository.within(async () => {
            await repository.rename(1, 'uncommitted')
            await Promise.all([nameOf(1), nameOf(2), repository.nameOf(2), repository.nameInProxy(1)])
            await fail()
          }),
        ),
      ).rejects.toBe(failure)
      expect(await nameOf(1)).toBe('player 1')
      selects()
      expect(await nameOf(2)).toBe('player 2')
      expect(selects()).toBe(1)
    })

    it('leaves no fence behind if the transaction is rolled back', async () => {
      await expect(
        request(() =>
          repository.within(async () => {
            await repository.rename(1, 'uncommitted')
            await fail()
          }),
        ),
      ).rejects.toBe(failure)
      await started.app.get(ModelCacheWrites).released()
      expect(await nameOf()).toBe('player 1')
      selects()
      expect(await nameOf()).toBe('player 1')
      expect(selects()).toBe(0)
    })

    it('is right after a savepoint was rolled back', async () => {
      await request(() =>
        repository.within(async () => {
          await repository.rename(1, 'outer')
          const inner = repository.nested(async () => {
            await repository.rename(1, 'inner')
            await repository.rename(2, 'inner')
            expect(await nameOf()).toBe('inner')
            await fail()
          })
          await expect(inner).rejects.toBe(failure)
          expect([await nameOf(1), await nameOf(2)]).toEqual(['outer', 'player 2'])
        }),
      )
      expect([await nameOf(1), await nameOf(2)]).toEqual(['outer', 'player 2'])
    })

    it('commits a transaction of its own before the outer one, which is rolled back', async () => {
      await expect(
        request(() =>
          repository.within(async () => {
            await repository.rename(1, 'outer')
            await repository.apart(() => repository.rename(2, 'apart'))
            expect([await nameOf(1), await nameOf(2)]).toEqual(['outer', 'apart'])
            await fail()
          }),
        ),
      ).rejects.toBe(failure)
      expect([await nameOf(1), await nameOf(2)]).toEqual(['player 1', 'apart'])
    })

    it('commits a write outside of the transaction at once, while reads of caches stay in it', async () => {
      await request(() =>
        repository.within(async () => {
          await repository.rename(1, 'inside')
          await repository.without(async () => {
            await repository.rename(2, 'outside')
            expect(await repository.nameOf(1)).toBe('player 1')
            expect(await nameOf(1)).toBe('inside')
          })
          expect(await nameOf(2)).toBe('outside')
        }),
      )
      expect([await nameOf(1), await nameOf(2)]).toEqual(['inside', 'outside'])
    })
  },
)
