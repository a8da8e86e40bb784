import { Inject, Injectable } from '@nestjs/common'
import { ModuleRef } from '@nestjs/core'
import { type HealthIndicatorResult, HealthIndicatorService } from '@nestjs/terminus'
import { getModelCacheStoreToken } from '../nest/model-cache.tokens.js'
import type { Store } from '../protocol/index.js'
import type { RootHealthOptions } from './root-health-options.js'

/**
 * Reports whether the store (usually Valkey) answers. Use it for dashboards, not for probes: the application works without
 * the store, and removing all pods would turn slow responses into an outage.
 */
@Injectable()
export class StoreHealthIndicator {
  constructor(
    @Inject(ModuleRef) private readonly moduleRef: ModuleRef,
    @Inject(HealthIndicatorService) private readonly health: HealthIndicatorService,
  ) {}

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
