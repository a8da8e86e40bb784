import { StoreError } from '../errors.js'
import type {
  CatalogueAnswer,
  CatalogueRequest,
  ChangedRegister,
  Fill,
  GuardedKey,
  LeaseAnswer,
  LeaseRequest,
  Marker,
  RegisterChange,
  Store,
} from '../protocol/index.js'

const commands = [
  'getMany',
  'leaseMany',
  'fillMany',
  'ensureMarkers',
  'releaseLeases',
  'fenceMany',
  'releaseFences',
  'change',
  'askCatalogue',
  'ping',
] as const
type Command = (typeof commands)[number]

/** Wraps a store, counts its calls and makes commands fail on request. */
export class FlakyStore implements Store {
  readonly name = 'flaky'
  readonly #inner: Store
  readonly #failing = new Set<Command>()
  /** Number of calls by command, including failed ones. */
  readonly calls = Object.fromEntries(commands.map((command) => [command, 0])) as Record<Command, number>

  constructor(inner: Store) {
    this.#inner = inner
  }

  /** Makes these commands reject with a StoreError; all commands without arguments. */
  fail(...failing: Command[]): void {
    for (const command of failing.length > 0 ? failing : commands) this.#failing.add(command)
  }

  recover(): void {
    this.#failing.clear()
  }

  connect(): Promise<void> {
    return this.#inner.connect()
  }

  getMany(keys: readonly string[]): Promise<(string | null)[]> {
    return this.#call('getMany', () => this.#inner.getMany(keys))
  }

  /** Counts and fails as `getMany`. */
  getManyBytes(keys: readonly string[]): Promise<(Buffer | null)[]> {
    return this.#call('getMany', () => this.#inner.getManyBytes(keys))
  }

  leaseMany(keys: readonly GuardedKey[], request: LeaseRequest): Promise<LeaseAnswer[]> {
    return this.#call('leaseMany', () => this.#inner.leaseMany(keys, request))
  }

  fillMany(fills: readonly Fill[]): Promise<boolean[]> {
    return this.#call('fillMany', () => this.#inner.fillMany(fills))
  }

  ensureMarkers(markers: readonly Marker[], untilMs?: number): Promise<(string | null)[]> {
    return this.#call('ensureMarkers', () => this.#inner.ensureMarkers(markers, untilMs))
  }

  releaseLeases(keys: readonly GuardedKey[], token: string): Promise<void> {
    return this.#call('releaseLeases', () => this.#inner.releaseLeases(keys, token))
  }

  fenceMany(...args: Parameters<Store['fenceMany']>): Promise<boolean> {
    return this.#call('fenceMany', () => this.#inner.fenceMany(...args))
  }

  releaseFences(...args: Parameters<Store['releaseFences']>): Promise<boolean> {
    return this.#call('releaseFences', () => this.#inner.releaseFences(...args))
  }

  change(key: string, change: RegisterChange): Promise<ChangedRegister> {
    return this.#call('change', () => this.#inner.change(key, change))
  }

  askCatalogue(key: string, request: CatalogueRequest): Promise<CatalogueAnswer> {
    return this.#call('askCatalogue', () => this.#inner.askCatalogue(key, request))
  }

  mayEvictGuards(): Promise<boolean> {
    return this.#inner.mayEvictGuards()
  }

  ping(): Promise<void> {
    return this.#call('ping', () => this.#inner.ping())
  }

  close(): Promise<void> {
    return this.#inner.close()
  }

  #call<T>(command: Command, run: () => Promise<T>): Promise<T> {
    this.calls[command]++
    return this.#failing.has(command)
      ? Promise.reject(new StoreError(this.name, `${command} fails on request`))
      : run()
  }
}
