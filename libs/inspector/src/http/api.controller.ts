import { Get, Inject, Logger, Post, Req, Res } from '@nestjs/common'
import { NeverShed } from '@model-cache/event-loop'
import { describeAction } from '../describe-action.js'
import type { Inspection } from '../inspection.js'
import { InspectionError } from '../inspection-error.js'
import type { InspectorOptions } from '../inspector.options.js'
import { Inspector } from '../inspector.js'
import { INSPECTOR_OPTIONS } from '../inspector.tokens.js'
import { Admission } from './admission.js'
import { cacheIn, Query, targetIn } from './query.js'
import { type HttpRequest, verifyOrigin } from './verify-origin.js'
import { Responder } from './responder.js'
import { userOf } from './user-of.js'

/** The JSON API, version 1: see docs/inspector.md. */
@NeverShed()
export class InspectorApi {
  readonly #logger = new Logger('ModelCache')

  constructor(
    @Inject(Inspector) private readonly inspector: Inspector,
    @Inject(INSPECTOR_OPTIONS) private readonly options: InspectorOptions,
    @Inject(Admission) private readonly admission: Admission,
    @Inject(Responder) private readonly responder: Responder,
  ) {}

  @Get('caches')
  async caches(@Req() request: HttpRequest, @Res() response: unknown): Promise<void> {
    await this.#answer(request, response, () => this.admission.inTime(() => this.#inspection.caches()))
  }

  @Get('processes')
  async processes(@Req() request: HttpRequest, @Res() response: unknown): Promise<void> {
    await this.#answer(request, response, () => this.admission.inTime(() => this.#inspection.processes()))
  }

  @Get('history')
  async history(@Req() request: HttpRequest, @Res() response: unknown): Promise<void> {
    await this.#answer(request, response, () => this.admission.inTime(() => this.#inspection.history()))
  }

  @Get('queries')
  async queries(@Req() request: HttpRequest, @Res() response: unknown): Promise<void> {
    await this.#answer(request, response, () => this.admission.inTime(() => this.#inspection.queries()))
  }

  @Get('recent')
  async recent(@Req() request: HttpRequest, @Res() response: unknown): Promise<void> {
    await this.#answer(request, response, (query) => {
      const cache = cacheIn(query)
      return this.admission.admit(() => this.#inspection.recent(cache))
    })
  }

  @Get('row')
  async row(@Req() request: HttpRequest, @Res() response: unknown): Promise<void> {
    await this.#answer(request, response, (query) => {
      const [cache, id] = [cacheIn(query), query.required('id')]
      return this.admission.admit(() => this.#inspection.row(cache, id))
    })
  }

  @Get('entry')
  async entry(@Req() request: HttpRequest, @Res() response: unknown): Promise<void> {
    await this.#answer(request, response, (query) => {
      const [cache, lookup, key] = [cacheIn(query), query.required('lookup'), query.required('key')]
      return this.admission.admit(() => this.#inspection.entry(cache, lookup, key))
    })
  }

  @Post('invalidate')
  async invalidate(@Req() request: HttpRequest, @Res() response: unknown): Promise<void> {
    await this.#answer(request, response, async (query) => {
      const [cache, target] = [cacheIn(query), targetIn(query)]
      // A header that the option `user` reads may be missing. One that queries a service for the name returns a promise.
      const given: unknown = await (this.options.user ? this.options.user(request) : userOf(request))
      const user = String(given ?? '') || 'unknown'
      return this.admission.admit(async () => {
        const report = await this.#inspection.invalidate(cache, target)
        this.#logger.log(describeAction(report, user))
        return report
      })
    })
  }

  get #inspection(): Inspection {
    const { inspection } = this.inspector
    if (inspection) return inspection
    throw new InspectionError('starting', 503, 'The application has not started yet. Retry in a moment.')
  }

  async #answer(
    request: HttpRequest,
    response: unknown,
    work: (query: Query) => Promise<object>,
  ): Promise<void> {
    try {
      verifyOrigin(request)
      const report = await work(new Query(this.responder.urlOf(request)))
      this.responder.sendJson(response, 200, report)
    } catch (error) {
      this.responder.sendError(response, error)
    }
  }
}
