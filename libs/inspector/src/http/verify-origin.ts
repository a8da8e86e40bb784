import type { IncomingHttpHeaders } from 'node:http'
import { InspectionError } from '../inspection-error.js'

/** What requests of Express and Fastify have in common. */
export interface HttpRequest {
  readonly method: string
  /** With the port, and as a proxy says if the framework trusts it. */
  readonly host?: string
  readonly headers: IncomingHttpHeaders
}

/** The header that every POST has. A page of another origin cannot send it without a preflight. */
export const ACTION_HEADER = 'x-model-cache-inspector'

/**
 * Refuses what a page of another origin has a browser send, whatever CORS the application allows.
 *
 * @throws InspectionError
 */
export function verifyOrigin({ method, host, headers }: HttpRequest): void {
  const isRead = method !== 'POST'
  if (!isRead && headers[ACTION_HEADER] !== '1') {
    throw new InspectionError('missing_header', 403, `Actions need the header ${ACTION_HEADER}: 1.`)
  }
  const site = headers['sec-fetch-site']
  // Browsers send the header to secure origins only; other programs send neither of them.
  const isOwn =
    site === undefined
      ? headers.origin === undefined || hostOf(headers.origin) === (host ?? headers.host)?.toLowerCase()
      : site === 'same-origin' || (site === 'none' && isRead)
  if (isOwn) return
  throw new InspectionError(
    'forbidden_origin',
    403,
    'The API of the inspector answers its own page only, and programs that are no browser.',
  )
}

function hostOf(origin: string): string | undefined {
  return URL.parse(origin)?.host
}
