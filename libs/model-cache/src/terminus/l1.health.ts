import { Inject, Injectable } from '@nestjs/common'
import { type HealthIndicatorResult, HealthIndicatorService } from '@nestjs/terminus'
import { type L1Coherence, MODEL_CACHE_L1 } from '../nest/model-cache.tokens.js'

/**
 * Whether this process hears of writes in others, for the rows that it keeps in its memory. For people: while it does not, it asks the
 * store instead, and nothing is wrong but slower.
 */
@Injectable()
export class L1HealthIndicator {
  constructor(
    @Inject(MODEL_CACHE_L1) private readonly coherence: L1Coherence,
    @Inject(HealthIndicatorService) private readonly health: HealthIndicatorService,
  ) {}

  isHealthy<Key extends string>(key: Key): HealthIndicatorResult<Key> {
    const indicator = this.health.check(key)
    const { distrusted } = this.coherence
    return distrusted.length === 0 ? indicator.up() : indicator.down({ distrusted: [...distrusted] })
  }
}
