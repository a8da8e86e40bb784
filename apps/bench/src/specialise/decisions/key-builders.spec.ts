import { compileOneKey, compileTwoFieldKey, keyAtEachCall } from './key-builders.ts'

const one = { namespace: 'mc', name: 'Bid', fingerprint: 'abc', idFields: ['id'] }
const two = { ...one, idFields: ['lot', 'id'] }

describe('builders of keys', () => {
  it('make the same key of one id, whenever they decide', () => {
    expect(compileOneKey(one)('x:1')).toBe('mc:Bid:x:1:abc')
    expect(keyAtEachCall(one, 'x:1')).toBe('mc:Bid:x:1:abc')
  })

  it('make the same key of two fields, which keeps their parts apart', () => {
    for (const id of [
      { lot: 'a:b', id: 'c' },
      { lot: 'a', id: 'b:c' },
    ]) {
      expect(compileTwoFieldKey(two)(id)).toBe(keyAtEachCall(two, id))
    }
    expect(keyAtEachCall(two, { lot: 'a:b', id: 'c' })).not.toBe(keyAtEachCall(two, { lot: 'a', id: 'b:c' }))
  })

  it('refuse what is no id', () => {
    expect(() => compileOneKey(one)(7)).toThrow('made of strings')
    expect(() => compileTwoFieldKey(two)({ lot: 'a' })).toThrow('made of strings')
    expect(() => keyAtEachCall(two, { lot: 'a' })).toThrow('made of strings')
  })
})
