import { maxShapeKeyLength, maxShapeKeys } from './json-tags.js'

/** Nodes that are kept from one record to the next. */
const maxNodes = 1_024

/** A list of keys, in order: the way from the root to this node. */
export class KeyList {
  /** The number of the record in which this list has an index. */
  record = 0
  index = 0
  /** The key that came next the last time, as it mostly does again. */
  lastKey: string | undefined
  last: KeyList | undefined
  readonly length: number
  readonly #keys: readonly string[]
  readonly #next = new Map<string, KeyList>()
  #json: string | undefined

  constructor(keys: readonly string[]) {
    this.#keys = keys
    this.length = keys.length
  }

  /** The list as it is written. */
  get json(): string {
    return (this.#json ??= JSON.stringify(this.#keys))
  }

  next(key: string, trie: KeyTrie): KeyList {
    let next = this.#next.get(key)
    if (!next) {
      next = new KeyList([...this.#keys, key])
      this.#next.set(key, next)
      trie.nodes++
    }
    this.lastKey = key
    return (this.last = next)
  }
}

/** The key lists that objects have had. */
export class KeyTrie {
  nodes = 0
  #root = new KeyList([])

  /** Forgets all lists when they have become too many: keys that never come again must not add up. */
  prune(): void {
    if (this.nodes <= maxNodes) return
    this.nodes = 0
    this.#root = new KeyList([])
  }

  /** The key list of an object; undefined when these keys are no shape. */
  find(object: object): KeyList | undefined {
    let list = this.#root
    for (const key in object) {
      if (list.lastKey === key) list = list.last!
      else if (list.length === maxShapeKeys || key.length > maxShapeKeyLength || key === '__proto__')
        return undefined
      else list = list.next(key, this)
    }
    return list
  }
}
