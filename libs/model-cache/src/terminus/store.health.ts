import { Inject, Injectable } from '@nestjs/common'
import { type HealthIndicatorResult, HealthIndicatorService } from '@nestjs/terminus'
import { MODEL_CACHE_STORE } from '../nest/model-cache.tokens.js'
import type { Store } from '../store/store.js'

/**
 * Whether the store, Valkey as a rule, answers. For what people look at rather than for a probe: the application does its work without
 * the store, and to take all pods away for it would turn a slow hour into an outage.
 */
@Injectable()
export class StoreHealthIndicator {
  constructor(
    @Inject(MODEL_CACHE_STORE) private readonly store: Store,
    @Inject(HealthIndicatorService) private readonly health: HealthIndicatorService,
  ) {}

  /** Waits no longer than the deadline of a command. */
  async isHealthy<Key extends string>(key: Key): Promise<HealthIndicatorResult<Key>> {
    const indicator = this.health.check(key)
    try {
      await this.store.ping()
      return indicator.up({ store: this.store.name })
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      return indicator.down({ store: this.store.name, reason })
    }
  }
}
