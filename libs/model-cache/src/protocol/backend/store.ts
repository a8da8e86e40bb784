/** The key of a value and of its guard, which decides who may write the value. Both have the same hash tag, so they share a cluster slot. */
export interface GuardedKey {
  readonly key: string
  readonly guard: string
}

/** A value that is written under a lease. */
export interface Fill extends GuardedKey {
  /** The token of the lease, from {@link LeaseAnswer}. */
  readonly token: string
  /** Text, or bytes of any kind. */
  readonly value: string | Buffer
  /** Milliseconds after which the store forgets the value. */
  readonly ttlMs: number
}

/** A value that is nothing but an epoch: it stands for what was written until a write of its key ends it. */
export interface Marker extends GuardedKey {
  /** What it begins with: a stored one that begins otherwise is replaced. */
  readonly start: string
  /** Milliseconds after which the store forgets it. */
  readonly ttlMs: number
}

export interface LeaseRequest {
  /** A token that no other request has or had. */
  readonly token: string
  /** How long the lease holds if it is not used before. */
  readonly leaseMs: number
  /** Refuses the lease if there is a value. */
  readonly onlyAbsent: boolean
  /** Refuses the lease after a recent write: for rows that were read before the request. */
  readonly onlyUnmarked: boolean
  /** Refuses all leases from this time on, in milliseconds since 1970 by the store's clock. @default no time */
  readonly untilMs?: number | undefined
}

/** The answer to a lease request: the token for filling or releasing, or the reason for the refusal. */
export type LeaseAnswer =
  { readonly token: string; readonly refusal: null } | { readonly token: null; readonly refusal: Refusal }

/** Why a lease is refused. */
export type Refusal =
  /** A write is running, or ended a moment ago. */
  | 'fenced'
  /** Another process has the lease. */
  | 'leased'
  /** There is a value by now. */
  | 'filled'
  /** It is {@link LeaseRequest.untilMs}. */
  | 'late'

/** A message to publish; see {@link Messages}. */
export interface Announcement {
  readonly channel: string
  /** Numbered when it is first read: read it as it is sent. */
  readonly message: string
}

interface FenceCommand {
  /** How long guards remember the write, in milliseconds. */
  readonly markMs: number
  /** Published when the command has run, if the store has {@link Messages}. @default nothing is */
  readonly announcement?: Announcement | undefined
  /** How many replicas must have acknowledged the command; see {@link Store}. @default 0 */
  readonly replicas?: number | undefined
}

/** The fence of a write; see {@link Store.fenceMany}. */
export interface Fence extends FenceCommand {
  /** The token of the write. */
  readonly token: string
  /** How long the fence stands unless it is released, in milliseconds. */
  readonly fenceMs: number
}

/** The end of a write; see {@link Store.releaseFences}. */
export interface FenceRelease extends FenceCommand {
  /** The token of the fence; `''` if there was none. */
  readonly token: string
  /** How long the rows stay fenced nevertheless, in milliseconds. */
  readonly holdMs: number
}

/** What a write of unknown rows invalidates: all values of the model, or only its negative entries. */
export type RegisterScope = 'all' | 'existence'

/** A change of the register of a model; see {@link Store.change}. The register remembers a write for `markMs` after its end. */
export type RegisterChange = Pick<FenceCommand, 'replicas'> &
  (
    | {
        readonly kind: 'join' | 'extend'
        /** The listing of a description whose values live for `lifeMs` from now on; see `listingOf`. */
        readonly listing: string
        readonly lifeMs: number
        readonly markMs: number
      }
    | { readonly kind: 'expire'; readonly markMs: number }
    | ({ readonly kind: 'fence'; readonly scope: RegisterScope } & Fence)
    | ({ readonly kind: 'release'; readonly scope: RegisterScope } & FenceRelease)
  )

export interface ChangedRegister {
  readonly text: string
  /** Milliseconds since 1970, by the store's clock. */
  readonly nowMs: number
  /** Whether the store permits to publish the announcement of a write. */
  readonly isAnnounced: boolean
}

