import { setTimeout as delay } from 'node:timers/promises'
import { type } from 'arktype'
import type { CreateModelCacheOptions, ReadThroughCache, Source } from 'model-cache/advanced'
import { modelCaches, type ValkeyStoreOptions } from 'model-cache'
import { createLoadPermits, createModelCache, ValkeyStore } from 'model-cache/advanced'
import { eventually } from '../../support/eventually.js'

const { defineModelCache } = modelCaches()

export interface VersionedRow {
  id: string
  version: number
  at: Date
}

const rows = defineModelCache<VersionedRow>()({
  model: 'Row',
  schema: type({ id: 'string', version: 'number', at: 'Date' }),
  id: 'id',
  ttl: '1h',
})

/** A database of rows with versions: the truth that caches are compared with, and what was asked of it. */
export class VersionedRows {
  readonly ids: readonly string[]
  readonly #versions: Map<string, number>
  /** Rows that were loaded. */
  loaded = 0
  /** Loads at once, at most. */
  atOnce = 0
  #running = 0

  constructor(count: number) {
    this.ids = Array.from({ length: count }, (_, i) => `row-${i}`)
    this.#versions = new Map(this.ids.map((id) => [id, 1]))
  }

  row(id: string): VersionedRow {
    const version = this.#versions.get(id)!
    return { id, version, at: new Date(version) }
  }

  all(): VersionedRow[] {
    return this.ids.map((id) => this.row(id))
  }

  write(id: string): void {
    this.#versions.set(id, this.#versions.get(id)! + 1)
  }

  readonly source: Source<VersionedRow, string> = {
    load: async (ids) => {
      this.loaded += ids.length
      this.atOnce = Math.max(this.atOnce, ++this.#running)
      const found = ids.map((id) => this.row(id))
      await delay(2)
      this.#running--
      return found
    },
    mayBlameOneId: () => false,
  }
}

export interface OpenCache {
  readonly cache: ReadThroughCache<VersionedRow, string>
  readonly store: ValkeyStore
  /** Each change of state that the store reported: `reads down (node 127.0.0.1:7000)`. */
  readonly states: string[]
  close(): Promise<void>
}

/** How many loads each of these caches may run at once. */
export const permits = 2

/** A cache of the rows, as a process of its own would have it. */
export async function openCache(
  database: VersionedRows,
  valkey: ValkeyStoreOptions,
  parts: Partial<CreateModelCacheOptions<VersionedRow, string>> = {},
): Promise<OpenCache> {
  const states: string[] = []
  const store = new ValkeyStore(valkey, (side, state, reason) => {
    states.push(`${side} ${state}${/ \(node .*\)$/.exec(reason)?.[0] ?? ''}`)
  })
  await store.connect()
  const loads = createLoadPermits(permits)
  const cache = createModelCache(rows, { store, source: database.source, loads, ...parts })
  const close = async (): Promise<void> => {
    await cache.close()
    await store.close()
  }
  return { cache, store, states, close }
}

export interface Burst {
  /** Rounds that were answered so far. */
  readonly rounds: number
  /** What was not as it should be: rejections, and rows that were older than when the read began. */
  readonly faults: readonly string[]
  /** Resolves when so many more rounds have been answered. */
  goesOn(rounds: number): Promise<void>
  stop(): Promise<void>
}

/** Reads a few hundred rows at a time, again and again, and compares each answer with the database. */
export function startBurst(cache: OpenCache['cache'], database: VersionedRows): Burst {
  const faults: string[] = []
  const state = { rounds: 0, isOver: false }
  const size = 300
  const readOnce = async (): Promise<void> => {
    const start = (state.rounds * 7 * size) % database.ids.length
    const ids = Array.from({ length: size }, (_, i) => database.ids[(start + i) % database.ids.length]!)
    const before = ids.map((id) => database.row(id).version)
    for (const [i, outcome] of (await cache.getManySettled(ids)).entries()) {
      if (outcome.status === 'rejected') faults.push(`${ids[i]} rejected: ${outcome.reason}`)
      else if (outcome.value?.id !== ids[i]) faults.push(`${ids[i]} is ${JSON.stringify(outcome.value)}`)
      else if (outcome.value!.version < before[i]!)
        faults.push(`${ids[i]} has version ${outcome.value!.version}, written was ${before[i]}`)
    }
    state.rounds++
  }
  const running = (async () => {
    while (!state.isOver) await Promise.all([readOnce(), delay(50)])
  })()
  return {
    get rounds() {
      return state.rounds
    },
    faults,
    goesOn: (more) => {
      const end = state.rounds + more
      return eventually(() => state.rounds >= end)
    },
    async stop() {
      state.isOver = true
      await running
    },
  }
}

/** Whether each node was reported down, then up, and so on, separately for reads and writes. */
export function alternate(states: readonly string[]): boolean {
  const reported = Object.values(Object.groupBy(states, (state) => state.replace(/ (down|up)/, '')))
  return reported.every((changes) =>
    changes!.every((state, i) => state.includes(i % 2 === 0 ? ' down' : ' up')),
  )
}

/** Reads all rows, and fills what is missing, until one pass needs nothing from the database. */
export async function allAreHits(cache: OpenCache['cache'], database: VersionedRows): Promise<boolean> {
  await cache.drain()
  const before = database.loaded
  await cache.getMany(database.ids)
  await cache.drain()
  return database.loaded === before
}
