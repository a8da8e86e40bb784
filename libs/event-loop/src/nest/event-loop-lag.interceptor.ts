import {
  type CallHandler,
  type ExecutionContext,
  Inject,
  Injectable,
  type NestInterceptor,
} from '@nestjs/common'
import { Observable } from 'rxjs'
import { BlockWatch } from '../block-watch.js'
import { LagSampler } from '../lag-sampler.js'
import type { EventLoopMetrics } from '../metrics/event-loop-metrics.js'
import { handlerNameOf } from './handler-name.js'
import { EVENT_LOOP_METRICS } from './event-loop.tokens.js'

/**
 * Attributes event-loop time to handlers, labelled `Class.method`. It works for HTTP and GraphQL, on Express and Fastify.
 *
 * - `handler_event_loop_lag_seconds` is the worst lag while a handler was in flight, whatever caused it.
 * - `event_loop_block_seconds` names the code that blocked the loop for 100 ms or more.
 *
 * It needs no `fieldResolverEnhancers`: blocks in GraphQL field resolvers are named from the stack.
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
    // Equals `finalize`, without allocating an operator and a subscriber per request.
    return new Observable((subscriber) => {
      // The sampler is held while the subscription waits as well, since what continues it may block at once.
      this.sampler.hold()
      subscriber.add(() => {
        this.sampler.release()
        this.sampler.worstSince(mark, (seconds) => this.metrics.observeHandlerLag(handler, seconds))
      })
      return handled.subscribe(subscriber)
    })
  }
}
