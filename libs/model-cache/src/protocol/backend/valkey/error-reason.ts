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

/** What to add to the rule of a user to whom the server refuses a command; undefined where it has another reason. */
export function aclAdviceOf(reason: string): string | undefined {
  // Scripts run commands with the rights of their user.
  if (!/^NOPERM|ACL failure in script/.test(reason)) return undefined
  const command = /run the '([^']+)' command/.exec(reason)?.[1]
  const right = command ? `+${command}` : /channel/i.test(reason) ? '&<namespace>:*' : '~<namespace>:*'
  return (
    `Add ${right} to the rule of its user (ACL SETUSER); docs/operations.md has the whole rule, and npx model-cache doctor tries all ` +
    'of it'
  )
}

/** The reason of a server, with the advice if it says that a right is missing. */
export function withAclAdvice(reason: string): string {
  const advice = aclAdviceOf(reason)
  return advice === undefined ? reason : `${reason}. ${advice}`
}

const remedy = 'give it a cluster client, `valkey: { client: new Cluster([…]) }`; see docs/cluster.md'

/** What to do about an error of a node that does not have the keys of a command; undefined for other errors. */
export function clusterAdviceOf(reason: string): string | undefined {
  if (!/^(MOVED|CROSSSLOT) /.test(reason)) return undefined
  return `The server is a node of a cluster. If the store has a client for a single server, ${remedy}`
}

interface InformedClient {
  readonly isCluster: boolean
  info(section: string): Promise<string>
}

/** Advice for a client of a single server that is a node of a cluster. */
export async function singleClientAdvice(client: InformedClient): Promise<readonly string[]> {
  if (client.isCluster || !/^cluster_enabled:1/m.test(await client.info('cluster'))) return []
  return [
    `Valkey is a cluster, and the store has a client for a single server, so nothing is cached: ${remedy}.`,
  ]
}
