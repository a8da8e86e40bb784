import { createHash, timingSafeEqual } from 'node:crypto'
import { ForbiddenException, Inject, Injectable, UnauthorizedException } from '@nestjs/common'
import type { CanActivate, ExecutionContext } from '@nestjs/common'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { APP_CONFIG } from '../config/app-config.js'
import type { AppConfig } from '../config/app-config.js'

/**
 * Asks for the password of the inspector, which the browser then sends with each request (HTTP Basic). Without a password, the inspector
 * is open in development and closed in production.
 */
@Injectable()
export class InspectorGuard implements CanActivate {
  constructor(@Inject(APP_CONFIG) private readonly config: AppConfig) {}

  /**
   * @throws ForbiddenException if the inspector is closed
   * @throws UnauthorizedException if the request lacks the password
   */
  canActivate(context: ExecutionContext): boolean {
    const { inspectorPassword, production } = this.config
    if (inspectorPassword === undefined) {
      if (!production) return true
      throw new ForbiddenException('The inspector is closed. Set INSPECTOR_PASSWORD to open it.')
    }
    const http = context.switchToHttp()
    const request = http.getRequest<FastifyRequest & { user?: { name: string } }>()
    const [name, password] = credentialsOf(request.headers.authorization)
    if (!isEqual(password, inspectorPassword)) {
      http.getResponse<FastifyReply>().header('www-authenticate', 'Basic realm="inspector", charset="UTF-8"')
      throw new UnauthorizedException(
        'The inspector needs the password of INSPECTOR_PASSWORD, with any user name.',
      )
    }
    // For the log of actions.
    request.user = { name }
    return true
  }
}

function credentialsOf(authorization = ''): [name: string, password: string] {
  const [, encoded = ''] = /^Basic (\S+)$/i.exec(authorization) ?? []
  const text = Buffer.from(encoded, 'base64').toString()
  const end = text.indexOf(':')
  return [text.slice(0, end), text.slice(end + 1)]
}

/** Takes equally long for any text. */
function isEqual(one: string, other: string): boolean {
  const hash = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(hash(one), hash(other))
}
