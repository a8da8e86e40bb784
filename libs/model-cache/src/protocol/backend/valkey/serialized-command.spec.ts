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
    ['bytes', ['ü', Buffer.from([0, 13, 10, 255, 128]), Buffer.alloc(0), 'a']],
  ])('has the bytes that ioredis sends: %s', (_, args) => {
    for (const keyPrefix of ['', 'app:']) {
      const client = { options: { keyPrefix } } as ValkeyClient
      const plain = new Command('mget', [...args], { keyPrefix })
      expect(bytesOf(new SerializedCommand(client, 'mget', args, null))).toEqual(bytesOf(plain))
    }
  })
})

describe('a command that a connection of ioredis 6 sends', () => {
  it('knows the protocol of its connection', () => {
    const command = new SerializedCommand({ options: {} } as ValkeyClient, 'mget', ['x'], null)
    command.setReplyContext({ protocol: 3, replyMapping: 'native' } as never)
    expect(command).toMatchObject({ protocol: 3, replyMapping: 'native' })
  })
})

describe('a read of many values', () => {})
