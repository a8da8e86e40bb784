import { machineTime } from './protocol.ts'
import { AsyncLocalStorage } from 'node:async_hooks'
import type { ModelCacheWrites } from 'model-cache'
import type { WriteEnd, WriterSchema } from 'model-cache/advanced'
import type { TrackedStore } from './tracked-store.ts'

/** The steps of a write, as seen between Prisma and the caches. */
export interface Watch {
  /** Called after a fence, with whether the store took it. */
  onFenced(isTaken: boolean): Promise<void>
  /** Called when the database has answered, before the fence is released. */
  onEnded?(): Promise<void>
  fencedAt?: number
  /** The database has answered. */
  endedAt?: number
  isReleased?: boolean
  end?: WriteEnd
}

/** Stands between Prisma's extension and the caches, and records the steps of each write. */
export class WatchedWrites {
  readonly #writes: Writes
  readonly #store: TrackedStore
  readonly #watches: AsyncLocalStorage<Watch>
  /** As {@link WatchedWrites}, for one client. */
  readonly forSchema: ((schema: WriterSchema) => WatchedWrites) | undefined

  constructor(writes: Writes, store: TrackedStore, watches = new AsyncLocalStorage<Watch>()) {
    this.#writes = writes
    this.#store = store
    this.#watches = watches
    if (writes.forSchema)
      this.forSchema = (schema) => new WatchedWrites(writes.forSchema!(schema), store, watches)
  }

  /** Runs one write. */
  watch<Result>(watch: Watch, write: () => Promise<Result>): Promise<Result> {
    return this.#watches.run(watch, write)
  }

  get reads() {
    return this.#writes.reads
  }

  prepare() {
    return this.#writes.prepare()
  }

  idFieldsOf(model: string) {
    return this.#writes.idFieldsOf(model)
  }

  lookupsOf(model: string) {
    return this.#writes.lookupsOf(model)
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
        if (name === 'end') return endUnit
        const member: unknown = Reflect.get(target, name, target)
        return typeof member === 'function' ? (member.bind(target) as unknown) : member
      },
    })

    async function fence(): Promise<void> {
      watch.fencedAt ??= machineTime()
      await watch.onFenced(await store.takes(() => unit.fence()))
    }
    async function endUnit(end?: WriteEnd): Promise<void> {
      watch.endedAt = machineTime()
      watch.end = end
      await watch.onEnded?.()
      watch.isReleased = await store.takesAll(() => unit.end(end))
    }
  }
}

type Writes = Pick<ModelCacheWrites, 'reads' | 'prepare' | 'idFieldsOf' | 'lookupsOf' | 'begin' | 'within'> &
  Partial<Pick<ModelCacheWrites, 'forSchema'>>
type Unit = ReturnType<ModelCacheWrites['begin']>