/** What a process knows of the catalogue, and what it changes; see {@link Store.askCatalogue}. */
export interface CatalogueRequest {
  /** The last version that the process has read; `''` for none. */
  readonly known: string
  /**
   * Whether the process is about to write rows, without knowing of later entries. It counts as a writer only if
   * it knows the current catalogue epoch, or none. Otherwise it has to put its own entries and ask again.
   */
  readonly isWriter: boolean
  /** Entries to add if they are missing; existing ones get a new `CatalogueEntry.putMs`. Text by field. */
  readonly put?: ReadonlyMap<string, string>
  /** Entries to remove, unless they have been put again since they were read. */
  readonly remove?: readonly CatalogueEntry[]
  /** How many replicas must have what the answer says; see {@link Store}. @default 0 */
  readonly replicas?: number
}

export interface CatalogueEntry {
  readonly field: string
  readonly text: string
  /** When it was added, in milliseconds since 1970 by the store's clock; 0 if no writer had asked by then. */
  readonly addedMs: number
  /** When it was last put, by the same clock. Each put has a later time. */
  readonly putMs: number
}

export interface CatalogueAnswer {
  /** The catalogue epoch. It changes when entries have been lost. */
  readonly epoch: string
  /** Changes with each entry that is added or removed. */
  readonly version: string
  readonly nowMs: number
  /** All entries; undefined if the version is {@link CatalogueRequest.known}, and nothing was to be removed. */
  readonly entries: readonly CatalogueEntry[] | undefined
}

/** What the check of a server has found. */
export type CatalogueFinding =
  /** It holds what was last written. */
  | 'live'
  /** What it holds may be old: it started with data of its disk, or took the place of a server without having all of its data. */
  | 'old'
  /** It has no catalogue, and this process has seen none. */
  | 'new'
  /** It has no catalogue any more. */
  | 'empty'
  /** It does not say when it started. */
  | 'unknown'

export interface CatalogueCheck {
  readonly finding: CatalogueFinding
  /** The catalogue epoch, a new one if the server is old; null if there is none, undefined if it is unknown. */
  readonly epoch: string | null | undefined
}

/**
 * KEY -> TEXT OR BYTES. Knows neither rows nor models. `describeStore` in `model-cache/testing` is its contract in tests.
 *
 * Writing a value requires a lease, except a marker. A method with many keys is atomic for each key, not for all of them.
 * Methods may run late or twice, for example if a proxy repeats a command, without harm: a repetition ends no fence, grants no lease
 * with a token that was granted before, and brings no epoch back. It may fence rows, or hold their leases, until these expire.
 *
 * The mark of a guard remembers writes for `LeaseRequest.onlyUnmarked`: from the release of a write and from the expiry
 * of a fence, each for the `markMs` of the command. Leases, fills, releases of leases and fences do not change the mark.
 *
 * Where a method takes `replicas`, it rejects unless so many replicas of the server have acknowledged the command, and so have everything
 * that the server had before. The command may have run nevertheless. A store that has no replicas, because nothing takes the place of its
 * server, ignores the number.
 *
 * Every method rejects with a {@link StoreError} if the store does not answer within its deadline or answers with an
 * error; none waits for a connection to come back. Errors contain no keys, values or credentials.
 */
export interface Store {
  /** The kind of store, for logs and errors: `'valkey'`, `'memory'`. */
  readonly name: string

  /**
   * For a store of several shards that fail independently: the shard that holds a key. Keys with the same text in
   * braces share a shard. A reader of many keys makes one call per shard, so that a shard which does not answer delays
   * no other.
   */
  readonly shardOf?: ((key: string) => string) | undefined

  /** Carries messages between the processes that share the store; a store of one process needs none. */
  readonly messages?: Messages | undefined

  /** Opens the store's connections. Never rejects: a store that is unavailable now may answer later. */
  connect(): Promise<void>

  /**
   * Returns values in the order of the keys, `null` for a missing one. The calls of one event-loop turn share commands, as far
   * as that is fast.
   */
  getMany(keys: readonly string[]): Promise<(string | null)[]>

  /** As {@link getMany}, with values in UTF-8. Copy a value to keep it: its bytes may be part of a larger buffer. */
  getManyBytes(keys: readonly string[]): Promise<(Buffer | null)[]>

  /** Grants the lease of each key that has neither lease nor fence. */
  leaseMany(keys: readonly GuardedKey[], request: LeaseRequest): Promise<LeaseAnswer[]>

  /** Writes each value whose guard still holds the lease, and ends the lease. Returns for each value whether it was written. */
  fillMany(fills: readonly Fill[]): Promise<boolean[]>

