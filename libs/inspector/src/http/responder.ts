import { Inject, Injectable, Logger } from '@nestjs/common'
import { HttpAdapterHost } from '@nestjs/core'
import { InspectionError } from '../inspection-error.js'
import type { ErrorReport } from '../report.js'

export interface HttpResponse {
  readonly status?: number
  readonly type: string
  readonly body: string
  readonly headers?: Readonly<Record<string, string>>
}

/** Allows this origin only, and nothing inline. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** Headers of every response, which replace those that the application has set. */
const HEADERS = {
  'content-security-policy': CONTENT_SECURITY_POLICY,
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'cache-control': 'no-store',
}

const INTERNAL = {
  code: 'internal_error',
  status: 500,
  message: 'The inspector failed. The log of the process has the error.',
}

/**
 * Sends responses on Express and Fastify. Handlers send them instead of returning them, so that no interceptor or exception filter of
 * the application gives them another form.
 */
@Injectable()
export class Responder {
  readonly #logger = new Logger('ModelCache')

  constructor(@Inject(HttpAdapterHost) private readonly host: HttpAdapterHost) {}

  send(response: unknown, { status = 200, type, body, headers }: HttpResponse): void {
    const { httpAdapter } = this.host
    for (const [name, value] of Object.entries({ ...HEADERS, 'content-type': type, ...headers })) {
      httpAdapter.setHeader(response, name, value)
    }
    httpAdapter.reply(response, body, status)
  }

  sendJson(response: unknown, status: number, report: object, headers: HttpResponse['headers'] = {}): void {
    this.send(response, {
      status,
      type: 'application/json; charset=utf-8',
      body: JSON.stringify(report),
      headers,
    })
  }

  /** An error that is not ours is logged without its message, which may have values of rows. */
  sendError(response: unknown, error: unknown): void {
    if (!(error instanceof InspectionError)) this.#logger.error(describeError(error))
    const { code, status, message } = error instanceof InspectionError ? error : INTERNAL
    const headers = { ...(status === 429 && { 'retry-after': '1' }) }
    this.sendJson(response, status, { error: { code, message } } satisfies ErrorReport, headers)
  }

  /** Returns the path and the query of a request, as sent. */
  urlOf(request: unknown): string {
    return this.host.httpAdapter.getRequestUrl(request) as string
  }
}

function describeError(error: unknown): string {
  const isError = error instanceof Error
  const frames = isError ? (error.stack ?? '').split('\n').filter((line) => line.startsWith('    at ')) : []
  return [`The inspector failed with ${isError ? error.name : `a ${typeof error}`}.`, ...frames].join('\n')
}
