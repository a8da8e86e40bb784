import { types } from 'node:util'

/** What is said of a command without a connection. */
export const noConnection = 'there is no connection'

/** Why a server refuses a connection, and what to do. What the server says of it names neither. */
const refusals: readonly (readonly [RegExp, string])[] = [
  [
    /^NOAUTH/,
    'NOAUTH: the server requires a password, and none is configured. Put user and password into the URL, ' +
      'valkey://user:password@host:6379, or into the options `username` and `password`',
  ],
  [
    /^WRONGPASS/,
    'WRONGPASS: the server does not accept the user and the password that are configured, or the user is disabled. Correct them in ' +
      'the URL, percent-encoded where they have special characters, or set them on the server: ACL SETUSER <user> on ><password>',
  ],
]

/**
 * Returns the reason of an error as text. Drops the error itself on purpose: ioredis attaches the command with its
 * arguments, which are the password for AUTH, and keys and values for others.
 */
export function reasonOf(error: unknown): string {
  // `instanceof` would miss errors of Node in a test of Jest, which has another global object.
  if (!types.isNativeError(error)) return 'unknown error'
  const { code, lastNodeError } = error as { code?: unknown; lastNodeError?: unknown }
  // A cluster says of no node by itself why it was not reached.
  if (types.isNativeError(lastNodeError)) return reasonOf(lastNodeError)
  const text = error.message || (typeof code === 'string' ? code : error.name)
  const refusal = refusals.find(([pattern]) => pattern.test(text))
  if (refusal) return refusal[1]
  if (isRefusedDatabase(error) && /^ERR (DB index|SELECT)/.test(text))
    return `${shortened(text)}: ${otherDatabase}`
  // The messages of ioredis for a command without a connection, or that waited for one, name its own options.
  if (text.includes('enableOfflineQueue')) return noConnection
  if (text.includes('maxRetriesPerRequest')) return 'the connection was lost'
  return shortened(text)
}

/** Whether a server does not let a connection use a database. The connection then stays in database 0, and works. */
export function isRefusedDatabase(error: unknown): boolean {
  const { command, name } = Object(error) as { command?: { readonly name?: string }; name?: string }
  // A connection that is lost fails the command as well.
  return name === 'ReplyError' && command?.name === 'select'
}

const otherDatabase =
  'the server does not have the database that the URL ends with, or the option `db` names. Use 0, or another number that it has: below its ' +
  '`databases`, which is 16 unless it is configured. A cluster mostly has database 0 alone'

function shortened(text: string): string {
  // A server that does not know a command repeats its arguments.
  return text
    .replace(/,? with args beginning with.*/is, '')
    .replaceAll(/\s+/g, ' ')
    .slice(0, 200)
    .replace(/\.$/, '')
}
