import { Inject, Injectable } from '@nestjs/common'
import { type HealthIndicatorResult, HealthIndicatorService } from '@nestjs/terminus'
import { EventLoopPressure, type Pressure } from '@model-cache/event-loop'

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
