import {
  type CallHandler,
  type ExecutionContext,
  Inject,
  Injectable,
  type NestInterceptor,
} from '@nestjs/common'
import { finalize, type Observable } from 'rxjs'
import { LagSampler } from '../event-loop/lag-sampler.js'
import type { EventLoopMetrics } from '../metrics/event-loop-metrics.js'
import { EVENT_LOOP_METRICS } from './model-cache.tokens.js'

/**
 * Exports, as `handler_event_loop_lag_seconds{handler="Class.method"}`, the worst delay of the event loop while an HTTP
 * or GraphQL handler was at work.
 *
 * @example
 * ```ts
 * providers: [{ provide: APP_INTERCEPTOR, useExisting: EventLoopLagInterceptor }]
 * ```
 */
@Injectable()
export class EventLoopLagInterceptor implements NestInterceptor {
  constructor(
    @Inject(LagSampler) private readonly sampler: LagSampler,
    @Inject(EVENT_LOOP_METRICS) private readonly metrics: EventLoopMetrics,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const mark = this.sampler.mark()
    const handler = `${context.getClass().name}.${context.getHandler().name}`
    return next.handle().pipe(
      finalize(() => {
        this.sampler.worstSince(mark, (seconds) => this.metrics.observeHandlerLag(handler, seconds))
      }),
    )
  }
}
