import { Global, Injectable, Module } from '@nestjs/common'
import { type } from 'arktype'
import { type CacheOf, InjectModelCache, ModelCacheModule, modelCaches } from 'model-cache'
import { failureOf, ownOptions, start } from './configuration/application.js'

const { defineModelCache } = modelCaches()
const rows = defineModelCache<{ id: string }>()({
  model: 'Hooked',
  schema: type({ id: 'string' }),
  id: 'id',
  ttl: '1m',
  dependsOn: [],
  load: async (_client: object, ids: readonly string[]) => ids.map((id) => ({ id })),
})

const read: string[] = []

/** Reads the cache in every hook. Its name is the first part of the ids. */
abstract class Reader {
  readonly #cache: CacheOf<typeof rows>

  constructor(cache: CacheOf<typeof rows>) {
    this.#cache = cache
  }

  onModuleInit = (): Promise<void> => this.#read('init')
  onApplicationBootstrap = (): Promise<void> => this.#read('bootstrap')
  onModuleDestroy = (): Promise<void> => this.#read('destroy')
  beforeApplicationShutdown = (): Promise<void> => this.#read('before shutdown')
  onApplicationShutdown = (): Promise<void> => this.#read('shutdown')

  async #read(hook: string): Promise<void> {
    const row = await this.#cache.get(`${this.constructor.name}: ${hook}`)
    read.push(row!.id)
  }
}

@Injectable()
class Dependency extends Reader {
  constructor(@InjectModelCache(rows) cache: CacheOf<typeof rows>) {
    super(cache)
  }
}

@Injectable()
class Dependent extends Reader {
  constructor(
    @InjectModelCache(rows) cache: CacheOf<typeof rows>,
    readonly dependency: Dependency,
  ) {
    super(cache)
  }
}

@Module({
  imports: [ModelCacheModule.forFeature([rows])],
  providers: [Dependent, Dependency],
})
class ReadersModule {}

@Injectable()
class GlobalReader extends Reader {
  constructor(@InjectModelCache(rows) cache: CacheOf<typeof rows>) {
    super(cache)
  }
}

@Global()
@Module({ imports: [ModelCacheModule.forFeature([rows])], providers: [GlobalReader] })
class GlobalModule {}

it('serves caches in every hook of the application, before and after those of the services they depend on', async () => {
  const { app } = await start([ReadersModule, ModelCacheModule.forRoot(ownOptions()), GlobalModule])
  await app.close()

  const hooks = ['init', 'bootstrap', 'destroy', 'before shutdown', 'shutdown']
  const readers = ['GlobalReader', 'Dependency', 'Dependent']
  expect(read.toSorted()).toEqual(
    readers.flatMap((reader) => hooks.map((hook) => `${reader}: ${hook}`)).toSorted(),
  )
})

it('says what to do about a hook that comes before that of forRoot', async () => {
  const { message } = await failureOf([GlobalModule, ModelCacheModule.forRoot(ownOptions())])
  expect(message).toMatch(
    /"Hooked": was used before ModelCacheModule\.forRoot has started.* Import ModelCacheModule\.forRoot before that module, or use/,
  )
})
