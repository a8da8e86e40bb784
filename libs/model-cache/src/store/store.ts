/** A value, and the guard that says who may write it. Both hash tags are the same, so both are in one cluster slot. */
export interface GuardedKey {
  readonly key: string
  readonly guard: string
}

/** A value that is written under a lease. */
export interface Fill extends GuardedKey {
  /** Of the lease, as {@link LeaseAnswer} gives it. */
  readonly token: string
  readonly value: string
  /** Milliseconds after which the store forgets the value. */
  readonly ttlMs: number
}

export interface LeaseRequest {
  /** A word that no other request has or had. */
  readonly token: string
  /** How long the lease holds, unless it is used before. */
  readonly leaseMs: number
  /** Whether a value that is there is a reason not to give the lease. */
  readonly onlyAbsent: boolean
  /** Whether a recent write is a reason, too: for rows that were read before asking for the lease. */
  readonly onlyUnmarked: boolean
}

/** The answer to a request for a lease: the token under which to fill or release, or why there is none. */
export type LeaseAnswer =
  { readonly token: string; readonly refusal: null } | { readonly token: null; readonly refusal: Refusal }

/** Why a lease is not given. */
export type Refusal =
  /** Writers are at work, or were a moment ago. */
  | 'fenced'
  /** Somebody else has the lease. */
  | 'leased'
  /** There is a value by now. */
  | 'filled'

/** What a write invalidates: all rows of the model, or only what is known of which rows there are. */
export type RegisterScope = 'all' | 'membership'

/** A change of the register of a model: see {@link Store.change}. A write is remembered for `markMs` after its end. */
export type RegisterChange =
  | {
      readonly kind: 'join'
      /** The fingerprint whose values live for `lifeMs` from now on. */
      readonly fingerprint: string
      readonly lifeMs: number
      readonly markMs: number
    }
  | {
      readonly kind: 'fence'
      readonly scope: RegisterScope
      readonly token: string
      readonly fenceMs: number
      readonly markMs: number
    }
  | {
      readonly kind: 'release'
      readonly scope: RegisterScope
      readonly token: string
      readonly holdMs: number
      readonly markMs: number
    }

export interface ChangedRegister {
  readonly text: string
  /** Milliseconds since 1970, by the clock of the store. */
  readonly nowMs: number
}

/** What a process knows of the catalogue, and what it adds: see {@link Store.askCatalogue}. */
export interface CatalogueRequest {
  /** The version that the process has read last, `''` for none. */
  readonly known: string
  /**
   * Whether the process is about to write rows: entries that come later are entries that it does not know of. It counts only where
   * the process knows the catalogue's word, or none: else it has to ask again, and put its own entries first.
   */
  readonly isWriter: boolean
  /** Entries to add where they are missing, and to mark as put now where they are not: text by field. */
  readonly put?: ReadonlyMap<string, string>
  /** Entries to remove, unless they have been put again since they were read. */
  readonly remove?: readonly CatalogueEntry[]
}

export interface CatalogueEntry {
  readonly field: string
  readonly text: string
  /** When it was added, by the clock of the store in milliseconds since 1970; 0 if no writer had asked by then. */
  readonly addedMs: number
  /** When it was put last, by the same clock; later with each put. */
  readonly putMs: number
}

export interface CatalogueAnswer {
  /** The catalogue's word: another one means that entries have been lost. */
  readonly word: string
  /** Changes with each entry that is added or removed. */
  readonly version: string
  readonly nowMs: number
  /** All entries; undefined where the version is the one that the request knows. */
  readonly entries: readonly CatalogueEntry[] | undefined
}

