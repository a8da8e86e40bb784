import type { ExistingCaches, UnansweredNamespace } from './existing-caches.js'
import type { NamespaceCaches } from './namespace-caches.js'
import type { WrittenCache } from './written-cache.js'

/** The caches of several namespaces. */
export class JoinedCaches implements ExistingCaches {
  readonly #namespaces: readonly NamespaceCaches[]
  /** The caches of all namespaces, and the lists that they were joined of. */
  #joined: readonly WrittenCache[] = []
  #joinedOf: readonly (readonly WrittenCache[])[] = []

  /** @param namespaces may grow and shrink */
  constructor(namespaces: readonly NamespaceCaches[]) {
    this.#namespaces = namespaces
  }

  get all(): readonly WrittenCache[] {
    // Nearly always.
    if (this.#namespaces.length === 1) return this.#namespaces[0]!.all
    const parts = this.#namespaces.map(({ all }) => all)
    if (parts.length !== this.#joinedOf.length || parts.some((part, i) => part !== this.#joinedOf[i])) {
      this.#joinedOf = parts
      this.#joined = parts.flat()
    }
    return this.#joined
  }

  ask(): Promise<readonly UnansweredNamespace[]> {
    return this.#namespaces.length === 1
      ? this.#namespaces[0]!.ask()
      : Promise.all(this.#namespaces.map((namespace) => namespace.ask())).then((asked) => asked.flat())
  }
}
