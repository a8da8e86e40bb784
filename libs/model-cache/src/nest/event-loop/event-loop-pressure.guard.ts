import {
  type CanActivate,
  type CustomDecorator,
  type ExecutionContext,
  HttpException,
  Inject,
  Injectable,
  Logger,
  SetMetadata,
} from '@nestjs/common'
import { HttpAdapterHost } from '@nestjs/core'
import { EventLoopPressure, type Pressure } from '../../event-loop/pressure.js'
import { Shedding } from '../../event-loop/shedding.js'
import type { EventLoopMetrics } from '../../metrics/event-loop-metrics.js'
import { handlerNameOf } from './handler-name.js'
import { EVENT_LOOP_METRICS } from './event-loop.tokens.js'

const NEVER_SHED = 'model-cache:never-shed'

/** Marks a handler, or all of a class, that {@link EventLoopPressureGuard} lets pass always: probes, metrics. */
export const NeverShed = (): CustomDecorator => SetMetadata(NEVER_SHED, true)

/**
 * Refuses a part of the requests while the event loop is under pressure, so that the others are answered in time: with 503 and
 * Retry-After in HTTP, and an error with the code `SERVICE_UNAVAILABLE` in GraphQL, where Mercurius answers with 503 when there is no
 * data, and the Apollo driver of Nest always with 200. Which are refused is left to chance; how many, to `eventLoop.shedding` of
 * forRoot. Does nothing until the application uses it.
 *
 * @example
 * ```ts
 * providers: [{ provide: APP_GUARD, useExisting: EventLoopPressureGuard }]
 * ```
 */
@Injectable()
export class EventLoopPressureGuard implements CanActivate {
  readonly #logger = new Logger('ModelCache')
  #isShedding = false

  constructor(
    @Inject(EventLoopPressure) private readonly pressure: Pressure,
    @Inject(Shedding) private readonly shedding: Shedding,
    @Inject(EVENT_LOOP_METRICS) private readonly metrics: EventLoopMetrics,
    @Inject(HttpAdapterHost) private readonly host: HttpAdapterHost,
  ) {}

  /** @throws HttpException with the status 503 */
  canActivate(context: ExecutionContext): boolean {
    const pressure = this.pressure.value
    if (this.#isShedding && this.shedding.isOverAt(pressure)) this.#tell(false, pressure)
    const share = this.shedding.shareAt(pressure)
    if (share === 0 || Math.random() >= share || isNeverShed(context)) return true
    if (!this.#isShedding) this.#tell(true, pressure)
    this.metrics.countShed(handlerNameOf(context))
    const { retryAfterSeconds } = this.shedding
    const response = responseOf(context)
    if (response) this.host.httpAdapter.setHeader(response, 'Retry-After', String(retryAfterSeconds))
    throw new OverloadedException(retryAfterSeconds)
  }

  #tell(isShedding: boolean, pressure: number): void {
    this.#isShedding = isShedding
    const at = `the pressure of the event loop is ${pressure.toFixed(2)}`
    if (isShedding)
      this.#logger.warn(`Requests are refused: ${at}. event_loop_shed_requests_total counts them.`)
    else this.#logger.log(`Requests are not refused any more: ${at}.`)
  }
}

/** What drivers of GraphQL make their context of: Mercurius has the reply, Apollo on Express the request with its response. */
interface GraphqlContext {
  readonly reply?: unknown
  readonly req?: { readonly res?: unknown }
}

function responseOf(context: ExecutionContext): unknown {
  if (context.getType<string>() === 'http') return context.switchToHttp().getResponse()
  const { reply, req } = context.getArgByIndex<GraphqlContext | undefined>(2) ?? {}
  return reply ?? req?.res
}

function isNeverShed(context: ExecutionContext): boolean {
  return [context.getHandler(), context.getClass()].some((target) => Reflect.hasMetadata(NEVER_SHED, target))
}

/** With a text for its response, as the Apollo driver of Nest would replace the code of others. */
class OverloadedException extends HttpException {
  /** For Mercurius. */
  readonly statusCode = 503
  readonly extensions: object

  constructor(retryAfterSeconds: number) {
    super('The server is busy. Try again later.', 503)
    this.extensions = { code: 'SERVICE_UNAVAILABLE', retryAfterSeconds }
  }
}
