import { type } from 'arktype'
import { LOG_LEVELS } from './app-config.js'
import type { AppConfig } from './app-config.js'
import { StartError } from './start-error.js'

const postgresUrl = type('string')
  .narrow((value) => isUrl(value, ['postgresql:', 'postgres:']) && servesPublicSchema(value))
  .describe('a URL such as postgresql://user:password@host:5432/database, of the schema "public"')

const valkeyUrl = type('string')
  .narrow((value) => isUrl(value, ['valkey:', 'valkeys:', 'redis:', 'rediss:']))
  .describe('a URL such as valkey://user:password@host:6379/0 (valkey, valkeys, redis or rediss)')

const port = type(/^\d{1,5}$/)
  .narrow((value) => Number(value) <= 65_535)
  .describe('a whole number from 0 to 65535')

const Environment = type({
  'NODE_ENV?': 'string',
  'HOST?': type(/^[\w.:-]+$/).describe('a host name or an address such as 0.0.0.0'),
  'PORT?': port,
  'DATABASE_URL?': postgresUrl,
  'VALKEY_URL?': valkeyUrl,
  'STORMS?': type(/^(on|off)$/).describe('"on" or "off"'),
  'LOG_LEVEL?': type.enumerated(...LOG_LEVELS).describe(`one of ${LOG_LEVELS.join(', ')}`),
})

const REMEDIES: Record<string, string> = {
  HOST: 'unset it to listen on 127.0.0.1',
  PORT: 'unset it to listen on 3000',
  DATABASE_URL: 'unset it to use the embedded database',
  VALKEY_URL: 'unset it to use a valkey-server on PATH, or else the memory of the process',
  STORMS: 'unset it to let the page start storms',
  LOG_LEVEL: 'unset it to log from "info"',
}

/**
 * Reads the environment. An empty variable counts as unset, as Docker Compose passes it.
 *
 * @throws StartError that names every wrong variable, and never repeats a value: it may hold a password.
 */
export function readEnvironment(variables: NodeJS.ProcessEnv): AppConfig {
  const environment = Environment(
    Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== '')),
  )
  if (environment instanceof type.errors) {
    const problems = environment.map(({ path, expected }) => {
      const name = String(path[0])
      return `${name} has a value that cannot be used. Expected: ${expected}. Correct it, or ${REMEDIES[name]}.`
    })
    throw new StartError(problems.join('\n'))
  }
  const { NODE_ENV, HOST, PORT, DATABASE_URL, VALKEY_URL, STORMS, LOG_LEVEL } = environment
  const production = NODE_ENV === 'production'
  return {
    production,
    host: HOST ?? '127.0.0.1',
    port: Number(PORT ?? 3000),
    ...(DATABASE_URL !== undefined && { databaseUrl: DATABASE_URL }),
    valkey: VALKEY_URL === undefined ? 'start' : { url: VALKEY_URL },
    drainMs: production ? 3000 : 100,
    cacheNamespace: 'auction',
    storms: STORMS !== 'off',
    logLevel: LOG_LEVEL ?? 'info',
  }
}

function isUrl(value: string, protocols: string[]): boolean {
  const url = URL.parse(value)
  return url !== null && protocols.includes(url.protocol) && url.hostname !== ''
}

/** Prisma's own ?schema= is for its engine; the migrations here are for "public". */
function servesPublicSchema(value: string): boolean {
  const url = new URL(value)
  return url.pathname.length > 1 && (url.searchParams.get('schema') ?? 'public') === 'public'
}
