import { Command } from 'ioredis'
import { SerializedCommand } from './serialized-command.js'
import type { ValkeyClient } from './valkey-client.js'

const socket = {}
const bytesOf = (command: Command) => Buffer.from(command.toWritable(socket as never) as string)

describe('a command that is serialized at once', () => {
  it.each([
    ['no arguments', []],
    ['keys', ['a', 'mc:{Lot:7}:a:print']],
    ['an empty argument', ['']],
    ['arguments around the lengths whose heads are ready', [254, 255, 256, 257].map((n) => 'x'.repeat(n))],
    ['other letters than ASCII', ['ü', '🎁', 'a']],
    ['line breaks', ['a\r\n$1\r\nb']],
  ])('has the bytes that ioredis sends: %s', (_, args) => {
    for (const keyPrefix of ['', 'app:']) {
      const client = { options: { keyPrefix } } as ValkeyClient
      const plain = new Command('mget', args as string[], { keyPrefix })
      expect(bytesOf(new SerializedCommand(client, 'mget', args, null))).toEqual(bytesOf(plain))
    }
  })
})
