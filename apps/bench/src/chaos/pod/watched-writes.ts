import { AsyncLocalStorage } from 'node:async_hooks'
import type { ModelCacheWrites } from 'model-cache'
import type { WriteEnd } from 'model-cache/advanced'
import { machineTime } from '../machine-time.ts'
import type { ToldStore } from './told-store.ts'

/** What is seen of a write from outside of Prisma, and told of it. */
export interface Watch {
  /** The fence stands, or has not been taken. */
  onFenced(isTaken: boolean): Promise<void>
  fencedAt?: number
  /** The database has answered. */
  endedAt?: number
  isSettled?: boolean
  end?: WriteEnd
}

/** Stands between Prisma's extension and the caches, to see the steps of each write. */
export class WatchedWrites {
  readonly #writes: ModelCacheWrites
  readonly #store: ToldStore
  readonly #watches = new AsyncLocalStorage<Watch>()

  constructor(writes: ModelCacheWrites, store: ToldStore) {
    this.#writes = writes
    this.#store = store
  }

  /** Runs one write. */
  watch<Result>(watch: Watch, write: () => Promise<Result>): Promise<Result> {
    return this.#watches.run(watch, write)
  }

  prepare() {
    return this.#writes.prepare()
  }

  idFieldsOf(model: string) {
    return this.#writes.idFieldsOf(model)
  }

  within<Result>(unit: Unit, client: object, work: () => Promise<Result>): Promise<Result> {
    return this.#writes.within(unit, client, work)
  }

  begin(): Unit {
    const unit = this.#writes.begin()
    const watch = this.#watches.getStore()!
    const store = this.#store
    return new Proxy(unit, {
      get(target, name) {
        if (name === 'fence') return fence
        if (name === 'settle') return settle
        const member: unknown = Reflect.get(target, name, target)
        return typeof member === 'function' ? (member.bind(target) as unknown) : member
      },
    })

    async function fence(): Promise<void> {
      watch.fencedAt ??= machineTime()
      await watch.onFenced(await store.takes(() => unit.fence()))
    }
    async function settle(end?: WriteEnd): Promise<void> {
      watch.endedAt = machineTime()
      watch.end = end
      watch.isSettled = await store.takes(() => unit.end(end))
    }
  }
}

type Unit = ReturnType<ModelCacheWrites['begin']>
