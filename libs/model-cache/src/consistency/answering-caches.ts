type Fields = Readonly<Record<string, unknown>>

/** A lookup of a cache that can answer queries, as the port of its source describes it. */
export interface AnsweringLookup {
  readonly kind: 'unique' | 'list'
  readonly by: readonly string[]
  readonly folded: readonly string[]
  readonly where: Fields
  readonly orderBy: { readonly declared: readonly Fields[]; readonly total: readonly Fields[] }
  readonly limit: number | undefined
  keyOf(values: Fields): string | null | undefined
  findMany(keys: readonly Fields[]): Promise<readonly (readonly Fields[])[]>
}

/** A cache that can answer queries of Prisma, as the port of its source describes it. */
export interface AnsweringCache {
  readonly name: string
  readonly model: string
  readonly idFields: readonly string[]
  readonly fields: readonly string[]
  readonly exactFields: readonly string[]
  readonly lookups: readonly AnsweringLookup[]
  isFrom(client: object): boolean
  get(id: unknown): Promise<Fields | null>
  getMany(ids: readonly unknown[]): Promise<readonly (Fields | null)[]>
  countRead(outcome: string, count: number): void
  countShadow(outcome: string): void
  warn(message: string): void
}

/** The caches of this process that can answer queries of Prisma. */
export class AnsweringCaches {
  readonly #byName = new Map<string, AnsweringCache>()
  readonly #isInTransaction: () => boolean
  #version = 0

  constructor(isInTransaction: () => boolean) {
    this.#isInTransaction = isInTransaction
  }

  /** Grows with each cache that is added or removed. */
  get version(): number {
    return this.#version
  }

  /** Whether the caller runs in a transaction. */
  get isInTransaction(): boolean {
    return this.#isInTransaction()
  }

  all(): Iterable<AnsweringCache> {
    return this.#byName.values()
  }

  /** Adds a cache, in place of an earlier one of its name. */
  add(cache: AnsweringCache): void {
    this.#byName.set(cache.name, cache)
    this.#version++
  }

  /** Removes a cache that has ended, unless another one has taken its place. */
  remove(cache: AnsweringCache): void {
    if (this.#byName.get(cache.name) !== cache) return
    this.#byName.delete(cache.name)
    this.#version++
  }
}
