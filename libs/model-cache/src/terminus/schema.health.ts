import { Inject, Injectable } from '@nestjs/common'
import { ModuleRef } from '@nestjs/core'
import { type HealthIndicatorResult, HealthIndicatorService } from '@nestjs/terminus'
import { type CacheState, getCacheStateToken } from '../nest/model-cache.tokens.js'
import type { RootHealthOptions } from './root-health-options.js'

export interface SchemaHealthOptions extends RootHealthOptions {
  /** Whether the process is healthy while it waits. `false` in readiness makes a rolling deployment wait. @default true */
  readonly isHealthyWhileNew?: boolean
}

/**
 * Whether this process stores rows of all models. One whose schema is new among running processes does not for `fenceMs`, and says
 * until when. For readiness with `isHealthyWhileNew: false`, so that a rolling deployment replaces the next process only when this one
 * fills the cache. A store that does not answer does not make it unhealthy.
 */
@Injectable()
export class SchemaHealthIndicator {
  constructor(
    @Inject(ModuleRef) private readonly moduleRef: ModuleRef,
    @Inject(HealthIndicatorService) private readonly health: HealthIndicatorService,
  ) {}

  async isHealthy<Key extends string>(
    key: Key,
    { root, isHealthyWhileNew = true }: SchemaHealthOptions = {},
  ): Promise<HealthIndicatorResult<Key>> {
    const indicator = this.health.check(key)
    const waiting = await this.moduleRef
      .get<CacheState>(getCacheStateToken(root), { strict: false })
      .newSchemas()
    if (waiting.size === 0) return indicator.up()
    const storesFrom = Object.fromEntries([...waiting].map(([model, from]) => [model, from.toISOString()]))
    return isHealthyWhileNew ? indicator.up({ storesFrom }) : indicator.down({ storesFrom })
  }
}
