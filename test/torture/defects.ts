import type { Store } from 'model-cache'

/** Defects, most of them of a store, with which a rehearsal shows that stale reads are noticed. */
export type Defect =
  /** The fence of a write ends before its COMMIT, and nothing ends what is stored meanwhile. */
  | 'fence left out'
  /** The first of every few invalidations is taken, and does nothing. */
  | 'change left out'
  /** Reads return the first value of each row. */
  | 'stale entry'
  /** A query of a row and those of a relation lacks the last of these; none of the store. */
  | 'child left out'
  /** Each process has a key of its own, which no other one learns of; none of the store. */
  | 'key never learned'
  /** A region's fence is not held until its standby has the write. */
  | 'fence ends with COMMIT'
  /** A standby counts as far as it has received the log, whether it shows that or not. */
  | 'received counts as replayed'
  /** What the follower of a standby invalidates is loaded from the primary, and stored. */
  | 'rows of the primary'

const CHANGES = 4

/** Of rows and entries; not of registers and of the catalogue, whose epochs would make old values count as lost. */
const isOfRow = (key: string): boolean => /\{[^}]+:\d+\}:/.test(key)

/** Reads that return the first value of each row. */
function firstOf<T>(read: (keys: readonly string[]) => Promise<(T | null)[]>): typeof read {
  const first = new Map<string, T>()
  return async (keys) => {
    const values = await read(keys)
    return values.map((value, i) => {
      const key = keys[i]!
      if (value === null || !isOfRow(key)) return value
      if (!first.has(key)) first.set(key, Buffer.isBuffer(value) ? (Buffer.from(value) as T) : value)
      return first.get(key)!
    })
  }
}

/** Gives a store a defect. @returns what mends it */
export function inflict(store: Store, defect: Defect): () => void {
  const fenceMany = store.fenceMany.bind(store)
  const releaseFences = store.releaseFences.bind(store)
  const getMany = store.getMany.bind(store)
  const getManyBytes = store.getManyBytes.bind(store)
  let changes = 0
  const changed: Partial<Record<Defect, Partial<Store>>> = {
    'fence left out': {
      fenceMany: async (keys, fence) => {
        const isAnnounced = await fenceMany(keys, fence)
        await releaseFences(keys, { token: fence.token, holdMs: 0, markMs: fence.markMs })
        return isAnnounced
      },
      releaseFences: async () => true,
    },
    'change left out': {
      releaseFences: async (...release) => changes++ % CHANGES === 0 || releaseFences(...release),
    },
    'stale entry': { getMany: firstOf(getMany), getManyBytes: firstOf(getManyBytes) },
  }
  const ofStore = changed[defect] ?? {}
  Object.assign(store, ofStore)
  return () => {
    // Those of its class are left.
    for (const name of Object.keys(ofStore)) delete (store as Partial<Store>)[name as keyof Store]
  }
}
