import { Test } from '@nestjs/testing'
import { type } from 'arktype'
import { createSqliteDemo } from '../../../../test/support/sqlite-demo.js'
import { useOpened } from '../../../../test/support/use-opened.js'
import { defineModelCache } from '../cache/policy/definition.js'
import { MemoryStore, ModelCacheWrites } from '../protocol/index.js'
import { coordinatorOf } from '../source/prisma/extended-clients.js'
import { ModelCacheModule } from './model-cache.module.js'
import { eventLoopOptionsOf, type ModelCacheModuleOptions, namespaceOf } from './model-cache.options.js'
import {
  getCacheStateToken,
  getModelCacheStoreToken,
  getModelCacheToken,
  getModelCacheWritesToken,
  getObserverToken,
  MODEL_CACHE_OBSERVER,
  MODEL_CACHE_STATE,
  MODEL_CACHE_STORE,
  InjectModelCache,
} from './model-cache.tokens.js'
import { nestLog } from './nest-log.js'
import { provideExtendedPrisma } from './provide-extended-prisma.js'

const posts = defineModelCache<{ id: string }>()({
  model: 'Post',
  schema: type({ id: 'string' }),
  id: 'id',
  ttl: '1m',
})

describe('ModelCacheModule.forRoot', () => {
  it.each(['1st', 'a b', 'a!', '', ['billing'], null])('refuses the name %j', (name) => {
    expect(() => ModelCacheModule.forRoot({ name: name as string })).toThrow('option "name" is ')
  })

  it.each([undefined, null])('refuses %j for its options', (options) => {
    expect(() => ModelCacheModule.forRoot(options as never)).toThrow(
      `the options of ModelCacheModule are ${options}; expected an object.`,
    )
  })

  it.each(['billing', 'B2', 'eu-west_1.billing'])('accepts the name %s', (name) => {
    expect(() => ModelCacheModule.forRoot({ name })).not.toThrow()
  })
})

