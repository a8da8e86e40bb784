import { Encryption } from './encryption.js'
import { KeyRing } from './key-ring.js'
import { isSealed, MessageSeal } from './message-seal.js'

const sealOf = (value: number): MessageSeal =>
  new MessageSeal(new Encryption(new KeyRing([{ id: 'a', key: Buffer.alloc(32, value) }]), 'messages'))

describe('an encrypted message', () => {
  const sealed = sealOf(1).close('["ä"]', 'channel;publisher;1')

  it('opens for processes with its key, where it belongs', () => {
    expect(isSealed(sealed)).toBe(true)
    expect(sealed).not.toContain('ä')
    expect(sealOf(1).open(sealed, 'channel;publisher;1')).toBe('["ä"]')
  })

  it('does not open elsewhere, with another key, or changed', () => {
    expect(sealOf(1).open(sealed, 'channel;publisher;2')).toBeUndefined()
    expect(sealOf(2).open(sealed, 'channel;publisher;1')).toBeUndefined()
    for (const text of ['$', '$!', `${sealed.slice(0, -8)}AAAAAAA=`])
      expect(sealOf(1).open(text, 'channel;publisher;1')).toBeUndefined()
  })

  it('is recognized beside one in clear text', () => {
    for (const text of ['["a"]', '~["a"]', '*', '-', '']) {
      expect(isSealed(text)).toBe(false)
      expect(sealOf(1).open(text, 'any')).toBe(text)
    }
  })
})
