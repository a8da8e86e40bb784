import { Command } from 'ioredis'
import type { ValkeyClient } from './valkey-client.js'

/** Reads values as bytes, with one command. */
export function multiGet(client: ValkeyClient, keys: readonly string[]): Promise<(Buffer | null)[]> {
  return client.sendCommand(new SerializedCommand(client, 'mget', keys, null)) as Promise<(Buffer | null)[]>
}

/**
 * A command that is serialized at once. The base class measures each argument, for which V8 flattens every concatenated string, and
 * copies all of them again when they are written.
 */
export class SerializedCommand extends Command {
  /** @param replyEncoding of text in the reply; null for bytes */
  constructor(
    client: ValkeyClient,
    name: 'mget' | 'eval' | 'evalsha',
    args: readonly (string | Buffer)[],
    replyEncoding: 'utf8' | null,
  ) {
    super(name, args as string[], { replyEncoding, keyPrefix: client.options.keyPrefix })
  }

  /** Called by clients of ioredis 6, also if this library has ioredis 5, whose commands have no such method. */
  override setReplyContext(context: Parameters<Command['setReplyContext']>[0]): void {
    super.setReplyContext?.(context)
  }

  override toWritable(socket: object): string | Buffer {
    const { name } = this
    const args = this.args as (string | Buffer)[]
    const words = Array<string>(2 * args.length + 2)
    words[0] = `*${args.length + 1}\r\n$${name.length}\r\n${name}`
    for (let i = 0; i < args.length; i++) {
      const arg = args[i]!
      if (typeof arg !== 'string') return super.toWritable(socket)
      words[2 * i + 1] = heads[arg.length] ?? headOf(arg.length)
      words[2 * i + 2] = arg
    }
    words[words.length - 1] = '\r\n'
    const text = words.join('')
    // Most arguments are ASCII, with one byte per character.
    return Buffer.byteLength(text) === text.length ? text : super.toWritable(socket)
  }
}

const headOf = (length: number): string => `\r\n$${length}\r\n`

/** The protocol's prefix of an argument by its length, precomputed for usual lengths. */
const heads = Array.from({ length: 256 }, (_, length) => headOf(length))
