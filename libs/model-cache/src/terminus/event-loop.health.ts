import { Inject, Injectable } from '@nestjs/common'
import { type HealthIndicatorResult, HealthIndicatorService } from '@nestjs/terminus'
import { EventLoopPressure, type Pressure } from '../event-loop/pressure.js'

export interface EventLoopHealthOptions {
  /** Pressure from which on the process is not healthy, 0 to 1. @default 0.9 */
  readonly maxPressure?: number
}

/**
 * Whether the event loop keeps up. For readiness: a pod that is pressed gets fewer requests until it has caught up. Not for
 * liveness, which a restart under load would make worse.
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
