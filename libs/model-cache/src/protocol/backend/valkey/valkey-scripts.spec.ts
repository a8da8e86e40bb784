import { createHash } from 'node:crypto'
import type { Command } from 'ioredis'
import type { ValkeyClient } from './valkey-client.js'
import { digestOf, runScript, textOf } from './valkey-scripts.js'

/** The words of a command, as its bytes have them. */
function wordsOf(command: Command, socket: object): string[] {
  const lines = String(command.toWritable(socket)).split(/\r\n\$\d+\r\n/)
  return [...lines.slice(1, -1), lines.at(-1)!.replace(/\r\n$/, '')]
}

/** A connection whose commands have these replies, in their order. */
function connect(...replies: unknown[]) {
  const sent: string[][] = []
  const connection = { socket: {} }
  const sendCommand = async (command: Command): Promise<unknown> => {
    sent.push(wordsOf(command, connection.socket))
    const reply = replies.shift()
    if (reply instanceof Error || typeof reply === 'string') throw reply
    return reply ?? [0, 'reply']
  }
  const client = { options: {}, sendCommand } as unknown as ValkeyClient
  const run = (script: 'fill' | 'lease' = 'fill') => runScript(client, script, ['{a}x'], ['word'])
  return { connection, sent, run }
}

const asText = (script: 'fill' | 'lease') => ['eval', textOf(script), '1', '{a}x', 'word']
const asDigest = (script: 'fill' | 'lease') => ['evalsha', digestOf(script), '1', '{a}x', 'word']

describe('a script', () => {
  it('has the digest under which a server knows its text', () => {
    expect(digestOf('fill')).toBe(createHash('sha1').update(textOf('fill')).digest('hex'))
    expect(textOf('fill')).toContain('redis.call')
  })

  it('is sent as its text over a new connection, and as its digest after that', async () => {
    const { connection, sent, run } = connect()
    expect(await run()).toEqual([0, 'reply'])
    await run('lease')
    await run()
    await run('lease')
    expect(sent).toEqual([asText('fill'), asText('lease'), asDigest('fill'), asDigest('lease')])
    connection.socket = {}
    await run()
    expect(sent.at(-1)).toEqual(asText('fill'))
  })

  it('is sent as its text again if the server has lost it', async () => {
    const { sent, run } = connect([0, 'first'], new Error('NOSCRIPT No matching script.'), [0, 'again'])
    await run()
    expect(await run()).toEqual([0, 'again'])
    expect(sent.slice(1)).toEqual([asDigest('fill'), asText('fill')])
  })

  it.each([
    ['another error', new Error('BUSY')],
    ['an error that only names it', new Error('no NOSCRIPT')],
    ['what is no error', 'NOSCRIPT'],
  ])('is not sent again after %s', async (_, error) => {
    const { sent, run } = connect(error)
    await expect(run()).rejects.toBe(error)
    expect(sent).toHaveLength(1)
  })
})
