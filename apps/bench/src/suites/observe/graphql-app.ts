import 'reflect-metadata'
import { Inject, Module, type DynamicModule } from '@nestjs/common'
import { APP_INTERCEPTOR, NestFactory } from '@nestjs/core'
import { GraphQLModule, Parent, Query, ResolveField, Resolver } from '@nestjs/graphql'
import { MercuriusDriver, type MercuriusDriverConfig } from '@nestjs/mercurius'
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify'
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
import { decorate } from '../../harness/graphql/decorate.ts'
import { lotFields, lotFieldTypes, scalars } from '../../harness/graphql/lot-type.ts'

const lots = buildLots()
const ids = [...lots.keys()].slice(0, LOTS_PER_USER)
const load = async (wanted: readonly string[]): Promise<AuctionItem[]> => wanted.map((id) => lots.get(id)!)
const CACHE = Symbol('the cache of lots')
/** The same for both applications: the second finds the rows that the first has stored. */
const MODEL = 'ServedLot'

/** With interceptor and metrics, or with none of them. */
export type ServedAs = 'observed' | 'bare'

const typeDefs = `
  ${lotFieldTypes}
  type Query { page: [Lot!]! }
  type Lot { ${lotFields} similar: Lot! }
`

const graphql = (): DynamicModule =>
  GraphQLModule.forRoot<MercuriusDriverConfig>({
    driver: MercuriusDriver,
    typeDefs,
    resolvers: scalars as never,
    jit: 1,
  })

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
decorate(LotResolver, 'similar', ResolveField())
Parent()(LotResolver.prototype, 'similar', 0)

/** The same resolvers over the same cache, observed or bare. */
export async function createGraphqlApp(served: ServedAs, url: string): Promise<NestFastifyApplication> {
  const root = served === 'observed' ? await observed(url) : await bare(url)
  return NestFactory.create<NestFastifyApplication>(root, new FastifyAdapter(), { logger: false })
}

class RootModule {}
Module({})(RootModule)

async function observed(url: string): Promise<DynamicModule> {
  const definition = defineLots({ name: MODEL })
  const withLoad = {
    ...definition,
    dependsOn: [],
    load: (_: unknown, wanted: readonly string[]) => load(wanted),
  }
  return {
    module: RootModule,
    imports: [
      ModelCacheModule.forRoot({ valkey: { url } }),
      ModelCacheModule.forFeature([withLoad as never]),
      graphql(),
    ],
    providers: [
      LotResolver,
      { provide: CACHE, useExisting: getModelCacheToken(MODEL) },
      { provide: APP_INTERCEPTOR, useExisting: EventLoopLagInterceptor },
    ],
  }
}

async function bare(url: string): Promise<DynamicModule> {
  const store = new ValkeyStore({ url })
  await store.connect()
  const cache = createModelCache(defineLots({ name: MODEL }), {
    store,
    source: sourceOf(load),
    // As with the module: looking for a transaction is part of a read.
    writes: new ModelCacheWrites(),
  })
  return {
    module: RootModule,
    imports: [graphql()],
    providers: [LotResolver, { provide: CACHE, useValue: cache }],
  }
}
