import {
  type CanActivate,
  type CustomDecorator,
  type ExecutionContext,
  HttpException,
  Inject,
  Injectable,
  Logger,
  Optional,
  SetMetadata,
} from '@nestjs/common'
import { HttpAdapterHost } from '@nestjs/core'
import { duplicateNestError } from '../errors.js'
import { EventLoopPressure, type Pressure } from '../pressure.js'
import { Shedding } from '../shedding.js'
import type { EventLoopMetrics } from '../metrics/event-loop-metrics.js'
import { handlerNameOf } from './handler-name.js'
import { EVENT_LOOP_METRICS } from './event-loop.tokens.js'

const NEVER_SHED = 'model-cache:never-shed'

/** Exempts a handler or a class from {@link EventLoopPressureGuard}, such as health probes and the metrics endpoint. */
export const NeverShed = (): CustomDecorator => SetMetadata(NEVER_SHED, true)

/**
 * Sheds load: refuses a share of the requests while the event loop is under pressure, so that the others are answered in time.
 *
 * - HTTP: status 503 with `Retry-After`.
 * - GraphQL: an error with the code `SERVICE_UNAVAILABLE`. Mercurius responds with 503 if there is no data, Nest's Apollo
 *   driver always with 200.
 *
 * The guard selects requests at random; `eventLoop.shedding` of `forRoot` sets the share. It is inactive until the
 * application registers it.
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
    // Optional, so that a second copy of Nest is reported by the library and not by Nest.
    @Optional() @Inject(HttpAdapterHost) private readonly host: HttpAdapterHost,
  ) {
    if (!host) throw duplicateNestError()
  }

  /** @throws HttpException with the status 503 */
  canActivate(context: ExecutionContext): boolean {
    const pressure = this.pressure.value
    if (this.#isShedding && this.shedding.isOverAt(pressure)) this.#log(false, pressure)
    const share = this.shedding.shareAt(pressure)
    if (Math.random() >= share || isNeverShed(context)) return true
    if (!this.#isShedding) this.#log(true, pressure)
    this.metrics.countShed(handlerNameOf(context))
    const { retryAfterSeconds } = this.shedding
    const response = responseOf(context)
    if (response) this.host.httpAdapter.setHeader(response, 'Retry-After', String(retryAfterSeconds))
    throw new OverloadedException(retryAfterSeconds)
  }

  #log(isShedding: boolean, pressure: number): void {
    this.#isShedding = isShedding
    const reason = `event-loop pressure is ${pressure.toFixed(2)}`
    if (isShedding) {
      this.#logger.warn(
        `Requests are being refused: ${reason}. The metric event_loop_shed_requests_total counts them.`,
      )
    } else this.#logger.log(`Requests are accepted again: ${reason}.`)
  }
}

/** The GraphQL context: Mercurius puts the reply in it, Apollo on Express the request with its response. */
interface GraphqlContext {
  /** The HTTP reply. For a subscription over a WebSocket, Mercurius has another object here, which is no reply. */
  readonly reply?: { readonly header?: unknown }
  readonly req?: { readonly res?: unknown }
}

function responseOf(context: ExecutionContext): unknown {
  if (context.getType<string>() === 'http') return context.switchToHttp().getResponse()
  const { reply, req } = context.getArgByIndex<GraphqlContext | undefined>(2) ?? {}
  return typeof reply?.header === 'function' ? reply : req?.res
}

function isNeverShed(context: ExecutionContext): boolean {
  return [context.getHandler(), context.getClass()].some((target) => Reflect.hasMetadata(NEVER_SHED, target))
}

/** Has a string for its response: Nest's Apollo driver replaces the code of exceptions with an object response. */
class OverloadedException extends HttpException {
  /** Mercurius reads the HTTP status from here. */
  readonly statusCode = 503
  readonly extensions: object

  constructor(retryAfterSeconds: number) {
    super('The server is busy. Try again later.', 503)
    this.extensions = { code: 'SERVICE_UNAVAILABLE', retryAfterSeconds }
  }
}
