/**
 * The reason in words. The original error is left behind on purpose: ioredis attaches the command with its
 * arguments, which for AUTH is the password and otherwise are keys and values.
 */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown error'
  const { code } = error as { code?: unknown }
  const text = error.message || (typeof code === 'string' ? code : error.name)
  // What ioredis says of a command that nothing was there to carry, in words of its options.
  if (text.includes('enableOfflineQueue')) return 'there is no connection'
  // A server that does not know a command repeats its arguments.
  return text
    .replace(/,? with args beginning with.*/is, '')
    .replaceAll(/\s+/g, ' ')
    .slice(0, 200)
}
