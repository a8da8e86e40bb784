import { createHmac } from 'node:crypto'
import { atRestKeysError, invalidOptionError } from '../../configuration-errors.js'
import { Encryption } from './encryption.js'
import { type AtRestKey, KeyRing } from './key-ring.js'
import { MessageSeal } from './message-seal.js'

/** The keys, or what fetches them at the start. */
export type AtRestKeys = readonly AtRestKey[] | (() => readonly AtRestKey[] | Promise<readonly AtRestKey[]>)

/** How what is stored is encrypted; see docs/recipes/personal-data.md. */
export interface AtRestOptions {
  /**
   * The keys: `[{ id: '2026-11', key }]`, each of 32 random bytes, or their base64. The first one encrypts, all of them decrypt. A function
   * fetches them once at the start, from a file or a key management service. All processes that read or write these caches need them.
   */
  readonly keys: AtRestKeys
  /**
   * The Prisma models whose rows are encrypted, in every cache, lookup and result that holds them; `'all'` for those of all.
   * @default 'all'
   */
  readonly models?: 'all' | readonly string[]
  /**
   * Whether ids, keys of lookups and digests of queries in the keys of the store are replaced by their HMAC. Nobody can read them back then: a
   * warm-up from this namespace finds no ids, and commands need the keys. Another first key makes other keys, and so a cold cache.
   * @default false
   */
  readonly hashKeys?: boolean
}

/** What stands in a key of the store for the id of a row, or the key of an entry. */
export type HashId = (text: string) => string

/** Characters of base64url that stand in keys: 132 bits. */
const hashLength = 22

const noSalt = Buffer.alloc(0)

/** The encryption of one set of options. Its keys are known once it is open. */
export class AtRest {
  readonly #options: AtRestOptions
  readonly #models: ReadonlySet<string> | undefined
  readonly #hashes = new Map<string, HashId | undefined>()
  #ring: KeyRing | undefined
  #encryption: Encryption | undefined
  #messages: MessageSeal | undefined
  #opening: Promise<void> | undefined

  /** Returns the one of these options, so that the parts of a process share it. @throws ConfigurationError */
  static of(options: AtRestOptions): AtRest {
    let known = ofOptions.get(options)
    if (!known) ofOptions.set(options, (known = new AtRest(options)))
    return known
  }

  private constructor(options: AtRestOptions) {
    const { hashKeys = false, keys, models = 'all' } = options
    if (typeof hashKeys !== 'boolean') throw invalidOptionError('atRest.hashKeys', hashKeys, 'true or false')
    if (models !== 'all' && !isListOfText(models))
      throw invalidOptionError('atRest.models', models, "'all', or a list of models")
    this.#options = options
    this.#models = models === 'all' ? undefined : new Set(models)
    if (typeof keys !== 'function') this.#open(new KeyRing(keys))
  }

  /** What is encrypted, for people: `encrypted (User, ids hashed)`. */
  get described(): string {
    const parts = this.#models ? [...this.#models] : ['all models']
    return `encrypted (${[...parts, ...(this.#options.hashKeys ? ['ids hashed'] : [])].join(', ')})`
  }

  get isOpen(): boolean {
    return this.#ring !== undefined
  }

  /** Fetches the keys if that has not been done. @throws ConfigurationError */
  open(): Promise<void> {
    if (this.#ring) return Promise.resolve()
    return (this.#opening ??= this.#fetch().catch((error: unknown) => {
      this.#opening = undefined
      throw error
    }))
  }

  /** Whether what is read from these models is encrypted. */
  covers(models: Iterable<string>): boolean {
    const listed = this.#models
    return !listed || [...models].some((model) => listed.has(model))
  }

  /** @throws ConfigurationError if `models` names one that is not among these */
  verifyModels(known: ReadonlySet<string>): void {
    for (const model of this.#models ?? [])
      if (!known.has(model))
        throw invalidOptionError('atRest.models', model, `models that there are: ${[...known].join(', ')}`)
  }

  /** For values. @throws ConfigurationError before it is open: nothing may be stored in clear text meanwhile */
  get encryption(): Encryption {
    if (this.#encryption) return this.#encryption
    throw atRestKeysError('they have not been fetched', 'Await open() before a cache is created')
  }

  /** For the messages between processes; undefined until it is open. */
  get messages(): MessageSeal | undefined {
    return this.#messages
  }

  /** The id of the key that hashes ids in the keys of this process; undefined if none does. */
  get hashedBy(): string | undefined {
    return this.#options.hashKeys ? this.#ring?.firstId : undefined
  }

  /** How a key hashes ids; undefined for one that this process does not have. */
  hashIdOf(keyId: string): HashId | undefined {
    if (this.#ring && !this.#hashes.has(keyId)) this.#hashes.set(keyId, hashIdBy(this.#ring, keyId))
    return this.#hashes.get(keyId)
  }

  async #fetch(): Promise<void> {
    const { keys } = this.#options
    let fetched: readonly AtRestKey[]
    try {
      fetched = await (keys as () => readonly AtRestKey[] | Promise<readonly AtRestKey[]>)()
    } catch (error) {
      throw atRestKeysError(
        'the function that fetches them has failed, so that nothing could be read or stored',
        'Its error is the cause of this one',
        error,
      )
    }
    this.#open(new KeyRing(fetched))
  }

  #open(ring: KeyRing): void {
    this.#ring = ring
    this.#encryption = new Encryption(ring, 'values')
    this.#messages = new MessageSeal(new Encryption(ring, 'messages'))
  }
}

const ofOptions = new WeakMap<AtRestOptions, AtRest>()

function hashIdBy(ring: KeyRing, keyId: string): HashId | undefined {
  const key = ring.subkey(keyId, 'keys', noSalt)
  return key && ((text) => createHmac('sha256', key).update(text).digest('base64url').slice(0, hashLength))
}

function isListOfText(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.length > 0 && value.every((each) => typeof each === 'string')
}
