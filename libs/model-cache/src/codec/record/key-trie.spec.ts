import { KeyTrie } from './key-trie.js'

const objectOf = (...keys: string[]) => Object.fromEntries(keys.map((key) => [key, 0]))
const names = (count: number) => Array.from({ length: count }, (_, i) => `k${i}`)

describe('a trie of keys', () => {
  it('has one list for the keys of objects in their order', () => {
    const trie = new KeyTrie()
    const lists = [['a'], ['b'], ['c'], ['a', 'b'], ['a', 'c'], ['b', 'a'], ['a', 'b', 'c'], names(32)]
    const found = lists.map((keys) => trie.find(objectOf(...keys)))
    expect(found.map((list) => list?.text)).toEqual(lists.map((keys) => keys.join('\n')))
    expect(found.map((list) => list?.length)).toEqual(lists.map(({ length }) => length))
    expect(new Set(found).size).toBe(lists.length)
    // In another order, so that no list is the last one that its beginning led to.
    for (const i of [0, 1, 2, 0, 0, 4, 3, 6, 5, 7, 2, 1, 3, 4])
      expect(trie.find(objectOf(...lists[i]!))).toBe(found[i])
  })

  it.each([
    ['no keys', {}],
    ['33 keys', objectOf(...names(33))],
    ['a key of 65 characters', objectOf('a', 'k'.repeat(65))],
    ['a key __proto__', JSON.parse('{"a":1,"__proto__":2}') as object],
    ['a key of several lines', objectOf('a\nb')],
  ])('has no list for an object of %s', (_, object) => {
    const trie = new KeyTrie()
    for (const _ of ['first', 'second']) expect(trie.find(object)).toBeUndefined()
  })

  it.each([
    ['32 keys', objectOf(...names(32))],
    ['a key of 64 characters', objectOf('k'.repeat(64))],
    ['an empty key', objectOf('')],
    ['an empty key and another', objectOf('a', '', 'b')],
  ])('has one for an object of %s', (_, object) => {
    const trie = new KeyTrie()
    expect(trie.find(object)?.text).toBe(Object.keys(object).join('\n'))
    expect(trie.find(object)).toBe(trie.find(object))
  })

  it('drops its lists once there are more than 1,024', () => {
    const trie = new KeyTrie()
    const first = trie.find(objectOf('k0'))
    for (const name of names(1_024)) trie.find(objectOf(name))
    trie.prune()
    expect(trie.find(objectOf('k0'))).toBe(first)
    trie.find(objectOf('one more'))
    expect(trie.find(objectOf('k0'))).toBe(first)
    trie.prune()
    const second = trie.find(objectOf('k0'))
    expect(second).not.toBe(first)
    trie.prune()
    expect(trie.find(objectOf('k0'))).toBe(second)
  })
})