describe('ModelCacheModule.forRootAsync', () => {
  type Origin = Parameters<typeof ModelCacheModule.forRootAsync>[0]
  const start = async (origin: Origin): Promise<void> => {
    const root = ModelCacheModule.forRootAsync(origin)
    const testing = Test.createTestingModule({ imports: [root] })
    await testing.setLogger({ log() {}, warn() {}, error() {} }).compile()
  }
  const refusal = (problem: RegExp) => ({
    code: 'E_INVALID_OPTION',
    message: expect.stringMatching(problem) as string,
  })
  const withoutOptions =
    /^model-cache: the options of ModelCacheModule are .*; expected an object\..*`\(\) => \(/

  it.each([undefined, null, 'valkey://app:secret@valkey'])(
    'refuses a factory that returns %j',
    async (options) => {
      for (const useFactory of [() => options, () => Promise.resolve(options)])
        await expect(start({ useFactory: useFactory as never })).rejects.toMatchObject(
          refusal(withoutOptions),
        )
      await expect(start({ useFactory: () => options as never })).rejects.toThrow(/^((?!secret).)*$/)
    },
  )

  it('refuses a class that returns no options, or cannot', async () => {
    class Missing {
      create(): never {
        return undefined as never
      }
    }
    class Other {
      createOptions(): object {
        return {}
      }
    }
    await expect(start({ useClass: Missing })).rejects.toMatchObject(refusal(withoutOptions))
    await expect(start({ useClass: Other as never })).rejects.toMatchObject(refusal(/has no method `create`/))
  })

  it('refuses to have options from nowhere, as in a circular import', async () => {
    const origins = [{}, { useClass: undefined }, { useExisting: undefined }, { useFactory: undefined }]
    for (const origin of origins)
      await expect(start(origin as Origin)).rejects.toMatchObject(
        refusal(/forRootAsync has none of `useFactory`, .* two files import each other\.$/),
      )
  })

  it('refuses the name of a root where it has no effect', async () => {
    const useFactory = () => ({ name: 'billing', store: new MemoryStore(), registry: false as const })
    await expect(start({ useFactory })).rejects.toMatchObject(
      refusal(/returns the option "name", .*: forRootAsync\(\{ name: …, useFactory \}\)\.$/),
    )
    await expect(start({ name: 'orders', useFactory })).rejects.toMatchObject(
      refusal(/returns the option "name" as 'billing', and beside the factory it is 'orders', /),
    )
  })

  it('accepts the name of a root in both places', async () => {
    const useFactory = () => ({ name: 'billing', store: new MemoryStore(), registry: false as const })
    const roots = [
      ModelCacheModule.forRoot({ store: new MemoryStore(), registry: false }),
      ModelCacheModule.forRootAsync({ name: 'billing', useFactory }),
    ]
    const app = await Test.createTestingModule({ imports: roots }).compile()
    expect(app.get(getModelCacheWritesToken('billing'))).toBeInstanceOf(ModelCacheWrites)
  })
})

describe('ModelCacheModule.forFeature', () => {
  it.each([null, undefined, {}, 'Post'])('refuses %j as a definition', (given) => {
    expect(() => ModelCacheModule.forFeature([given as never])).toThrow('"forFeature.0" is ')
  })

  it('explains undefined definitions, as in a circular import', () => {
    const explained =
      /is undefined; expected .* undefined while two files import each other: declare it in a file that/
    expect(() => ModelCacheModule.forFeature([undefined as never])).toThrow(explained)
    expect(() => ModelCacheModule.forFeature(undefined as never)).toThrow(explained)
    expect(() => InjectModelCache(undefined as never)).toThrow(explained)
    expect(() => provideExtendedPrisma(undefined as never, () => ({}))).toThrow(explained)
  })
})

describe('tokens', () => {
  it('are those that are exported for the unnamed root', () => {
    expect([getModelCacheWritesToken(), getModelCacheStoreToken()]).toEqual([
      ModelCacheWrites,
      MODEL_CACHE_STORE,
    ])
    expect([getCacheStateToken(), getObserverToken()]).toEqual([MODEL_CACHE_STATE, MODEL_CACHE_OBSERVER])
  })

  it('have the name of another root', () => {
    const tokens = [
      getModelCacheWritesToken,
      getModelCacheStoreToken,
      getCacheStateToken,
      getObserverToken,
    ].map((tokenOf) => tokenOf('billing'))
    for (const token of tokens) expect(token).toMatch(/:billing$/)
    expect(new Set(tokens).size).toBe(tokens.length)
  })

  it('name the cache of a definition, which a name stands for', () => {
    expect(getModelCacheToken(posts)).toMatch(/^ModelCache:Post \(/)
    expect(getModelCacheToken('Post')).toBe(getModelCacheToken(posts))
    expect(getModelCacheToken('Post', 'billing')).toMatch(/^ModelCache:billing:Post \(/)
  })
})

describe('the options of a root', () => {
  it.each<[ModelCacheModuleOptions, string | undefined, string]>([
    [{}, undefined, 'mc'],
    [{}, 'billing', 'mc:billing'],
    [{ namespace: 'shop' }, undefined, 'shop'],
    [{ namespace: 'shop' }, 'billing', 'shop'],
  ])('%j of the root %s have a namespace', (options, root, namespace) => {
    expect(namespaceOf(options, root)).toBe(namespace)
  })

  it.each<[ModelCacheModuleOptions, object]>([
    [{}, {}],
    [{ eventLoop: { budgetMs: 2 } }, { budgetMs: 2 }],
    [
      { registry: false, metricsPrefix: 'app_', namespace: 'shop' },
      { registry: false, metricsPrefix: 'app_' },
    ],
  ])('%j have some of the event loop', (options, expected) => {
    expect(eventLoopOptionsOf(options)).toStrictEqual(expected)
  })
})

describe('provideExtendedPrisma', () => {
  const demo = useOpened(createSqliteDemo)

  it('creates an instance of a class, with options', async () => {
    class PrismaService {
      constructor() {
        return demo.client()
      }
    }
    const writes = new ModelCacheWrites()
    const { inject, provide, useFactory } = provideExtendedPrisma(PrismaService, {
      root: 'billing',
      reads: 'all',
    })
    expect(provide).toBe(PrismaService)
    expect(inject).toEqual([{ token: getModelCacheWritesToken('billing'), optional: true }])
    const client = await useFactory(writes)
    expect(coordinatorOf(client)).toBe(writes)
    expect(client).toHaveProperty('$uncached')
  })

  it.each([
    [undefined, 'no module imports ModelCacheModule.forRoot({ ... })'],
    ['billing', "no module imports ModelCacheModule.forRoot({ name: 'billing', ... })"],
  ])('says that a root is missing: %s', async (root, message) => {
    class PrismaService {}
    const provider = provideExtendedPrisma(PrismaService, { ...(root !== undefined && { root }) })
    await expect(Test.createTestingModule({ providers: [provider] }).compile()).rejects.toMatchObject({
      code: 'E_MISSING_ROOT',
      message: expect.stringMatching(
        /provideExtendedPrisma\(PrismaService\) announces writes to caches, but /,
      ),
    })
    await expect(Test.createTestingModule({ providers: [provider] }).compile()).rejects.toThrow(message)
  })

  it('refuses a token that is no class without a factory', () => {
    expect(() => provideExtendedPrisma('PRISMA' as never, { reads: 'all' })).toThrow(
      'option "factory" is an object (Object); expected a function that creates the client',
    )
  })
})

it('logs warnings as such, and the rest as it is', () => {
  const lines: string[] = []
  const logger = {
    warn: (message: string) => void lines.push(`warn ${message}`),
    log: (message: string) => void lines.push(`log ${message}`),
  }
  const log = nestLog(logger as never)
  log.warn('one')
  log.info('two')
  expect(lines).toEqual(['warn one', 'log two'])
})
