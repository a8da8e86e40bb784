import type { Store } from 'model-cache'
import type { CatalogueAnswer, GuardedKey } from 'model-cache/advanced'
import type { Sabotage, Wrap } from './world.js'

type Messages = NonNullable<Store['messages']>

/** Copies an object with some methods replaced. */
export function withMethods<T extends object>(object: T, replaced: Partial<T>): T {
  return new Proxy(object, {
    get(target, name) {
      const value: unknown = Reflect.get(name in replaced ? replaced : target, name, target)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}

const sabotage = (wrap: Wrap): Sabotage => ({ wrap })

export const all = (...parts: readonly Sabotage[]): Sabotage =>
  sabotage((store, admin) => parts.reduce((wrapped, { wrap }) => wrap!(wrapped, admin), store))

/** Writes values whatever their guards hold. */
export const forcedFills = sabotage((store, admin) =>
  withMethods(store, {
    async fillMany(fills) {
      for (const { guard, token } of fills) await admin.set(guard, `0;${token};`)
      return store.fillMany(fills)
    },
  }),
)

/** Writes values whose guards hold nothing. */
export const missingGuardsTakenForOwn = sabotage((store, admin) =>
  withMethods(store, {
    async fillMany(fills) {
      for (const { guard, token } of fills) await admin.set(guard, `0;${token};`, 'NX')
      return store.fillMany(fills)
    },
  }),
)

/** Gives a lost register and a lost catalogue their former epochs. */
export const oneEpoch = sabotage((store, admin) =>
  withMethods(withOneCatalogueEpoch(store), {
    async change(key, change) {
      const { text, ...others } = await store.change(key, change)
      const one = ['one', 'one', ...text.split(';').slice(2)].join(';')
      await admin.set(key, one)
      return { text: one, ...others }
    },
  }),
)

/** Treats all leases of a pod as one. */
export const oneTokenForAll = sabotage((store, admin) => {
  const token = `one@${(Date.now() + 60_000) * 1_000}`
  return withMethods(store, {
    async leaseMany(keys, request) {
      const answers = await store.leaseMany(keys, request)
      const given = keys.filter((_, i) => answers[i]!.token !== null)
      await Promise.all(given.map(({ guard }) => admin.set(guard, `0;${token};`)))
      return answers.map((answer) => (answer.token === null ? answer : { token, refusal: null }))
    },
  })
})

export const noFences = sabotage((store) =>
  withMethods(store, {
    async fenceMany(_keys, { announcement }) {
      if (announcement) await store.messages!.publish(announcement.channel, announcement.message)
      return true
    },
  }),
)

/** Removes values and leases, and grants new ones at once. */
export const fencesThatOnlyRemove = sabotage((store) =>
  withMethods(store, {
    fenceMany: (keys, { announcement }) =>
      store.releaseFences(keys, { token: '', holdMs: 0, markMs: 1, announcement }),
  }),
)

/** Fences all rows of a model with nothing but a new epoch. */
export const noModelFences = sabotage((store) =>
  withMethods(store, {
    change: (key, change) =>
      store.change(key, change.kind === 'fence' ? { ...change, kind: 'release', holdMs: 0 } : change),
  }),
)

/** Ends the fences of all writers. */
export const settlingThatEndsAllFences = sabotage((store, admin) =>
  withMethods(store, {
    async releaseFences(keys, release) {
      await admin.del(keys.map(({ guard }) => guard))
      return store.releaseFences(keys, release)
    },
  }),
)

/** Keeps values when they are fenced and released. */
export const writesThatLeaveValues = sabotage((store, admin) => {
  const leaving = async (keys: readonly GuardedKey[], run: () => Promise<boolean>): Promise<boolean> => {
    const values = await admin.mget(keys.map(({ key }) => key))
    const isPublished = await run()
    for (const [i, value] of values.entries()) if (value !== null) await admin.set(keys[i]!.key, value)
    return isPublished
  }
  return withMethods(store, {
    fenceMany: (keys, fence) => leaving(keys, () => store.fenceMany(keys, fence)),
    releaseFences: (keys, release) => leaving(keys, () => store.releaseFences(keys, release)),
  })
})

/** Does not remember writes. */
export const leasesForWhatWasLoadedBefore = sabotage((store) =>
  withMethods(store, {
    leaseMany: (keys, request) => store.leaseMany(keys, { ...request, onlyUnmarked: false }),
  }),
)

/** Sees no entry of the catalogue that it has not put there itself. */
export const blindToOtherEntries = sabotage((store) => {
  const own = new Set<string>()
  return withMethods(store, {
    async askCatalogue(key, request) {
      for (const field of request.put?.keys() ?? []) own.add(field)
      const answer = await store.askCatalogue(key, request)
      return { ...answer, entries: answer.entries?.filter(({ field }) => own.has(field)) }
    },
  })
})

/** Stores rows as soon as it is in the catalogue. */
export const noWaitForOtherWriters = sabotage((store) =>
  withMethods(store, {
    async askCatalogue(key, request) {
      const answer = await store.askCatalogue(key, request)
      return { ...answer, entries: answer.entries?.map((entry) => ({ ...entry, addedMs: 0 })) }
    },
  }),
)

/** Reads the catalogue once and never again. */
export const askedOnce = sabotage((store) => {
  let first: Promise<CatalogueAnswer> | undefined
  return withMethods(store, {
    askCatalogue: (key, request) => (first ??= store.askCatalogue(key, request)),
  })
})

/** Does not notice that the catalogue was lost: its epoch never changes. */
export const oneCatalogueEpoch = sabotage((store) => withOneCatalogueEpoch(store))

function withOneCatalogueEpoch(store: Store): Store {
  return withMethods(store, {
    async getMany(keys) {
      const values = await store.getMany(keys)
      return values.map((value, i) => (keys[i]!.endsWith(':{catalogue}:epoch') ? 'one' : value))
    },
    async askCatalogue(key, request) {
      return { ...(await store.askCatalogue(key, request)), epoch: 'one' }
    },
  })
}

/** Receives no writes of other processes, and does not notice. */
export const deaf = sabotage((store) =>
  withMessages(store, {
    subscribe: (channel, listener, onLost) =>
      store.messages!.subscribe(channel, isOfWrites(channel) ? () => {} : listener, onLost),
  }),
)

/** Considers its own heartbeats received, and ignores a lost subscription. */
export const neverLost = sabotage((store) => {
  const listeners = new Map<string, (message: string) => void>()
  return withMessages(store, {
    async publish(channel, message) {
      if (isOfWrites(channel)) return store.messages!.publish(channel, message)
      listeners.get(channel)?.(message)
    },
    subscribe(channel, listener) {
      listeners.set(channel, listener)
      return store.messages!.subscribe(channel, listener, () => {})
    },
  })
})

/** Does not notice a gap in the messages. */
export const blindToGaps = sabotage((store) =>
  withMessages(store, {
    subscribe(channel, listener, onLost) {
      let count = 0
      const renumber = (message: string): string => message.replace(/;\d+;/, () => `;${++count};`)
      const hear = isOfWrites(channel) ? (message: string) => listener(renumber(message)) : listener
      return store.messages!.subscribe(channel, hear, onLost)
    },
  }),
)

export function withMessages(store: Store, replaced: Partial<Messages>): Store {
  return withMethods(store, { messages: withMethods(store.messages!, replaced) })
}

/** The other channels carry heartbeats. */
export const isOfWrites = (channel: string): boolean => channel.endsWith(':written')
