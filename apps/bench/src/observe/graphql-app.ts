import 'reflect-metadata'
import { Inject, Module, type DynamicModule } from '@nestjs/common'
import { APP_INTERCEPTOR, NestFactory } from '@nestjs/core'
import { GraphQLISODateTime, GraphQLModule, Parent, Query, ResolveField, Resolver } from '@nestjs/graphql'
import { MercuriusDriver, type MercuriusDriverConfig } from '@nestjs/mercurius'
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify'
import { GraphQLScalarType } from 'graphql'
import {
  EventLoopLagInterceptor,
  getModelCacheToken,
  ModelCacheModule,
  ModelCacheWrites,
  type ModelCache,
} from 'model-cache'
import { createModelCache, ValkeyStore } from 'model-cache/advanced'
import type { AuctionItem } from '#prisma/client/client.js'
import { defineLots } from '../cluster/define-lots.ts'
import { buildLots, LOTS_PER_USER } from '../storm/lots.ts'
import type { ServedAs } from './observe-measurements.ts'
import { lotFields } from './requests.ts'

const lots = buildLots()
const ids = [...lots.keys()].slice(0, LOTS_PER_USER)
const load = async (wanted: readonly string[]): Promise<AuctionItem[]> => wanted.map((id) => lots.get(id)!)
const CACHE = Symbol('the cache of lots')
/** Of both: who serves second finds the rows that the first has stored, and keys are of one length. */
const MODEL = 'ServedLot'

const typeDefs = `
  scalar DateTime
  scalar Decimal
  type Query { page: [Lot!]! }
  type Lot { ${Object.entries(lotFields)
    .map(([name, type]) => `${name}: ${type}`)
    .join(' ')} similar: Lot! }
  type Image { image: String preloadImage: String thumbnailImage: String smallImage: String mediumImage: String }
`
const scalars = {
  DateTime: GraphQLISODateTime,
  Decimal: new GraphQLScalarType<string, string>({ name: 'Decimal', serialize: String }),
}

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

// Node runs this file as it is, without its types, and decorators are no JavaScript yet.
Inject(CACHE)(LotResolver, undefined, 0)
Resolver('Lot')(LotResolver)
decorate('page', Query())
decorate('similar', ResolveField())
Parent()(LotResolver.prototype, 'similar', 0)

function decorate(method: 'page' | 'similar', decorator: MethodDecorator): void {
  const { prototype } = LotResolver
  decorator(prototype, method, Object.getOwnPropertyDescriptor(prototype, method)!)
}

/** The same resolvers over the same cache, observed or not. */
export async function createGraphqlApp(served: ServedAs, url: string): Promise<NestFastifyApplication> {
  const root = served === 'observed' ? await observed(url) : await bare(url)
  return NestFactory.create<NestFastifyApplication>(root, new FastifyAdapter(), { logger: false })
}

class RootModule {}
Module({})(RootModule)

async function observed(url: string): Promise<DynamicModule> {
  const definition = defineLots(MODEL)
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
  const cache = createModelCache(defineLots(MODEL), {
    store,
    source: { load, mayBlameOneId: () => false },
    // As with the module: to look for a transaction is part of a read, not of observing it.
    writes: new ModelCacheWrites(),
  })
  return {
    module: RootModule,
    imports: [graphql()],
    providers: [LotResolver, { provide: CACHE, useValue: cache }],
  }
}
