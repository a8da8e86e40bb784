import { keySeparator, maxShapeKeyLength, maxShapeKeys } from './json-tags.js'

/** Maximum number of key lists kept between records. */
const maxLists = 1_024

/** An ordered list of keys: the path from the root of a trie to this node. Most nodes have one child and no map. */
export class KeyList {
  readonly length: number
  /** Number of the record in which `index` is valid. */
  record = 0
  index = 0
  /** The most recent next key, which usually repeats, and its list. */
  lastKey: string | undefined
  last: KeyList | undefined
  readonly #before: KeyList | undefined
  readonly #key: string
  #next: Map<string, KeyList> | undefined
  #text: string | undefined

  constructor(before?: KeyList, key = '') {
    this.length = before ? before.length + 1 : 0
    this.#before = before
    this.#key = key
  }

  /** The serialized list. */
  get text(): string {
    return (this.#text ??= this.#keys().join(keySeparator))
  }

  /** Returns the list extended by this key, or undefined if it does not exist yet. */
  with(key: string): KeyList | undefined {
    const list = this.#next?.get(key)
    if (list) {
      this.lastKey = key
      this.last = list
    }
    return list
  }

  extend(key: string): KeyList {
    const list = new KeyList(this, key)
    if (this.last) (this.#next ??= new Map([[this.lastKey!, this.last]])).set(key, list)
    this.lastKey = key
    return (this.last = list)
  }

  #keys(): string[] {
    return this.#before ? [...this.#before.#keys(), this.#key] : []
  }
}

/** Key lists of the objects seen so far. */
export class KeyTrie {
  #root = new KeyList()
  #lists = 0

  /** Drops all lists when there are too many, so that unique keys do not accumulate. */
  prune(): void {
    if (this.#lists <= maxLists) return
    this.#lists = 0
    this.#root = new KeyList()
  }

  /** Returns the key list of an object; undefined if it has no keys, or if its keys cannot be a shape. */
  find(object: object): KeyList | undefined {
    let list: KeyList | undefined = this.#root
    for (const key in object) {
      if (list.lastKey === key) list = list.last!
      else list = list.with(key) ?? this.#extend(list, key)
      if (!list) return undefined
    }
    return list.length > 0 ? list : undefined
  }

  #extend(list: KeyList, key: string): KeyList | undefined {
    if (list.length === maxShapeKeys || key.length > maxShapeKeyLength) return undefined
    if (key === '__proto__' || key.includes(keySeparator)) return undefined
    this.#lists++
    return list.extend(key)
  }
}
