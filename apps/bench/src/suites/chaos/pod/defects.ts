import type { Store } from 'model-cache'

/** Defects of a store, with which a rehearsal shows that stale reads are noticed. */
export const defects = ['fence left out', 'stale entry'] as const
export type Defect = (typeof defects)[number]

/** Of rows and entries; not of registers and of the catalogue, whose epochs would make old values count as lost. */
const isOfRow = (key: string): boolean => /\{[^}]+:\d+\}:/.test(key)

/** A store with a defect. */
export function withDefect(store: Store, defect: Defect): Store {
  const first = new Map<string, unknown>()
  const stale = <T>(keys: readonly string[], values: readonly T[]): T[] =>
    values.map((value, i) => {
      const key = keys[i]!
      if (value === null || !isOfRow(key)) return value
      if (!first.has(key)) first.set(key, Buffer.isBuffer(value) ? Buffer.from(value) : value)
      return first.get(key) as T
    })
  const changed: Record<Defect, Partial<Store>> = {
    // It ends before COMMIT, and nothing ends what is stored meanwhile.
    'fence left out': {
      fenceMany: async (keys, token, fenceMs, markMs, ...rest) => {
        const isAnnounced = await store.fenceMany(keys, token, fenceMs, markMs, ...rest)
        await store.releaseFences(keys, token, 0, markMs)
        return isAnnounced
      },
      releaseFences: async () => true,
    },
    'stale entry': {
      getMany: async (keys) => stale(keys, await store.getMany(keys)),
      getManyBytes: async (keys) => stale(keys, await store.getManyBytes(keys)),
    },
  }
  return new Proxy(store, {
    get(target, name) {
      const own = changed[defect]
      if (name in own) return own[name as keyof Store]
      const member: unknown = Reflect.get(target, name, target)
      return typeof member === 'function' ? (member.bind(target) as unknown) : member
    },
  })
}
