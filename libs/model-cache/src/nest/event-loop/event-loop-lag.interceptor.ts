import {
  type CallHandler,
  type ExecutionContext,
  Inject,
  Injectable,
  type NestInterceptor,
} from '@nestjs/common'
import { Observable } from 'rxjs'
import { BlockWatch } from '../../event-loop/block-watch.js'
import { LagSampler } from '../../event-loop/lag-sampler.js'
import type { EventLoopMetrics } from '../../metrics/event-loop-metrics.js'
import { handlerNameOf } from './handler-name.js'
import { EVENT_LOOP_METRICS } from './event-loop.tokens.js'

/**
 * Attributes the event loop's time to handlers, of HTTP and of GraphQL, on Express and on Fastify, as `Class.method`:
 *
 * - `handler_event_loop_lag_seconds` is the worst delay of the loop while a handler was at work, whoever caused it;
 * - `event_loop_block_seconds` names who kept the loop from everything else for 100 ms or more.
 *
 * Field resolvers of GraphQL, which Nest intercepts with `fieldResolverEnhancers` only, are named all the same.
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
    @Inject(BlockWatch) private readonly watch: BlockWatch,
    @Inject(EVENT_LOOP_METRICS) private readonly metrics: EventLoopMetrics,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    this.watch.start()
    const mark = this.sampler.mark()
    const handler = handlerNameOf(context)
    const handled = this.watch.run(handler, () => next.handle())
    // As `finalize` would, but without an operator and its subscriber for each request.
    return new Observable((subscriber) => {
      subscriber.add(() => {
        this.sampler.worstSince(mark, (seconds) => this.metrics.observeHandlerLag(handler, seconds))
      })
      return handled.subscribe(subscriber)
    })
  }
}
