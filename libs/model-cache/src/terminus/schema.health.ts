import { Inject, Injectable } from '@nestjs/common'
import { ModuleRef } from '@nestjs/core'
import { type HealthIndicatorResult, HealthIndicatorService } from '@nestjs/terminus'
import { type CacheState, getCacheStateToken } from '../nest/model-cache.tokens.js'
import type { RootHealthOptions } from './root-health-options.js'

export interface SchemaHealthOptions extends RootHealthOptions {
  /** Whether the indicator stays up during the wait. Use `false` for readiness to make a rolling deployment wait. @default true */
  readonly isHealthyWhileNew?: boolean
}

/**
 * Reports whether this process stores rows of all models. A schema that is new among running processes waits for `fenceMs`;
 * the details say until when. Use it for readiness with `isHealthyWhileNew: false`, so that a rolling deployment waits until
 * this process fills the cache. An unavailable store does not make it unhealthy.
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