/**
 * KEY -> TEXT. Knows no rows and no models. `describeStore` in `model-cache/testing` is its contract as tests.
 *
 * No value is written without a lease, and each method of many keys is atomic for each of its keys, not for all of them.
 * All of them may run late or twice, as where a proxy repeats a command, and do no harm: a repeat ends no fence, gives nobody a lease
 * under a token that was given before, and brings no word of a register back. It may fence rows, or occupy their leases, until these expire.
 *
 * A guard remembers writes by its mark, which {@link LeaseRequest.onlyUnmarked} asks for: from the time that a write releases, and from the
 * time that a fence expires, each for the `markMs` of the command. Leases, fills, releases and fences leave the mark alone.
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

  /** How processes that share the store tell each other of writes; a store of one process needs none. */
  readonly messages?: Messages | undefined

  /** Opens what the store owns. Resolves, never rejects: a store that cannot be reached now may be later. */
  connect(): Promise<void>

  /**
   * Values in the order of the keys, `null` where there is none. All calls of one turn of the event loop travel
   * together, as far as that is quick.
   */
  getMany(keys: readonly string[]): Promise<(string | null)[]>

  /** As {@link getMany}, the values in UTF-8. Who keeps a value copies it: the bytes may be part of what arrived with it. */
  getManyBytes(keys: readonly string[]): Promise<(Buffer | null)[]>

  /** Gives the lease of each key that nobody guards. */
  leaseMany(keys: readonly GuardedKey[], request: LeaseRequest): Promise<LeaseAnswer[]>

  /** Writes each value whose guard still is the lease, and ends that. For each whether it has been written. */
  fillMany(fills: readonly Fill[]): Promise<boolean[]>

  /** Ends leases that will not be used. */
  releaseLeases(keys: readonly GuardedKey[], token: string): Promise<void>

  /**
   * Before a write: removes the values, and leases of whoever has them, and lets nobody have one until {@link releaseFences}, or
   * until `fenceMs` are over. Fences of several tokens stand side by side.
   */
  fenceMany(keys: readonly GuardedKey[], token: string, fenceMs: number, markMs: number): Promise<void>

  /**
   * After a write: removes the values, leases of whoever has them, and the fence of the token, which may be `''` for none.
   *
   * @param holdMs how long the fence stays all the same
   * @param markMs how long the write is remembered
   */
  releaseFences(keys: readonly GuardedKey[], token: string, holdMs: number, markMs: number): Promise<void>

  /**
   * Whether the store may forget guards before their time, and marks with them, to make room for others: then rows that were read
   * before their lease are not stored.
   *
   * @throws StoreError
   */
  mayEvictGuards(): Promise<boolean>

  /**
   * Changes the register of a model in one step and returns its new text, which has no TTL:
   *
   * ```
   * <epoch>;<membership>;<mark>;<fences>;<membership fences>;<fingerprints>
   * ```
   *
   * Fences are `<token>@<until> <token>@<until> …`, fingerprints `<fingerprint>@<until> …`. Times are milliseconds of
   * the store's clock. Expired entries are left out. The mark is the time until which a write to the whole model is remembered. `join` adds or prolongs a
   * fingerprint. `fence` and `release` of scope `'all'` replace the epoch and the membership word, those of scope
   * `'membership'` the membership word alone. The store draws the words; no two changes, and no two runs of one, get the
   * same. Each scope has its own fences; those that are held after `release` are one, `held`, with the last of their deadlines.
   */
  change(key: string, change: RegisterChange): Promise<ChangedRegister>

  /**
   * Reads the catalogue, and changes it first, in one step. Two keys hold it: a hash of entries at `key`, and its word, which
   * readers get with their rows, at `<key>:word`. Where either is missing the catalogue gets a new word.
   */
  askCatalogue(key: string, request: CatalogueRequest): Promise<CatalogueAnswer>

  /** Resolves when the store answers. */
  ping(): Promise<void>

  /** What an operator should change of the store, in sentences; none when it cannot be found out. Never rejects. */
  advice?(): Promise<readonly string[]>

  /** Closes what the store opened, and only that. Calls that are under way are answered or rejected. */
  close(): Promise<void>
}

/**
 * Carries messages between processes, in order, to whoever has subscribed. They may get lost: who relies on them sends some to
 * himself, and takes their absence for a loss.
 */
export interface Messages {
  /** @throws StoreError */
  publish(channel: string, message: string): Promise<void>
  /**
   * Has one listener for each channel, which may subscribe again.
   *
   * @param onLost told when messages may be lost from now on, even if nothing is to be done for them to come again
   * @throws StoreError
   */
  subscribe(channel: string, listener: (message: string) => void, onLost: () => void): Promise<void>
  /** @throws StoreError */
  unsubscribe(channel: string): Promise<void>
}

/** Told once per change, never per command. */
export type StoreStateListener = (side: 'reads' | 'writes', state: 'up' | 'down', reason: string) => void
