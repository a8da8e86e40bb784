import {
  type DynamicModule,
  Global,
  Inject,
  Logger,
  Module,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
  type OnModuleInit,
  Optional,
  type Type,
} from '@nestjs/common'
import { ModulesContainer } from '@nestjs/core'
import { duplicateNestError, moduleOptionsError } from '../errors.js'
import { verifyPackages } from '../loaded-packages.js'
import {
  type ModuleWithOptions,
  verifyImportedOnce,
  verifyOptions,
  withVerifiedOptions,
} from '../module-options.js'
import { type Block, BlockWatch, noHolder } from '../block-watch.js'
import { LagSampler } from '../lag-sampler.js'
import { EventLoopPressure } from '../pressure.js'
import type { EventLoopMetrics } from '../metrics/event-loop-metrics.js'
import { EventLoopLagInterceptor } from './event-loop-lag.interceptor.js'
import { EventLoopPressureGuard } from './event-loop-pressure.guard.js'
import {
  EVENT_LOOP_OPTIONS,
  type EVENT_LOOP_ASYNC_OPTIONS_TYPE,
  type EVENT_LOOP_OPTIONS_TYPE,
  EventLoopModuleClass,
} from './event-loop.options.js'
import { eventLoopProviders } from './event-loop.providers.js'
import { EVENT_LOOP_METRICS } from './event-loop.tokens.js'

const own: ModuleWithOptions = {
  name: 'EventLoopModule',
  token: EVENT_LOOP_OPTIONS,
  beside: [],
  errorOf: moduleOptionsError,
}

/**
 * Measures the event loop of an application that has no caches: lag, blocks, pressure, interceptor and guard.
 * `ModelCacheModule.forRoot` imports it itself; an application that uses that does not import this one.
 *
 * @example
 * ```ts
 * @Module({
 *   imports: [EventLoopModule.forRoot({ nameBlocksFromMs: 50 })],
 *   providers: [{ provide: APP_INTERCEPTOR, useExisting: EventLoopLagInterceptor }],
 * })
 * export class AppModule {}
 * ```
 */
@Global()
@Module({
  providers: [...eventLoopProviders, EventLoopLagInterceptor, EventLoopPressureGuard],
  exports: [
    EventLoopLagInterceptor,
    EventLoopPressureGuard,
    LagSampler,
    EventLoopPressure,
    BlockWatch,
    EVENT_LOOP_METRICS,
  ],
})
export class EventLoopModule
  extends EventLoopModuleClass
  implements OnModuleInit, OnApplicationBootstrap, OnApplicationShutdown
{
  readonly #logger = new Logger('ModelCache')
  readonly #reportedHolders = new Set<string>()

  constructor(
    @Inject(LagSampler) private readonly sampler: LagSampler,
    @Inject(EventLoopPressure) private readonly pressure: EventLoopPressure,
    @Inject(BlockWatch) private readonly watch: BlockWatch,
    @Inject(EVENT_LOOP_METRICS) private readonly metrics: EventLoopMetrics,
    // Optional, so that a second copy of Nest is reported by the library and not by Nest.
    @Optional() @Inject(ModulesContainer) private readonly modules: ModulesContainer,
  ) {
    super()
    // Modules that were imported after `forRoot` was called are checked here, unless Nest has missed a provider of theirs before.
    verifyPackages()
    if (!modules) throw duplicateNestError()
  }

  /** Configures the measurements. A value that cannot work stops the start with an {@link EventLoopError}. */
  static override forRoot(options: typeof EVENT_LOOP_OPTIONS_TYPE = {}): DynamicModule {
    verifyPackages()
    verifyOptions(own, options)
    return super.forRoot(options)
  }

  /**
   * Like `forRoot`, with options from a factory: `{ imports, inject, useFactory }`, or `useClass` or `useExisting` of
   * a class with a method `create`.
   */
  static override forRootAsync(options: typeof EVENT_LOOP_ASYNC_OPTIONS_TYPE): DynamicModule {
    verifyPackages()
    return withVerifiedOptions(own, super.forRootAsync(options), options)
  }

  onModuleInit(): void {
    this.metrics.start()
    this.pressure.start()
    this.#addClasses()
    this.watch.onBlock((block) => this.#report(block))
    this.sampler.start()
  }

  /**
   * Here rather than in `onModuleInit`, so that two roots of caches are reported as such: Nest 11 and 12 call this once that hook of all
   * modules has run.
   */
  onApplicationBootstrap(): void {
    verifyImportedOnce(this.modules, EventLoopModule)
  }

  async onApplicationShutdown(): Promise<void> {
    this.sampler.stop()
    this.pressure.stop()
    this.metrics.stop()
    await this.watch.stop()
  }

  #addClasses(): void {
    for (const { controllers, providers } of this.modules.values()) {
      for (const { metatype } of [...controllers.values(), ...providers.values()]) {
        // The metatype of a factory provider is its function, which says nothing about the class it returns.
        if (metatype?.prototype) this.watch.addClass(metatype as Type)
      }
    }
  }

  /** Logs the first block of each holder. */
  #report({ holder, seconds, at }: Block): void {
    if (this.#reportedHolders.has(holder)) return
    this.#reportedHolders.add(holder)
    this.#logger.warn(
      `The event loop was blocked for ${Math.round(seconds * 1_000)} ms by ${described(holder)}, in ${at}. ` +
        'Further blocks by it are not logged; the metric event_loop_block_seconds counts them.',
    )
  }
}

function described(holder: string): string {
  return holder === noHolder ? 'work that no handler started' : holder
}