  /**
   * Returns the markers that are stored, and stores those that are missing: the start of each, followed by an epoch that the store
   * generates. Null for one that is missing while a fence or a lease stands.
   *
   * @param untilMs stores none from this time on, as of {@link LeaseRequest}
   */
  ensureMarkers(markers: readonly Marker[], untilMs?: number): Promise<(string | null)[]>

  /** Ends leases without writing a value. */
  releaseLeases(keys: readonly GuardedKey[], token: string): Promise<void>

  /**
   * Before a write: removes the values and all leases, and refuses leases until {@link releaseFences} or for
   * `fenceMs`. Fences of several tokens coexist.
   *
   * @returns false if the store does not permit to publish the announcement
   */
  fenceMany(keys: readonly GuardedKey[], fence: Fence): Promise<boolean>

  /**
   * After a write: removes the values, all leases, and the fence of the token.
   *
   * @returns as {@link fenceMany}
   */
  releaseFences(keys: readonly GuardedKey[], release: FenceRelease): Promise<boolean>

  /**
   * Whether the store may evict guards, and marks with them, before they expire. Rows that were read
   * before their lease are not stored then.
   *
   * @throws StoreError
   */
  mayEvictGuards(): Promise<boolean>

  /**
   * Changes the register of a model atomically and returns its new text, which has no TTL:
   *
   * ```
   * <epoch>;<existence epoch>;<since>;<mark>;<fences>;<existence fences>;<listings>
   * ```
   *
   * Fences are `<token>@<until> <token>@<until> …`, listings `<fingerprint>:<digest>@<until> …`. Times are milliseconds by
   * the store's clock. Expired parts are dropped, and `expire` does no more. The mark is the time until which a write to the whole model
   * is remembered. `join` adds a listing or extends its life, `extend` only does the latter; neither makes a life shorter.
   * `fence` and `release` of scope `'all'` replace the epoch and the existence epoch; with the scope
   * `'existence'` they replace the existence epoch alone. The store generates epochs; no two changes, and no two runs of one, get the
   * same. Each scope has its own fences. Fences that `release` holds become one, `held`, with the latest of their deadlines.
   */
  change(key: string, change: RegisterChange): Promise<ChangedRegister>

  /**
   * Changes the catalogue and reads it, atomically. Two keys hold it: a hash of entries at `key`, and its epoch, which
   * readers get with their rows, at `<key>:epoch`. If either is missing, the catalogue gets a new epoch.
   */
  askCatalogue(key: string, request: CatalogueRequest): Promise<CatalogueAnswer>

  /**
   * Has servers checked that hold a catalogue or its rows, before this process reads from them: whether they hold what was last written.
   * If not, the catalogue gets a new epoch before any read is answered, and all of its entries count as added now. A store whose server
   * never starts with old data checks nothing.
   *
   * @param listener called after each check, also of servers that have been checked before
   * @param replicas how many must have a new epoch before rows of another server are read under it
   * @returns a function after which the listener is not called any more
   */
  watchCatalogue?(key: string, listener: (check: CatalogueCheck) => void, replicas: number): () => void

  /** Resolves if the store answers. */
  ping(): Promise<void>

  /** Returns what an operator should change about the store, in sentences; none if that cannot be determined. Never rejects. */
  advice?(): Promise<readonly string[]>

  /** The namespaces that have a catalogue in the store, a few of them at least. @throws StoreError */
  namespaces?(): Promise<readonly string[]>

  /** Returns where its servers are, for people: without credentials. */
  address?(): string

  /** Whether {@link close} has been called: writers forget its caches. @default it is open */
  readonly isClosed?: boolean

  /** Closes the connections that the store opened, and no others. Running calls resolve or reject. */
  close(): Promise<void>
}

/**
 * Carries messages between processes, in order. Messages may get lost: to detect that, a subscriber sends messages to
 * itself and checks that they arrive.
 */
export interface Messages {
  /** @throws StoreError */
  publish(channel: string, message: string): Promise<void>
  /**
   * Subscribes a listener to a channel, which may have several; subscribing again is allowed.
   *
   * @param onLost called when messages may have been lost, even if the subscription recovers by itself
   * @throws StoreError
   */
  subscribe(channel: string, listener: (message: string) => void, onLost: () => void): Promise<void>
  /**
   * @param listener the one that ends. @default all of the channel
   * @throws StoreError
   */
  unsubscribe(channel: string, listener?: (message: string) => void): Promise<void>
}

/** Called once per change, never per command. */
export type StoreStateListener = (side: 'reads' | 'writes', state: 'up' | 'down', reason: string) => void
