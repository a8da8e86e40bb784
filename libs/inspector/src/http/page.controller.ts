import { Get, Inject, Req, Res } from '@nestjs/common'
import { NeverShed } from '@model-cache/event-loop'
import { InspectionError } from '../inspection-error.js'
import type { InspectorMount } from '../inspector.options.js'
import { INSPECTOR_MOUNT } from '../inspector.tokens.js'
import { inspectorPageFiles, pageHtml } from './page-files.js'
import type { HttpRequest } from './verify-origin.js'
import { Responder } from './responder.js'

/** The page of the inspector, and the files that it loads. */
@NeverShed()
export class InspectorPage {
  /** The last part of the path of the page. */
  readonly #name: string

  constructor(
    @Inject(Responder) private readonly responder: Responder,
    @Inject(INSPECTOR_MOUNT) { path }: Required<InspectorMount>,
  ) {
    this.#name = path.slice(path.lastIndexOf('/') + 1)
  }

  /** The URLs of the page are relative, so that it works below any path of a proxy; they depend on whether its own ends with a slash. */
  @Get()
  page(@Req() request: HttpRequest, @Res() response: unknown): void {
    const base = this.#pathOf(request).endsWith('/') ? './' : `./${this.#name}/`
    this.responder.send(response, { type: 'text/html; charset=utf-8', body: pageHtml(base) })
  }

  /** Whatever is below the page. Also the page itself with a slash at the end, which Fastify takes for another path. */
  file(@Req() request: HttpRequest, @Res() response: unknown): void {
    const path = this.#pathOf(request)
    if (path.endsWith(`/${this.#name}/`)) return this.page(request, response)
    const file = inspectorPageFiles.get(path.slice(path.lastIndexOf(ASSETS) + ASSETS.length))
    if (!file) {
      const problem = 'The inspector has no such page. See docs/inspector.md for its API.'
      return this.responder.sendError(response, new InspectionError('not_found', 404, problem))
    }
    const { type, text, etag } = file
    const headers = { etag, 'cache-control': 'no-cache' }
    const isKnown = request.headers['if-none-match']?.includes(etag) ?? false
    this.responder.send(response, { status: isKnown ? 304 : 200, type, body: isKnown ? '' : text, headers })
  }

  #pathOf(request: HttpRequest): string {
    return new URL(this.responder.urlOf(request), 'http://localhost').pathname
  }
}

const ASSETS = '/assets/'
