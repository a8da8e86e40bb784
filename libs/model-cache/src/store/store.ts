/** A value, and the guard that says who may write it. Both hash tags are the same, so both are in one cluster slot. */
export interface GuardedKey {
  readonly key: string
  readonly guard: string
}

/** A value that is written under a lease. */
export interface Fill extends GuardedKey {
  /** Of the lease. */
  readonly token: string
  readonly value: string
  /** Milliseconds after which the store forgets the value. */
  readonly ttlMs: number
}

export interface LeaseRequest {
  /** A word that no other lease has or had. */
  readonly token: string
  /** How long the lease holds, unless it is used before. */
  readonly leaseMs: number
  /** Whether a value that is there is a reason not to give the lease. */
  readonly onlyAbsent: boolean
  /** Whether a write that ended a short while ago is one, too: for who read the row before asking for the lease. */
  readonly onlyUnsettled: boolean
}

/** Why a lease is not given. */
export type Refusal =
  /** Writers are at work, or were until a moment ago. */
  | 'fenced'
  /** Somebody else has the lease. */
  | 'leased'
  /** There is a value by now. */
  | 'filled'

/** What is known of a model: see {@link Store.change}. */
export type RegisterChange =
  | {
      readonly kind: 'join'
      /** Whose values live for `lifeMs` from now on. */
      readonly fingerprint: string
      readonly lifeMs: number
      /** The epoch of a model that has none. */
      readonly epoch: string
    }
  | { readonly kind: 'fence'; readonly token: string; readonly fenceMs: number; readonly epoch: string }
  | { readonly kind: 'settle'; readonly token: string; readonly holdMs: number; readonly epoch: string }

export interface ChangedRegister {
  readonly text: string
  /** Milliseconds since 1970, by the clock of the store. */
  readonly nowMs: number
}

/**
 * KEY -> TEXT. Knows no rows and no models. `describeStore` in `model-cache/testing` is its contract as tests.
 *
 * No value is written without a lease, and each method of many keys is atomic for each of its keys, not for all of them.
 * All of them may run late and do no harm; fills, releases, fences and settlings of rows also twice. Leases and changes of a register must
 * run once for each time they are sent, so a store must not send a command again of which it does not know whether it ran.
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

  /** Gives the lease of each key that nobody guards. For each key null, or why it has not been given. */
  leaseMany(keys: readonly GuardedKey[], request: LeaseRequest): Promise<(Refusal | null)[]>

  /** Writes each value whose guard still is the lease, and ends that. For each whether it has been written. */
  fillMany(fills: readonly Fill[]): Promise<boolean[]>

  /** Ends leases that will not be used. */
  releaseMany(keys: readonly GuardedKey[], token: string): Promise<void>

  /**
   * Before a write: removes the values, and leases of whoever has them, and lets nobody have one until {@link settleMany}, or
   * until `fenceMs` are over. Fences of several tokens stand side by side.
   */
  fenceMany(keys: readonly GuardedKey[], token: string, fenceMs: number): Promise<void>

  /**
   * After a write: removes the values, leases of whoever has them, and the fence of the token, which may be `''` for none.
   *
   * @param holdMs how long the fence stays all the same
   * @param settledMs how long it is remembered that there was a write: see {@link LeaseRequest.onlyUnsettled}
   */
  settleMany(keys: readonly GuardedKey[], token: string, holdMs: number, settledMs: number): Promise<void>

  /**
   * Changes the register of a model, in one step; a text of `<epoch>;<fences>;<fingerprints>`, without a ttl:
   *
   * ```
   * <epoch>;<token>@<until> <token>@<until> …;<fingerprint>@<joined>@<until> …
   * ```
   *
   * Times are milliseconds of the store's clock. What is over is left out. `join` adds or prolongs a fingerprint, with
   * 0 as the time of joining where it is the only one; `fence` and `settle` replace the epoch.
   */
  change(key: string, change: RegisterChange): Promise<ChangedRegister>

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
