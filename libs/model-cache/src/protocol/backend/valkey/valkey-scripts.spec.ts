import { createHash } from 'node:crypto'
import type { ValkeyClient } from './valkey-client.js'
import { digestOf, runScript, textOf } from './valkey-scripts.js'

describe('a script', () => {
  it('has the digest under which a server knows its text', () => {
    expect(digestOf('fill')).toBe(createHash('sha1').update(textOf('fill')).digest('hex'))
    expect(textOf('fill')).toContain('redis.call')
  })

  it.each([
    ['an error that only names it', new Error('no NOSCRIPT')],
    ['what is no error', 'NOSCRIPT'],
  ])('is not sent again after %s', async (_, error) => {
    let sent = 0
    const sendCommand = async (): Promise<never> => {
      sent++
      throw error
    }
    const client = { options: {}, sendCommand } as unknown as ValkeyClient
    await expect(runScript(client, 'fill', ['{a}x'], ['word'])).rejects.toBe(error)
    expect(sent).toBe(1)
  })
})
