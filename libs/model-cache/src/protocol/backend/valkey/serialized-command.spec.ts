import { Command } from 'ioredis'
import { multiGet, SerializedCommand } from './serialized-command.js'
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

describe('a read of many values', () => {
  it('is one command, whose reply has their bytes', async () => {
    const values = [Buffer.from('ü'), null]
    const sent: string[] = []
    const sendCommand = (command: Command): Promise<unknown> => {
      sent.push(String(bytesOf(command)))
      command.resolve(values)
      return command.promise
    }
    const client = { options: {}, sendCommand } as unknown as ValkeyClient
    expect(await multiGet(client, ['x', 'y'])).toEqual(values)
    expect(sent).toEqual(['*3\r\n$4\r\nmget\r\n$1\r\nx\r\n$1\r\ny\r\n'])
  })
})
