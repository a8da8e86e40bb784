/** The process that serves: `serve.ts observed,bare` or one of them, with VALKEY_URL. */
import { Inject, type ModuleMetadata } from '@nestjs/common'
import { APP_INTERCEPTOR, ModulesContainer } from '@nestjs/core'
import { Parent, Query, ResolveField, Resolver } from '@nestjs/graphql'
import type { NestFastifyApplication } from '@nestjs/platform-fastify'
import {
  EventLoopLagInterceptor,
  getModelCacheToken,
  ModelCacheModule,
  ModelCacheWrites,
  type ModelCache,
} from 'model-cache'
import { createModelCache, ValkeyStore } from 'model-cache/advanced'
import type { AuctionItem } from '#prisma/client/client.js'
import { defineLots, sourceOf } from '../../harness/fixtures/lot-cache.ts'
import { buildLots, LOTS_PER_USER } from '../../harness/fixtures/lots.ts'
import { createGraphqlApp, decorate, listenOn } from '../../harness/graphql/app.ts'
import { lotFields } from '../../harness/graphql/lot-type.ts'
import { serveParent } from '../../harness/process.ts'
import { cpuTime } from '../../harness/processor.ts'

/** With interceptor and metrics, or with none of them. */
export type ServedAs = 'observed' | 'bare'

const lots = buildLots()
const ids = [...lots.keys()].slice(0, LOTS_PER_USER)
const load = async (wanted: readonly string[]): Promise<AuctionItem[]> => wanted.map((id) => lots.get(id)!)
const CACHE = Symbol('the cache of lots')
/** The same for both applications: the second finds the rows that the first has stored. */
const definition = defineLots({ name: 'ServedLot' })
const url = process.env.VALKEY_URL!

class LotResolver {
  readonly #cache: ModelCache<AuctionItem, string>

  constructor(cache: ModelCache<AuctionItem, string>) {
    this.#cache = cache
  }

  page(): Promise<(AuctionItem | null)[]> {
    return this.#cache.getMany(ids)
  }

  similar({ id }: AuctionItem): Promise<AuctionItem | null> {
    return this.#cache.get(ids[(ids.indexOf(id) + 1) % ids.length]!)
  }
}

Inject(CACHE)(LotResolver, undefined, 0)
Resolver('Lot')(LotResolver)
decorate(LotResolver, 'page', Query())
decorate(LotResolver, 'similar', ResolveField(), Parent())

/** What gives the same resolvers the same cache. */
const parts: Readonly<Record<ServedAs, () => Promise<Pick<ModuleMetadata, 'imports' | 'providers'>>>> = {
  async observed() {
    const withLoad = {
      ...definition,
      dependsOn: [],
      load: (_: unknown, wanted: readonly string[]) => load(wanted),
    }
    return {
      imports: [
        ModelCacheModule.forRoot({ valkey: { url } }),
        ModelCacheModule.forFeature([withLoad as never]),
      ],
      providers: [
        { provide: CACHE, useExisting: getModelCacheToken(definition) },
        { provide: APP_INTERCEPTOR, useExisting: EventLoopLagInterceptor },
      ],
    }
  },
  async bare() {
    const store = new ValkeyStore({ url })
    await store.connect()
    // As with the module: looking for a transaction is part of a read.
    const writes = new ModelCacheWrites()
    const cache = createModelCache(definition, { store, source: sourceOf(load), writes })
    return { providers: [{ provide: CACHE, useValue: cache }] }
  },
}

const typeDefs = `
  type Query { page: [Lot!]! }
  type Lot { ${lotFields} similar: Lot! }
`

/** A part that works while an application runs, whether it gets requests or not. */
interface Sampler {
  start(): void
  stop(): void
}

const urls: Partial<Record<ServedAs, string>> = {}
const samplers: Sampler[] = []
for (const served of process.argv[2]!.split(',') as ServedAs[]) {
  const { imports, providers = [] } = await parts[served]()
  const app = await createGraphqlApp(typeDefs, { imports, providers: [LotResolver, ...providers] })
  urls[served] = await listenOn(app)
  if (served === 'observed') samplers.push(...samplersOf(app))
}

const methods = serveParent(
  {
    /** Starts observing, or stops it while the bare application is measured. @returns the processor time so far */
    switchTo(served: ServedAs): number {
      for (const part of samplers) {
        if (served === 'observed') part.start()
        else part.stop()
      }
      return cpuTime()
    },
  },
  urls,
)
export type Serving = typeof methods

/** Both applications share these parts of the process, so they must rest while the bare one is measured. */
function samplersOf(app: NestFastifyApplication): Sampler[] {
  const providers = [...app.get(ModulesContainer).values()].flatMap((module) => [...module.providers])
  return ['LagSampler', 'EventLoopPressure', 'EVENT_LOOP_METRICS'].map((name) => {
    const found = providers.find(([token]) => nameOf(token) === name)
    if (!found) throw new Error(`The observed application has no ${name}.`)
    return found[1].instance as Sampler
  })
}

function nameOf(token: unknown): unknown {
  if (typeof token === 'function') return token.name
  return typeof token === 'symbol' ? token.description : token
}
