import { createHash } from 'node:crypto'
import { SerializedCommand } from './serialized-command.js'
import { scripts } from './lua-scripts.generated.js'
import type { ValkeyClient } from './valkey-client.js'

/**
 * The commands that must be atomic, as Lua scripts. Each takes many keys of one cluster slot. A script that leases 64 rows costs the client
 * a quarter of the processor time of 64 `SET … NX GET PX`, and the server nine tenths; one that fills 64 rows costs the client a fifth of
 * 64 single scripts, and the server half. In one pipeline, native leases would cost the server half as much and the client twice as much,
 * and the client is busier. No native command sets one key if another holds a token. So all servers from Redis 7 on run the same
 * scripts; `npm run bench -- write` measures them.
 *
 * KEYS alternate guards and values; for fences, a guard may stand alone. format/guard.ts describes guards, and Store what each script does.
 * Each script returns the number of keys that it removed because they did not hold a string, and its reply.
 */
export type Script = keyof typeof scripts

/** The number of keys of another type that the script removed, and its reply. */
export type ScriptReply = readonly [removed: number, reply: unknown]

const digests = Object.fromEntries(
  Object.entries(scripts).map(([name, lua]) => [name, createHash('sha1').update(lua).digest('hex')]),
) as Record<Script, string>

export const textOf = (script: Script): string => scripts[script]

/** Under which a server knows a script that it has loaded. */
export const digestOf = (script: Script): string => digests[script]

/** The scripts that were sent over a connection. */
const sent = new WeakMap<object, Set<Script>>()

/** A script, sent as its text over a new connection and as its digest after that. */
class ScriptCommand extends SerializedCommand {
  readonly #script: Script

  constructor(
    client: ValkeyClient,
    script: Script,
    keys: readonly string[],
    args: readonly (string | Buffer)[],
  ) {
    super(client, 'evalsha', [digests[script], String(keys.length), ...keys, ...args], 'utf8')
    this.#script = script
  }

  override toWritable(socket: object): string | Buffer {
    let known = sent.get(socket)
    if (!known) sent.set(socket, (known = new Set()))
    const isKnown = known.has(this.#script)
    known.add(this.#script)
    this.name = isKnown ? 'evalsha' : 'eval'
    this.args[0] = isKnown ? digests[this.#script] : scripts[this.#script]
    return super.toWritable(socket)
  }
}

/** Runs a script, and sends its text if the server has lost it. */
export function runScript(
  client: ValkeyClient,
  script: Script,
  keys: readonly string[],
  args: readonly (string | Buffer)[],
): Promise<ScriptReply> {
  const reply = client.sendCommand(new ScriptCommand(client, script, keys, args)) as Promise<ScriptReply>
  return reply.catch((error: unknown) => {
    if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error
    const text = [scripts[script], String(keys.length), ...keys, ...args]
    return client.sendCommand(new SerializedCommand(client, 'eval', text, 'utf8')) as Promise<ScriptReply>
  })
}
