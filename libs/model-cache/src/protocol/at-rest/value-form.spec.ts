import { Compression } from './compression.js'
import { Encryption } from './encryption.js'
import { KeyRing } from './key-ring.js'
import { createValueForm, type ValueForm } from './value-form.js'

const encryption = new Encryption(new KeyRing([{ id: 'a', key: Buffer.alloc(32, 1) }]), 'values')
const compression = new Compression(100)
const forms: readonly [string, ValueForm][] = [
  ['encrypted', createValueForm(undefined, encryption)!],
  ['compressed', createValueForm(compression, undefined)!],
  ['compressed and encrypted', createValueForm(compression, encryption)!],
]
const encryptedForms = forms.filter(([name]) => name !== 'compressed')
const key = 'mc:{Löt:7}:ä:print'
const values = ['', 'rosé 🎁', 'print;epoch;1;2', 'name; '.repeat(200), 'name; '.repeat(100_000)]

it('has no form where nothing is to be done', () => {
  expect(createValueForm(undefined, undefined)).toBeUndefined()
  expect(new Set(forms.map(([, { name }]) => name)).size).toBe(3)
})

describe.each(forms)('a value that is %s', (_, form) => {
  it('is the same as before when it is read', async () => {
    for (const value of values) expect(String(await form.open(key, await form.close(key, value)))).toBe(value)
  })

  it('is no value, and never an error, without a byte of it', async () => {
    const closed = await form.close(key, 'name; '.repeat(50))
    for (let length = 0; length < closed.length; length++)
      expect(typeof (await form.open(key, closed.subarray(0, length)))).toBe('string')
  })

  it('may be any bytes', async () => {
    for (const text of ['', ';', 'print;epoch;', 'clear text', '?', '\x7f'.repeat(300)])
      expect(typeof (await form.open(key, Buffer.from(text)))).toBe('string')
  })
})

describe.each(encryptedForms)('a value that is %s', (_, form) => {
  it('shows nothing', async () => {
    for (const value of ['a known text', 'a known text '.repeat(50)])
      expect((await form.close(key, value)).toString('latin1')).not.toContain('known')
  })

  it('does not open under another key', async () => {
    const closed = await form.close(key, 'row')
    for (const other of ['mc:{Löt:7}:b:print', 'other:{Löt:7}:ä:print', `${key}2`, ''])
      expect(await form.open(other, closed)).toBe('tampered')
  })

  it('does not open with any bit changed', async () => {
    const closed = await form.close(key, 'a small row')
    for (let bit = 0; bit < 8 * closed.length; bit++) {
      const changed = Buffer.from(closed)
      changed[bit >> 3]! ^= 1 << (bit & 7)
      expect(['tampered', 'unknown_key']).toContain(await form.open(key, changed))
    }
  })
})
