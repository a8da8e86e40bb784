import { Encryption } from './encryption.js'
import { KeyRing } from './key-ring.js'

const key = (id: string, value = 1) => ({ id, key: Buffer.alloc(32, value) })
const open = (...keys: readonly ReturnType<typeof key>[]): Encryption =>
  new Encryption(new KeyRing(keys), 'values')
const context = Buffer.from('where it belongs')

describe('encryption', () => {
  it.each(['', 'a', 'rosé 🎁', 'x'.repeat(100_000)])('gives text and bytes back', (text) => {
    const encryption = open(key('2026-11'))
    for (const plain of [text, Buffer.from(text)]) {
      const bytes = encryption.encrypt(plain, context)
      // The id of the key, the salt, the nonce and the tag are added.
      expect(bytes.length).toBe(Buffer.byteLength(text) + 1 + '2026-11'.length + 16 + 12 + 16)
      expect(encryption.decrypt(bytes, context)).toEqual(Buffer.from(text))
    }
  })

  it('shows nothing of the text, and never the same bytes', () => {
    const encryption = open(key('a'))
    const [one, other] = [1, 2].map(() => encryption.encrypt('a text that is known', context))
    expect(one!.toString('latin1')).not.toContain('known')
    expect(one).not.toEqual(other)
    // The key and the salt are those of the process, all else is new.
    expect(one!.subarray(0, 18)).toEqual(other!.subarray(0, 18))
    expect(one!.subarray(18, 30)).not.toEqual(other!.subarray(18, 30))
  })

  it('opens what other processes have written with the same key', () => {
    const bytes = open(key('a')).encrypt('text', context)
    expect(String(open(key('a')).decrypt(bytes, context))).toBe('text')
  })

  it('encrypts with the first key, and opens with all of them', () => {
    const [before, both, after] = [open(key('a')), open(key('b', 2), key('a')), open(key('b', 2))]
    const old = before.encrypt('old', context)
    const renewed = both.encrypt('new', context)
    expect(String(both.decrypt(old, context))).toBe('old')
    expect(String(after.decrypt(renewed, context))).toBe('new')
    expect(after.decrypt(old, context)).toBe('unknown_key')
    expect(before.decrypt(renewed, context)).toBe('unknown_key')
  })

  it('does not open with another key of the same id, nor elsewhere, nor for another purpose', () => {
    const bytes = open(key('a')).encrypt('text', context)
    expect(open(key('a', 2)).decrypt(bytes, context)).toBe('tampered')
    expect(open(key('a')).decrypt(bytes, Buffer.from('elsewhere'))).toBe('tampered')
    expect(new Encryption(new KeyRing([key('a')]), 'messages').decrypt(bytes, context)).toBe('tampered')
  })

  it('does not open with any bit changed, cut or added', () => {
    const encryption = open(key('a'))
    const bytes = encryption.encrypt('a small row', context)
    for (let bit = 0; bit < 8 * bytes.length; bit++) {
      const changed = Buffer.from(bytes)
      changed[bit >> 3]! ^= 1 << (bit & 7)
      expect(['tampered', 'unknown_key']).toContain(encryption.decrypt(changed, context))
    }
    for (let length = 0; length < bytes.length; length++)
      expect(typeof encryption.decrypt(bytes.subarray(0, length), context)).toBe('string')
    expect(encryption.decrypt(Buffer.concat([bytes, Buffer.from('x')]), context)).toBe('tampered')
  })

  it('keeps the subkeys of a thousand salts, whoever chose them', () => {
    const encryption = open(key('a'))
    const bytes = encryption.encrypt('text', context)
    for (let salt = 0; salt < 2_500; salt++) {
      const other = Buffer.from(bytes)
      other.writeUInt32BE(salt, 3)
      expect(encryption.decrypt(other, context)).toBe('tampered')
    }
    expect(String(encryption.decrypt(bytes, context))).toBe('text')
  })
})
