import { Readable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import {
  Controller,
  Get,
  HttpException,
  Inject,
  type DynamicModule,
  type INestApplication,
  Module,
  Sse,
  StreamableFile,
  type Type,
} from '@nestjs/common'
import { type AbstractHttpAdapter, APP_GUARD, APP_INTERCEPTOR } from '@nestjs/core'
import { Field, ID, ObjectType, Parent, Query, ResolveField, Resolver } from '@nestjs/graphql'
import { Test } from '@nestjs/testing'
import {
  EventLoopLagInterceptor,
  EventLoopPressureGuard,
  ModelCacheModule,
  type ModelCacheModuleOptions,
  NeverShed,
} from 'model-cache'
import { EventLoopPressure } from '@model-cache/event-loop'
import { Registry } from 'prom-client'
import { interval, map, take } from 'rxjs'

export function block(ms: number): void {
  const end = performance.now() + ms
  while (performance.now() < end);
}

@Controller()
export class RestController {
  @Get('quick')
  quick(): string {
    return 'quick'
  }

  /** In flight while others block, and innocent. */
  @Get('patient')
  async patient(): Promise<string> {
    await delay(600)
    return 'patient'
  }

  @Get('blocking')
  async blocking(): Promise<string> {
    await delay(50)
    block(400)
    return 'blocked'
  }

  @Get('failing')
  async failing(): Promise<string> {
    await delay(5)
    block(250)
    throw new HttpException('teapot', 418)
  }

  @Get('file')
  file(): StreamableFile {
    return new StreamableFile(Readable.from(['a', 'b', 'c']))
  }

  @Sse('events')
  events() {
    return interval(10).pipe(
      take(3),
      map((n) => ({ data: { n } })),
    )
  }

  @Get('probe')
  @NeverShed()
  probe(): string {
    return 'alive'
  }
}

@ObjectType()
export class Lot {
  @Field(() => ID) id!: string
  @Field(() => String) title!: string
}

@Resolver(() => Lot)
export class LotResolver {
  @Query(() => Lot)
  async lot(): Promise<{ id: string }> {
    await delay(1)
    return { id: '1' }
  }

  @Query(() => String)
  async blockingQuery(): Promise<string> {
    await delay(5)
    block(300)
    return 'done'
  }

  @Query(() => String)
  failingQuery(): string {
    throw new HttpException('teapot', 418)
  }

  @ResolveField(() => String)
  async title(@Parent() { id }: Lot): Promise<string> {
    await delay(5)
    block(300)
    return `Lot ${id}`
  }
}

/** A pressure that a test sets. */
export const pressure = { value: 0, utilization: 0, start() {}, stop() {} }

/** What an application is served by. */
export interface Platform {
  readonly adapter: () => AbstractHttpAdapter
  readonly graphql?: {
    readonly module: () => DynamicModule
    /** The status of a response to a query whose resolver throws an error with the status 503. */
    readonly unavailable: number
  }
}

export interface WatchedApp {
  readonly url: string
  readonly app: INestApplication
  readonly registry: Registry
  graphql(query: string): Promise<{ status: number; headers: Headers; body: GraphqlBody }>
}

interface GraphqlBody {
  data: Record<string, unknown> | null
  errors?: { message: string; extensions?: Record<string, unknown> }[]
}

export async function startWatched(
  { adapter, graphql }: Platform,
  options: ModelCacheModuleOptions = {},
  imports: (Type | ReturnType<typeof ModelCacheModule.forFeature>)[] = [],
): Promise<WatchedApp> {
  const registry = new Registry()
  @Module({
    imports: [
      ModelCacheModule.forRoot({ registry, ...options }),
      ...(graphql ? [graphql.module()] : []),
      ...imports,
    ],
    controllers: [RestController],
    providers: [
      LotResolver,
      { provide: APP_INTERCEPTOR, useExisting: EventLoopLagInterceptor },
      { provide: APP_GUARD, useExisting: EventLoopPressureGuard },
    ],
  })
  class WatchedModule {
    constructor(@Inject(EventLoopPressure) readonly pressure: EventLoopPressure) {}
  }
  const testing = await Test.createTestingModule({ imports: [WatchedModule] })
    .overrideProvider(EventLoopPressure)
    .useValue(pressure)
    .setLogger(false as never)
    .compile()
  const app = testing.createNestApplication(adapter(), { logger: false })
  await app.listen(0, '127.0.0.1')
  const url = (await app.getUrl()).replace('[::1]', '127.0.0.1')
  return {
    url,
    app,
    registry,
    async graphql(query) {
      const response = await fetch(`${url}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ query }),
      })
      return {
        status: response.status,
        headers: response.headers,
        body: (await response.json()) as GraphqlBody,
      }
    },
  }
}
