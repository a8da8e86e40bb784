import { Inject, Injectable } from '@nestjs/common'
import { ModuleRef } from '@nestjs/core'
import { type HealthIndicatorResult, HealthIndicatorService } from '@nestjs/terminus'
import { type CacheState, getCacheStateToken } from '../nest/model-cache.tokens.js'
import type { RootHealthOptions } from './root-health-options.js'

/**
 * Reports whether some process follows the log of the database. Use it for dashboards and alerts, not for probes: a restart of this
 * process does not help.
 */
@Injectable()
export class FollowHealthIndicator {
  constructor(
    @Inject(ModuleRef) private readonly moduleRef: ModuleRef,
    @Inject(HealthIndicatorService) private readonly health: HealthIndicatorService,
  ) {}

  /** Up as well where `forRoot` has no `follow`. */
  isHealthy<Key extends string>(key: Key, { root }: RootHealthOptions = {}): HealthIndicatorResult<Key> {
    const indicator = this.health.check(key)
    const { follower } = this.moduleRef.get<CacheState>(getCacheStateToken(root), { strict: false })
    if (follower === undefined) return indicator.up({ follow: 'off' })
    if (follower?.state !== 'following') return indicator.down({ reason: 'nobody follows the database' })
    return indicator.up({ lagMs: Math.round(follower.lagMs), lagBytes: follower.lagBytes })
  }
}
