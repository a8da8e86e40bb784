import { hasCode, type ValkeyNode, type ValkeyNodes } from 'model-cache/internal'
import { fault, type Finding, ok } from '../finding.js'

/** A command that the library sends, on keys that no cache has. */
interface Attempt {
  /** What grants it: `get`, `cluster|slots`. */
  readonly right: string
  readonly command: readonly [name: string, ...args: string[]]
  /** The key pattern or channel pattern that it needs, without the namespace. */
  readonly pattern?: string
}

/** What was refused. */
interface Refusals {
  readonly commands: Set<string>
  readonly patterns: Set<string>
}

export interface RightsContext {
  readonly nodes: ValkeyNodes
  readonly namespace: string
  /** The names of the caches in the catalogue. */
  readonly caches: readonly string[]
  /** How many replicas have to acknowledge writes. */
  readonly replicas: number
}

/**
 * Whether the user may run all commands of the library on all keys and channels of the namespace, by trying.
 *
 * @throws StoreError if the server does not answer one of them: then nobody knows
 */
export async function checkRights(context: RightsContext): Promise<readonly Finding[]> {
  const key = `${context.namespace}:{doctor}:${crypto.randomUUID()}`
  const rows: Refusals = { commands: new Set(), patterns: new Set() }
  const messages: Refusals = { commands: new Set(), patterns: new Set() }
  for (const node of context.nodes.primaries) {
    for (const attempt of rowAttempts(context, key)) await attemptOn(node, attempt, rows)
    for (const attempt of messageAttempts(context)) await attemptOn(node, attempt, messages)
  }
  return [...rowFindings(context, rows), ...messageFindings(context, messages)]
}

/** The first one writes a value for ten seconds, and the last one deletes it. Those of hashes change nothing, because it is a string. */
function rowAttempts({ caches, namespace, nodes, replicas }: RightsContext, key: string): Attempt[] {
  const on = (pattern: string, name: string, ...args: string[]): Attempt => ({
    right: name.toLowerCase(),
    command: [name, ...args],
    pattern,
  })
  const own = (name: string, ...args: string[]): Attempt => on('{doctor}', name, key, ...args)
  const elsewhere = ['{catalogue}', ...caches.flatMap((name) => [`{${name}}`, `{${name}:0}`])].flatMap(
    (part) => {
      const unused = `${namespace}:${part}:doctor-${crypto.randomUUID()}`
      return [on(part, 'GET', unused), on(part, 'UNLINK', unused)]
    },
  )
  return [
    own('SET', '1', 'PX', '10000'),
    own('GET'),
    own('MGET'),
    own('TYPE'),
    own('EXISTS'),
    own('HGET', 'field'),
    own('HMGET', 'field'),
    own('HSET', 'field', '1'),
    own('HDEL', 'field'),
    own('HINCRBY', 'field', '1'),
    own('HGETALL'),
    on('{doctor}', 'EVAL', 'return 1', '1', key),
    on('{doctor}', 'EVALSHA', 'e0e1f9fabfc9d4800c877a703b823ac0578ff8db', '1', key),
    { right: 'time', command: ['TIME'] },
    { right: 'ping', command: ['PING'] },
    // It waits for none.
    ...(replicas > 0 ? [{ right: 'wait', command: ['WAIT', '0', '1'] as const }] : []),
    ...elsewhere,
    own('UNLINK'),
    own('DEL'),
    ...(nodes.isCluster
      ? [
          { right: 'cluster|slots', command: ['CLUSTER', 'SLOTS'] as const },
          { right: 'cluster|info', command: ['CLUSTER', 'INFO'] as const },
          { right: 'asking', command: ['ASKING'] as const },
        ]
      : []),
  ]
}

/** Nobody listens to these channels. */
function messageAttempts({ caches, namespace, nodes }: RightsContext): Attempt[] {
  const name = nodes.isCluster ? 'SPUBLISH' : 'PUBLISH'
  const listen = nodes.isCluster ? 'SSUBSCRIBE' : 'SUBSCRIBE'
  const channel = (part: string): string => `${namespace}:${part}:doctor-${crypto.randomUUID()}`
  const parts = ['{doctor}', '{follow}', ...caches.map((cache) => `{${cache}}:written`)]
  return [
    ...parts.map((part) => ({
      right: name.toLowerCase(),
      command: [name, channel(part), ''] as const,
      pattern: part,
    })),
    { right: listen.toLowerCase(), command: [listen, channel('{doctor}')], pattern: '{doctor}' },
  ]
}

async function attemptOn(
  node: ValkeyNode,
  { command: [name, ...args], pattern, right }: Attempt,
  refusals: Refusals,
): Promise<void> {
  try {
    if (name.endsWith('SUBSCRIBE')) await node.listen(args[0]!, name === 'SSUBSCRIBE')
    else await node.call(name, ...args)
  } catch (error) {
    if (hasCode(error, 'E_STORE_TIMEOUT')) throw error
    // Other errors are answers, too: of another node of the cluster, or that the server refuses writes.
    const { code, message } = error as { code?: unknown; message: string }
    if (code !== 'E_STORE_FORBIDDEN') return
    if (pattern && /access a (key|channel)|access one of the keys/i.test(message))
      refusals.patterns.add(pattern)
    else refusals.commands.add(right)
  }
}

function rowFindings({ namespace, nodes }: RightsContext, refusals: Refusals): Finding[] {
  const missing = describe(namespace, refusals, 'keys')
  if (missing === undefined)
    return [ok('valkey.rights', `The user ${nodes.user} may run all commands on the keys of ${namespace}.`)]
  return [
    fault(
      'error',
      'valkey.rights',
      `The user ${nodes.user} ${missing}.`,
      'Rows are not stored, or not invalidated: reads go to the database, and in mode `strict` writes fail.',
      grant(nodes, [...refusals.commands], refusals.patterns.size > 0 ? `~${namespace}:*` : undefined),
    ),
  ]
}

function messageFindings({ namespace, nodes }: RightsContext, refusals: Refusals): Finding[] {
  const missing = describe(namespace, refusals, 'channels')
  if (missing === undefined)
    return [ok('valkey.channels', `The user ${nodes.user} may send and receive messages of ${namespace}.`)]
  const commands = [...refusals.commands, ...[...refusals.commands].map(counterpartOf)].filter(Boolean)
  return [
    fault(
      'warning',
      'valkey.channels',
      `The user ${nodes.user} ${missing}.`,
      'Processes do not hear the writes of others: `l1` stays off, for hot rows as well, and nobody hears a follower.',
      grant(nodes, commands, refusals.patterns.size > 0 ? `&${namespace}:*` : undefined),
    ),
  ]
}

function describe(namespace: string, { commands, patterns }: Refusals, what: string): string | undefined {
  const parts = [
    commands.size > 0 ? `may not run ${[...commands].join(', ')}` : '',
    patterns.size > 0
      ? `may not access the ${what} ${[...patterns].map((part) => `${namespace}:${part}*`).join(', ')}`
      : '',
  ].filter(Boolean)
  return parts.length > 0 ? parts.join(', and ') : undefined
}

/** A user that subscribes has to unsubscribe. */
function counterpartOf(right: string): string {
  return right.endsWith('subscribe') ? right.replace('subscribe', 'unsubscribe') : ''
}

function grant(
  { isCluster, user }: ValkeyNodes,
  commands: readonly string[],
  pattern: string | undefined,
): string {
  const rules = [...commands.map((right) => `+${right}`), ...(pattern === undefined ? [] : [pattern])]
  return `ACL SETUSER ${user} ${rules.join(' ')}${isCluster ? ' (on every node)' : ''}`
}
