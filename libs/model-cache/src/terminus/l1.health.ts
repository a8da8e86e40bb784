import { Inject, Injectable } from '@nestjs/common'
import { ModuleRef } from '@nestjs/core'
import { type HealthIndicatorResult, HealthIndicatorService } from '@nestjs/terminus'
import { type CacheState, getCacheStateToken } from '../nest/model-cache.tokens.js'
import type { RootHealthOptions } from './root-health-options.js'

/**
 * Reports whether this process receives messages about writes of other processes, which its L1 depends on. Use it for
 * dashboards, not for probes: without messages the cache bypasses L1 and reads the store, which is slower but correct.
 */
@Injectable()
export class L1HealthIndicator {
  constructor(
    @Inject(ModuleRef) private readonly moduleRef: ModuleRef,
    @Inject(HealthIndicatorService) private readonly health: HealthIndicatorService,
  ) {}

  isHealthy<Key extends string>(key: Key, { root }: RootHealthOptions = {}): HealthIndicatorResult<Key> {
    const indicator = this.health.check(key)
    const { distrusted } = this.moduleRef.get<CacheState>(getCacheStateToken(root), { strict: false })
    return distrusted.length === 0 ? indicator.up() : indicator.down({ distrusted: [...distrusted] })
  }
}
