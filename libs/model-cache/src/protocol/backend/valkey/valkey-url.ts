import type { RedisOptions } from 'ioredis'
import { invalidOptionError } from '../../../configuration-errors.js'

/** Whether a scheme is that of TLS. */
const schemes: Readonly<Record<string, boolean>> = {
  'valkey:': false,
  'redis:': false,
  'valkeys:': true,
  'rediss:': true,
}

/** Replaces the URL in messages. */
const hidden = Symbol('not shown, as it may hold a password')

const expected = "a URL such as 'valkey://user:password@host:6379/0' (valkey, valkeys, redis or rediss)"

/**
 * Parses a `valkey://`, `valkeys://`, `redis://` or `rediss://` URL.
 *
 * @throws ConfigurationError which never contains the URL, because it may hold a password
 */
export function parseValkeyUrl(url: string): RedisOptions {
  // The parser's own error contains its input, including the password.
  const parsed = typeof url === 'string' && URL.canParse(url) ? new URL(url) : undefined
  const isEncrypted = parsed && schemes[parsed.protocol]
  if (url === undefined || url === '') {
    throw invalidOptionError('valkey.url', url, `${expected}; its environment variable may not be set`)
  }
  if (!parsed?.hostname || isEncrypted === undefined) throw invalidOptionError('valkey.url', hidden, expected)
  const db = parsed.pathname.slice(1)
  if (!/^\d*$/.test(db))
    throw invalidOptionError('valkey.url', hidden, `${expected}, with a number as its path`)
  if (parsed.search || parsed.hash)
    throw invalidOptionError(
      'valkey.url',
      hidden,
      `${expected}, without a query or a fragment; a "#" in a password is written %23`,
    )
  return {
    // URL keeps the brackets of an IPv6 address; sockets do not accept them.
    host: decode(parsed.hostname.replaceAll(/[[\]]/g, '')),
    port: parsed.port ? Number(parsed.port) : 6379,
    ...(parsed.username && { username: decode(parsed.username) }),
    ...(parsed.password && { password: decode(parsed.password) }),
    ...(db && { db: Number(db) }),
    ...(isEncrypted && { tls: {} }),
  }
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw invalidOptionError('valkey.url', hidden, `${expected}, percent-encoded where needed`)
  }
}
