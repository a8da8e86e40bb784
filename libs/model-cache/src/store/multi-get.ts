import { Command } from 'ioredis'
import type { ValkeyClient } from './valkey-client.js'

/** Reads values as bytes, with one command. */
export function multiGet(client: ValkeyClient, keys: readonly string[]): Promise<(Buffer | null)[]> {
  return client.sendCommand(new MultiGet(client, keys)) as Promise<(Buffer | null)[]>
}

/**
 * `MGET`, serialized at once. The base class measures each key, for which V8 flattens every concatenated string, and copies
 * all of them again when they are written.
 */
class MultiGet extends Command {
  constructor(client: ValkeyClient, keys: readonly string[]) {
    super('mget', keys as string[], { replyEncoding: null, keyPrefix: client.options.keyPrefix })
  }

  override toWritable(socket: object): string | Buffer {
    const keys = this.args as string[]
    const words = Array<string>(2 * keys.length + 2)
    words[0] = `*${keys.length + 1}\r\n$4\r\nmget`
    for (let i = 0; i < keys.length; i++) {
      const key = keys[i]!
      words[2 * i + 1] = heads[key.length] ?? headOf(key.length)
      words[2 * i + 2] = key
    }
    words[words.length - 1] = '\r\n'
    const text = words.join('')
    // Most keys are ASCII, with one byte per character.
    return Buffer.byteLength(text) === text.length ? text : super.toWritable(socket)
  }
}

const headOf = (length: number): string => `\r\n$${length}\r\n`

/** The protocol's prefix of a key by the key's length, precomputed for usual lengths. */
const heads = Array.from({ length: 256 }, (_, length) => headOf(length))
