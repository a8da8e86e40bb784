import type { IncomingMessage } from 'node:http'
import { LoggerModule } from 'nestjs-pino'
import type { Params } from 'nestjs-pino'
import { levels } from 'pino'
import type { TransportSingleOptions } from 'pino'
import { APP_CONFIG } from '../../config/app-config.js'
import type { AppConfig } from '../../config/app-config.js'

const INFO = levels.values.info

/** Polled every few seconds, so they are left out of the access log. */
const QUIET_PATHS = new Set(['/livez', '/readyz', '/metrics'])

/** Nest logs about forty lines when it starts. They appear from the level "debug" only. */
const START_UP_CONTEXTS = new Set([
  'GraphQLModule',
  'InstanceLoader',
  'NestApplication',
  'NestFactory',
  'RouterExplorer',
  'RoutesResolver',
])

/** Nest's Logger and the access log. Pino formats and writes them in a worker thread, off the event loop. */
export const LoggingModule = LoggerModule.forRootAsync({ inject: [APP_CONFIG], useFactory: loggerOptions })

function loggerOptions({ production, logLevel }: AppConfig): Params {
  return {
    // nestjs-pino's own default, '{/*splat}', matches nothing on Fastify (platform-fastify 12.5).
    forRoutes: ['{*path}'],
    pinoHttp: {
      level: logLevel,
      // A silent logger needs no worker thread.
      ...(logLevel !== 'silent' && { transport: production ? jsonLines() : readableLines() }),
      redact: {
        paths: [
          'req.headers.authorization',
          'req.headers.cookie',
          'req.headers["x-api-key"]',
          'res.headers["set-cookie"]',
          '*.password',
          '*.connectionString',
        ],
        censor: '[redacted]',
      },
      hooks: {
        logMethod(parameters, method, level) {
          const [bindings] = parameters as unknown[] as [{ context?: string }?]
          const isStartUp = level === INFO && START_UP_CONTEXTS.has(bindings?.context ?? '')
          if (isStartUp && !this.isLevelEnabled('debug')) return
          method.apply(this, parameters)
        },
      },
      autoLogging: { ignore: (request) => QUIET_PATHS.has(pathOf(request)) },
      customLogLevel: (_request, { statusCode }, error) => {
        if (error || statusCode >= 500) return 'error'
        return statusCode >= 400 ? 'warn' : 'info'
      },
    },
  }
}

/** Nest's middleware on Fastify shortens `url` to its own part of the path. */
function pathOf(request: IncomingMessage & { originalUrl?: string }): string {
  return (request.originalUrl ?? request.url ?? '').split('?')[0]!
}

function jsonLines(): TransportSingleOptions {
  return { target: 'pino/file', options: { destination: 1 } }
}

function readableLines(): TransportSingleOptions {
  const options = {
    colorize: process.stdout.isTTY,
    translateTime: 'SYS:HH:MM:ss.l',
    ignore: 'pid,hostname,context,req,res,responseTime',
    messageFormat:
      '{if context}[{context}] {end}{msg}{if responseTime} {req.method} {req.url} {res.statusCode} {responseTime} ms{end}',
  }
  return { target: 'pino-pretty', options }
}
