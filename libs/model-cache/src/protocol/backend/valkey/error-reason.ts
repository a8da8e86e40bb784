import { types } from 'node:util'

/**
 * Returns the reason of an error as text. Drops the error itself on purpose: ioredis attaches the command with its
 * arguments, which are the password for AUTH, and keys and values for others.
 */
export function reasonOf(error: unknown): string {
  // `instanceof` would miss errors of Node in a test of Jest, which has another global object.
  if (!types.isNativeError(error)) return 'unknown error'
  const { code } = error as { code?: unknown }
  const text = error.message || (typeof code === 'string' ? code : error.name)
  // The messages of ioredis for a command without a connection, or that waited for one, name its own options.
  if (text.includes('enableOfflineQueue')) return 'there is no connection'
  if (text.includes('maxRetriesPerRequest')) return 'the connection was lost'
  // A server that does not know a command repeats its arguments.
  return text
    .replace(/,? with args beginning with.*/is, '')
    .replaceAll(/\s+/g, ' ')
    .slice(0, 200)
}
