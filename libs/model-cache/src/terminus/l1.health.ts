import { Inject, Injectable } from '@nestjs/common'
import { ModuleRef } from '@nestjs/core'
import { type HealthIndicatorResult, HealthIndicatorService } from '@nestjs/terminus'
import { type CacheState, getCacheStateToken } from '../nest/model-cache.tokens.js'
import type { RootHealthOptions } from './root-health-options.js'

/**
 * Whether this process hears of writes in others, for the rows that it keeps in its memory. For people: while it does not, it asks the
 * store instead, and nothing is wrong but slower.
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
