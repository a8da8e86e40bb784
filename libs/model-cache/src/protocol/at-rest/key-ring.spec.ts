import { inspect } from 'node:util'
import { KeyRing } from './key-ring.js'

const bytes = (value: number): Buffer => Buffer.alloc(32, value)
const refusalOf = (keys: unknown): string => {
  try {
    return new KeyRing(keys as never).firstId
  } catch (error) {
    return (error as Error).message
  }
}

describe('keys', () => {
  it('are 32 bytes, or their base64', () => {
    const ring = new KeyRing([
      { id: 'b', key: bytes(7) },
      { id: 'a', key: bytes(7).toString('base64') },
      { id: 'c', key: new Uint8Array(bytes(8)) },
    ])
    expect(ring.firstId).toBe('b')
    const of = (id: string): string => ring.subkey(id, 'values', Buffer.alloc(16))!.export().toString('hex')
    expect(of('a')).toBe(of('b'))
    expect(of('c')).not.toBe(of('b'))
  })

  it('have another subkey for each purpose and salt', () => {
    const ring = new KeyRing([{ id: 'a', key: bytes(1) }])
    const subkeys = (['values', 'messages', 'keys'] as const).flatMap((purpose) =>
      [0, 1].map((salt) => ring.subkey('a', purpose, Buffer.alloc(16, salt))!.export().toString('hex')),
    )
    expect(new Set([...subkeys, bytes(1).toString('hex')]).size).toBe(7)
    expect(ring.subkey('b', 'values', Buffer.alloc(16))).toBeUndefined()
  })

  it.each([
    ['no list', undefined, /there is none/],
    ['an empty list', [], /there is none\. Give at least one/],
    ['no key', [undefined], /one has no valid id/],
    ['no id', [{ key: bytes(1) }], /one has no valid id/],
    ['a long id', [{ id: 'x'.repeat(33), key: bytes(1) }], /1 to 32 letters/],
    ['an id with other characters', [{ id: 'a b', key: bytes(1) }], /one has no valid id/],
    [
      'the same id twice',
      [
        { id: 'a', key: bytes(1) },
        { id: 'a', key: bytes(2) },
      ],
      /two have the id "a"/,
    ],
    [
      'a short key',
      [{ id: 'a', key: bytes(1).subarray(1) }],
      /the id "a" has 31 bytes.*openssl rand -base64 32/,
    ],
    ['hexadecimal digits', [{ id: 'a', key: bytes(1).toString('hex') }], /has 48 bytes/],
    ['a passphrase', [{ id: 'a', key: 'correct horse battery staple' }], /is neither bytes nor base64/],
    ['a number', [{ id: 'a', key: 7 }], /is neither bytes nor base64/],
  ])('are refused, with the remedy: %s', (_, keys, message) => {
    expect(refusalOf(keys)).toMatch(message)
    expect(refusalOf(keys)).toMatch(/^model-cache: option "atRest.keys": /)
  })

  it('are in no message, and in nothing that prints them', () => {
    const secret = 'c2VjcmV0LXNlY3JldC1zZWNyZXQ='
    expect(refusalOf([{ id: 'a', key: secret }])).not.toContain('c2Vj')
    const key = Buffer.from('0123456789abcdef0123456789abcdef')
    const ring = new KeyRing([{ id: 'a', key }])
    const shown = [inspect(ring, { depth: 9, showHidden: true }), JSON.stringify(ring), String(ring)].join()
    for (const text of [key.toString(), key.toString('hex'), '30 31 32', key.toString('base64')])
      expect(shown).not.toContain(text)
  })
})
