import { keySeparator, maxShapeKeyLength, maxShapeKeys } from './json-tags.js'

/** Lists that are kept from one record to the next. */
const maxLists = 1_024

/** A list of keys, in order: the way from the root of a trie to this node. Most have one next key, and so no map. */
export class KeyList {
  readonly length: number
  /** The number of the record in which this list has an index. */
  record = 0
  index = 0
  /** The key that came next the last time, as it mostly does again, and the list with it. */
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

  /** The list as it is written. */
  get text(): string {
    return (this.#text ??= this.#keys().join(keySeparator))
  }

  /** The list that has this key as well; undefined when there has been none. */
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

/** The key lists that objects have had. */
export class KeyTrie {
  #root = new KeyList()
  #lists = 0

  /** Forgets all lists when they have become too many: keys that never come again must not add up. */
  prune(): void {
    if (this.#lists <= maxLists) return
    this.#lists = 0
    this.#root = new KeyList()
  }

  /** The key list of an object; undefined when it has none, or when its keys are no shape. */
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
