/** A cache of each model of a client, with its unique keys, and the lists by its foreign keys. */
import { extendPrisma, modelCaches, ModelCacheWrites } from 'model-cache'
import {
  bindDefinition,
  type CacheObserver,
  createModelCache,
  createPrismaSource,
  MemoryStore,
  type ModelObserver,
  type ReadThroughCache,
  type SchemaFacts,
  schemaFactsOf,
  Tick,
} from 'model-cache/advanced'

type Model = NonNullable<ReturnType<SchemaFacts['models']['get']>>
type Options = Readonly<Record<string, unknown>>

export interface Caches {
  /** How many reads had each outcome. */
  readonly outcomes: Readonly<Record<string, number>>
  /** @param openSource the client by which the caches load rows, for the first extended client */
  extend(client: object, openSource: () => object): object
  clear(): Promise<void>
  close(): Promise<void>
}

// eslint-disable-next-line typescript/no-explicit-any -- the models of each test
const { defineModelCache } = modelCaches<any>()
const define = (model: string, options: Options) =>
  defineModelCache(model, { ttl: '1h', ...options } as never)

export function openCaches(): Caches {
  const writes = new ModelCacheWrites()
  const outcomes: Record<string, number> = {}
  const caches: ReadThroughCache<object, never>[] = []
  let hasSource = false
  const observer: CacheObserver = {
    forModel: (_, lookup) =>
      observerOf(
        lookup === undefined
          ? { prismaReads: (outcome, count) => void (outcomes[outcome] = (outcomes[outcome] ?? 0) + count) }
          : {},
      ),
    storeChanged() {},
  }
  const fill = (client: object): void => {
    const facts = schemaFactsOf(client)
    const [store, tick] = [new MemoryStore(), new Tick()]
    for (const model of facts.models.values()) {
      const options = optionsOf(model, facts)
      if (!options) continue
      const definition = bindDefinition(define(model.name, options), facts)
      const source = createPrismaSource(client, { ...definition, ...definition.selection } as never)
      const settings = { namespace: 'prisma-tests', store, tick, writes, observer, source, facts }
      caches.push(createModelCache(definition as never, settings as never))
    }
  }
  return {
    outcomes,
    extend(client, openSource) {
      // Caches load by a client of their own, of the same database.
      const extended = extendPrisma(client, writes, { reads: 'all', replica: true })
      if (!hasSource) fill(extendPrisma(openSource(), writes))
      hasSource = true
      return extended
    },
    clear: async () => void (await Promise.all(caches.map((cache) => cache.invalidateAll()))),
    close: async () => void (await Promise.all(caches.map((cache) => cache.close()))),
  }
}

/** What the definition of a model declares; undefined if its rows cannot be cached. */
function optionsOf(model: Model, facts: SchemaFacts): Options | undefined {
  const canBind = (options: Options): boolean => {
    try {
      bindDefinition(define(model.name, options), facts)
      return true
    } catch {
      return false
    }
  }
  const { name, nullableKeys, primaryKey, relations, uniqueKeys } = model
  const id = primaryKey.length > 0 ? {} : { id: [...uniqueKeys.keys()][0] }
  if (!facts.models.get(name)!.isVisible || !canBind(id)) return undefined
  const keys = [...uniqueKeys, ...nullableKeys].filter(([, fields]) => fields.join() !== primaryKey.join())
  const unique = keys.filter((key) => canBind({ ...id, unique: Object.fromEntries([key]) }))
  const lists = [...relations.values()]
    .filter(({ fields }) => fields.length > 0)
    .map(({ field, fields }) => [field, { by: fields.length === 1 ? fields[0] : fields }] as const)
    .filter((list) => canBind({ ...id, lists: Object.fromEntries([list]) }))
  return { ...id, unique: Object.fromEntries(unique), lists: Object.fromEntries(lists) }
}

/** Hears of these, and of nothing else. */
function observerOf(heard: Partial<ModelObserver>): ModelObserver {
  return new Proxy(heard as ModelObserver, {
    get: (known, name) => known[name as keyof ModelObserver] ?? (() => {}),
  })
}
