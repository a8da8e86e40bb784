/** One key to write. */
export interface StoreEntry {
  readonly key: string
  readonly value: string
  /** Milliseconds after which the store forgets the entry. */
  readonly ttlMs: number
}

/**
 * KEY -> TEXT. Knows no rows and no models. `describeStore` in `model-cache/testing` is its contract as tests.
 *
 * Every method rejects with a {@link StoreError} when the store does not answer within its deadline or answers with an
 * error; none waits for a connection to come back. Errors carry neither keys, values nor credentials.
 */
export interface Store {
  /** What it is, for logs and errors: `'valkey'`, `'memory'`. */
  readonly name: string

  /**
   * Of a store of several parts that fail apart: the part that holds a key, the same one for all keys with the same text in
   * braces. Who reads many keys asks for those of each part in a call of its own, so that one which does not answer keeps
   * nothing from the others.
   */
  readonly shardOf?: ((key: string) => string) | undefined

  /** Opens what the store owns. Resolves, never rejects: a store that cannot be reached now may be later. */
  connect(): Promise<void>

  /**
   * Values in the order of the keys, `null` where there is none. All calls of one turn of the event loop travel
   * together, as far as that is quick.
   */
  getMany(keys: readonly string[]): Promise<(string | null)[]>

  /**
   * Writes all entries; an entry that exists is replaced, its ttl too. Writes and removals take effect in the order in
   * which they were called: an invalidation relies on that.
   */
  setMany(entries: readonly StoreEntry[]): Promise<void>

  /** Removes keys; those that are not there are no error. */
  deleteMany(keys: readonly string[]): Promise<void>

  /** Writes without a ttl. */
  set(key: string, value: string): Promise<void>

  /** Writes without a ttl unless the key exists; gives what the key holds afterwards. */
  setIfAbsent(key: string, value: string): Promise<string>

  /** Resolves when the store answers. */
  ping(): Promise<void>

  /** Closes what the store opened, and only that. Calls that are under way are answered or rejected. */
  close(): Promise<void>
}

/** Told once per change, never per command. */
export type StoreStateListener = (side: 'reads' | 'writes', state: 'up' | 'down', reason: string) => void
