import { createHash } from 'node:crypto'
import { SerializedCommand } from './serialized-command.js'
import { scripts } from './lua-scripts.js'
import type { ValkeyClient } from './valkey-client.js'

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

  constructor(client: ValkeyClient, script: Script, keys: readonly string[], args: readonly string[]) {
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
  args: readonly string[],
): Promise<ScriptReply> {
  const reply = client.sendCommand(new ScriptCommand(client, script, keys, args)) as Promise<ScriptReply>
  return reply.catch((error: unknown) => {
    if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error
    const text = [scripts[script], String(keys.length), ...keys, ...args]
    return client.sendCommand(new SerializedCommand(client, 'eval', text, 'utf8')) as Promise<ScriptReply>
  })
}
