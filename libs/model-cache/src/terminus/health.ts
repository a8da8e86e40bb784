import { Inject, Injectable, Module } from '@nestjs/common'
import { ModuleRef } from '@nestjs/core'
import { type HealthIndicatorResult, HealthIndicatorService, TerminusModule } from '@nestjs/terminus'
import { getModelCacheStoreToken, type CacheState, getCacheStateToken } from '../nest/model-cache.tokens.js'
import type { Store } from '../protocol/index.js'
import { EventLoopPressure, type Pressure } from '@model-cache/event-loop'

export interface RootHealthOptions {
  /** Name of the root to check. @default the unnamed root */
  readonly root?: string
}

/** What indicators of one root have in common. */
@Injectable()
class RootIndicator {
  constructor(
    @Inject(ModuleRef) protected readonly moduleRef: ModuleRef,
    @Inject(HealthIndicatorService) protected readonly health: HealthIndicatorService,
  ) {}

  protected stateOf(root: string | undefined): CacheState {
    return this.moduleRef.get<CacheState>(getCacheStateToken(root), { strict: false })
  }
}

/**
 * Reports whether the store (usually Valkey) answers. Use it for dashboards, not for probes: the application works without
 * the store, and removing all pods would turn slow responses into an outage.
 */
@Injectable()
export class StoreHealthIndicator extends RootIndicator {
  /** Waits at most for the deadline of one command. */
  async isHealthy<Key extends string>(
    key: Key,
    { root }: RootHealthOptions = {},
  ): Promise<HealthIndicatorResult<Key>> {
    const indicator = this.health.check(key)
    const store = this.moduleRef.get<Store>(getModelCacheStoreToken(root), { strict: false })
    try {
      await store.ping()
      return indicator.up({ store: store.name })
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      return indicator.down({ store: store.name, reason })
    }
  }
}

/**
 * Reports whether this process receives messages about writes of other processes, which its L1 depends on. Use it for
 * dashboards, not for probes: without messages the cache bypasses L1 and reads the store, which is slower but correct.
 */
@Injectable()
export class L1HealthIndicator extends RootIndicator {
  isHealthy<Key extends string>(key: Key, { root }: RootHealthOptions = {}): HealthIndicatorResult<Key> {
    const indicator = this.health.check(key)
    const { distrusted } = this.stateOf(root)
    return distrusted.length === 0 ? indicator.up() : indicator.down({ distrusted: [...distrusted] })
  }
}

/**
 * Reports whether some process follows the log of the database. Use it for dashboards and alerts, not for probes: a restart of this
 * process does not help.
 */
@Injectable()
export class FollowHealthIndicator extends RootIndicator {
  /** Up as well where `forRoot` has no `follow`. */
  isHealthy<Key extends string>(key: Key, { root }: RootHealthOptions = {}): HealthIndicatorResult<Key> {
    const indicator = this.health.check(key)
    const { follower } = this.stateOf(root)
    if (follower === undefined) return indicator.up({ follow: 'off' })
    if (follower?.state !== 'following') return indicator.down({ reason: 'nobody follows the database' })
    return indicator.up({ lagMs: Math.round(follower.lagMs), lagBytes: follower.lagBytes })
  }
}

export interface SchemaHealthOptions extends RootHealthOptions {
  /** Whether the indicator stays up during the wait. Use `false` for readiness to make a rolling deployment wait. @default true */
  readonly isHealthyWhileNew?: boolean
}

/**
 * Reports whether this process stores rows of all models. A schema that is new among running processes waits for `fenceMs`;
 * the details say until when. Use it for readiness with `isHealthyWhileNew: false`, so that a rolling deployment waits until
 * this process fills the cache. An unavailable store does not make it unhealthy, nor does one that comes back without what it held:
 * all processes wait then, and would become unready at once.
 */
@Injectable()
export class SchemaHealthIndicator extends RootIndicator {
  async isHealthy<Key extends string>(
    key: Key,
    { root, isHealthyWhileNew = true }: SchemaHealthOptions = {},
  ): Promise<HealthIndicatorResult<Key>> {
    const indicator = this.health.check(key)
    const waiting = await this.stateOf(root).newSchemas()
    if (waiting.size === 0) return indicator.up()
    const storesFrom = Object.fromEntries([...waiting].map(([model, from]) => [model, from.toISOString()]))
    return isHealthyWhileNew ? indicator.up({ storesFrom }) : indicator.down({ storesFrom })
  }
}

export interface EventLoopHealthOptions {
  /** Pressure at which the indicator goes down, 0 to 1. @default 0.9 */
  readonly maxPressure?: number
}

/**
 * Reports whether the event loop keeps up. Use it for readiness, so that an overloaded pod receives fewer requests until it
 * recovers. Do not use it for liveness: a restart under load makes the load worse.
 */
@Injectable()
export class EventLoopHealthIndicator {
  constructor(
    @Inject(EventLoopPressure) private readonly pressure: Pressure,
    @Inject(HealthIndicatorService) private readonly health: HealthIndicatorService,
  ) {}

  isHealthy<Key extends string>(
    key: Key,
    { maxPressure = 0.9 }: EventLoopHealthOptions = {},
  ): HealthIndicatorResult<Key> {
    const indicator = this.health.check(key)
    const details = { pressure: Number(this.pressure.value.toFixed(2)), maxPressure }
    return this.pressure.value < maxPressure ? indicator.up(details) : indicator.down(details)
  }
}

const indicators = [
  StoreHealthIndicator,
  L1HealthIndicator,
  FollowHealthIndicator,
  SchemaHealthIndicator,
  EventLoopHealthIndicator,
]

/**
 * Provides the health indicators and re-exports TerminusModule. It requires `ModelCacheModule.forRoot`.
 *
 * @example
 * ```ts
 * @Module({ imports: [ModelCacheHealthModule], controllers: [HealthController] })
 * export class HealthModule {}
 * ```
 */
@Module({
  imports: [TerminusModule],
  providers: indicators,
  exports: [TerminusModule, ...indicators],
})
export class ModelCacheHealthModule {}
