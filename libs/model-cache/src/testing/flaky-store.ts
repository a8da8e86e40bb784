import { StoreError } from '../errors.js'
import type { Store, StoreEntry } from '../store/store.js'

type Command = 'getMany' | 'setMany' | 'deleteMany' | 'set' | 'setIfAbsent' | 'ping'

/** A store that fails on request, around one that works; it counts its calls. */
export class FlakyStore implements Store {
  readonly name = 'flaky'
  readonly #inner: Store
  readonly #failing = new Set<Command>()
  /** Calls by command, failed ones included. */
  readonly calls: Record<Command, number> = {
    getMany: 0,
    setMany: 0,
    deleteMany: 0,
    set: 0,
    setIfAbsent: 0,
    ping: 0,
  }

  constructor(inner: Store) {
    this.#inner = inner
  }

  /** Makes these commands reject with a StoreError; all of them when none is named. */
  fail(...commands: Command[]): void {
    const failing = commands.length > 0 ? commands : (Object.keys(this.calls) as Command[])
    for (const command of failing) this.#failing.add(command)
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

  setMany(entries: readonly StoreEntry[]): Promise<void> {
    return this.#call('setMany', () => this.#inner.setMany(entries))
  }

  deleteMany(keys: readonly string[]): Promise<void> {
    return this.#call('deleteMany', () => this.#inner.deleteMany(keys))
  }

  set(key: string, value: string): Promise<void> {
    return this.#call('set', () => this.#inner.set(key, value))
  }

  setIfAbsent(key: string, value: string): Promise<string> {
    return this.#call('setIfAbsent', () => this.#inner.setIfAbsent(key, value))
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
