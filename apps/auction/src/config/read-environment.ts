import { type } from 'arktype'
import { LOG_LEVELS } from './app-config.js'
import type { AppConfig } from './app-config.js'
import { StartError } from './start-error.js'

const databaseUrl = type('string')
  .narrow(isDatabaseUrl)
  .describe(
    'a URL such as file:./auction.db, mysql://user:password@host:3306/database, or postgresql://user:password@host:5432/database with the schema "public"',
  )

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
  'DATABASE_URL?': databaseUrl,
  'VALKEY_URL?': valkeyUrl,
  'BURSTS?': type(/^(on|off)$/).describe('"on" or "off"'),
  'INSPECTOR_PASSWORD?': type('string >= 12').describe('a password of at least 12 characters'),
  'LOG_LEVEL?': type.enumerated(...LOG_LEVELS).describe(`one of ${LOG_LEVELS.join(', ')}`),
})

const REMEDIES: Record<string, string> = {
  HOST: 'unset it to listen on 127.0.0.1',
  PORT: 'unset it to listen on 3000',
  DATABASE_URL: 'unset it to use the embedded database',
  VALKEY_URL: 'unset it to use the valkey-server on PATH, or the in-memory store if there is none',
  BURSTS: 'unset it to let the page start bursts',
  INSPECTOR_PASSWORD:
    'unset it to close the inspector in production, and to open it to everybody in development',
  LOG_LEVEL: 'unset it to use the level "info"',
}

/**
 * Reads the configuration from environment variables. Empty variables count as unset, as Docker Compose passes them.
 *
 * @throws StartError that names every invalid variable, but no value, since a value may hold a password
 */
export function readEnvironment(variables: NodeJS.ProcessEnv): AppConfig {
  const environment = Environment(
    Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== '')),
  )
  if (environment instanceof type.errors) {
    const problems = environment.map(({ path, expected }) => {
      const name = String(path[0])
      return `${name} has an invalid value. Expected: ${expected}. Correct it, or ${REMEDIES[name]}.`
    })
    throw new StartError(problems.join('\n'))
  }
  const { NODE_ENV, HOST, PORT, DATABASE_URL, VALKEY_URL, BURSTS, INSPECTOR_PASSWORD, LOG_LEVEL } =
    environment
  const production = NODE_ENV === 'production'
  return {
    production,
    host: HOST ?? '127.0.0.1',
    port: Number(PORT ?? 3000),
    ...(DATABASE_URL !== undefined && { databaseUrl: DATABASE_URL }),
    valkey: VALKEY_URL === undefined ? 'start' : { url: VALKEY_URL },
    drainMs: production ? 3000 : 100,
    cacheNamespace: 'auction',
    bursts: BURSTS !== 'off',
    ...(INSPECTOR_PASSWORD !== undefined && { inspectorPassword: INSPECTOR_PASSWORD }),
    logLevel: LOG_LEVEL ?? 'info',
  }
}

function isUrl(value: string, protocols: string[]): boolean {
  const url = URL.parse(value)
  return url !== null && protocols.includes(url.protocol) && url.hostname !== ''
}

function isDatabaseUrl(value: string): boolean {
  if (value.startsWith('file:')) return value.length > 'file:'.length
  return (
    isUrl(value, ['postgresql:', 'postgres:', 'mysql:', 'mariadb:']) &&
    new URL(value).pathname.length > 1 &&
    servesPublicSchema(value)
  )
}

/** The migrations are for the schema "public" only. */
function servesPublicSchema(value: string): boolean {
  return (new URL(value).searchParams.get('schema') ?? 'public') === 'public'
}
