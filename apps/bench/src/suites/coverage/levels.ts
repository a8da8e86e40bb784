import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { setTimeout as sleep } from 'node:timers/promises'
import { extendPrisma, modelCaches, ModelCacheWrites, type Reads } from 'model-cache'
import {
  bindDefinition,
  type CacheObserver,
  type ClientQueries,
  createModelCache,
  createPrismaSource,
  KeptResults,
  MemoryStore,
  type ModelObserver,
  type SchemaFacts,
  Tick,
} from 'model-cache/advanced'
import type { Corpus } from './corpora.ts'

/** Nothing of this suite writes for longer. */
const FENCE_MS = 1_000

/** What the definition of a model has beside its ttl. */
interface Options {
  /** The key by which rows are cached, if the model has no primary key. */
  readonly id?: string | undefined
  readonly unique?: Readonly<Record<string, unknown>>
  readonly lists?: Readonly<Record<string, unknown>>
}

type Model = NonNullable<ReturnType<SchemaFacts['models']['get']>>

/** The options of each model. */
export type Definitions = ReadonlyMap<string, Options>

// eslint-disable-next-line typescript/no-explicit-any -- models that no client was generated for
const { defineModelCache } = modelCaches<any>()
const define = (model: string, options: object) =>
  defineModelCache(model, { ttl: '10m', ...options } as never)

const idOption = ({ primaryKey, uniqueKeys }: Model): Options =>
  primaryKey.length > 0 ? {} : { id: [...uniqueKeys.keys()][0] }

/** One line a model. */
export const idsOnly = ({ models }: SchemaFacts): Definitions =>
  new Map([...models.values()].map((model) => [model.name, idOption(model)]))

/** All unique keys of each model. */
export function uniqueKeys(facts: SchemaFacts): Definitions {
  const canBind = (model: string, options: Options): boolean => {
    try {
      bindDefinition(define(model, options), facts)
      return true
    } catch {
      return false
    }
  }
  return new Map(
    [...facts.models.values()].map((model) => {
      const { name, nullableKeys, primaryKey, uniqueKeys: keys } = model
      const id = idOption(model)
      const others = [...keys, ...nullableKeys].filter(([, fields]) => fields.join() !== primaryKey.join())
      const unique = others.filter((key) => canBind(name, { ...id, unique: Object.fromEntries([key]) }))
      return [name, { ...id, unique: Object.fromEntries(unique) }]
    }),
  )
}

interface Suggested {
  readonly definitions: readonly {
    readonly model: string
    readonly additions: readonly { readonly option: string; readonly name: string; readonly value: unknown }[]
  }[]
}

/** What `npx model-cache suggest` adds. */
export function withSuggestions(
  definitions: Definitions,
  queries: ClientQueries,
  { schema }: Corpus,
): Definitions {
  const cli = fileURLToPath(new URL('dist/esm/main.js', import.meta.resolve('@model-cache/cli/package.json')))
  const printed = execFileSync(
    process.execPath,
    [cli, 'suggest', '--from', '-', '--schema', schema, '--json'],
    {
      input: JSON.stringify(queries),
      encoding: 'utf8',
      maxBuffer: 64 * 1024 * 1024,
    },
  )
  const merged = new Map<string, Options>(definitions)
  for (const { additions, model } of (JSON.parse(printed) as Suggested).definitions) {
    const of = (option: string): object =>
      Object.fromEntries(
        additions.filter((each) => each.option === option).map(({ name, value }) => [name, value]),
      )
    const { lists, unique, ...others } = merged.get(model) ?? {}
    merged.set(model, {
      ...others,
      unique: { ...unique, ...of('unique') },
      lists: { ...lists, ...of('lists') },
    })
  }
  return merged
}

/** Whether results of all models are kept, and whether they end by the values of foreign keys. */
export type Kept = 'no results' | 'results' | 'results by keys'

/** The fields of foreign keys: most pages are those of one row at the other side. */
function keysOf({ relations, scalars }: Model): readonly string[] {
  const fields = [...relations.values()].flatMap((relation) => relation.fields)
  return [...new Set(fields)].filter((name) => /^(String|Int|BigInt)$/.test(scalars.get(name)!.type))
}

/** A client whose queries these definitions answer. */
export async function openCached(
  client: object,
  definitions: Definitions,
  facts: SchemaFacts,
  onRead: (outcome: string) => void,
  kept: Kept = 'no results',
) {
  const writes = new ModelCacheWrites()
  const keepsResults = kept !== 'no results'
  const models = new Map(
    [...facts.models.values()].map((model) => [
      model.name,
      { ttl: '10m', ...(kept === 'results by keys' && { by: keysOf(model) }) },
    ]),
  )
  const reads: Reads = keepsResults ? { results: Object.fromEntries(models) } : 'all'
  const extended = extendPrisma(client as never, writes, { reads }) as object
  const store = new MemoryStore()
  const consistency = { fenceMs: FENCE_MS }
  const tick = new Tick()
  // Hears of reads, and of nothing else.
  const nothing = (): void => {}
  const heard = (own: object) =>
    new Proxy(own as ModelObserver, { get: (known, name) => known[name as keyof ModelObserver] ?? nothing })
  const observer: CacheObserver = {
    forModel: (_, lookup) => heard(lookup === undefined ? { prismaReads: onRead } : {}),
    storeChanged: nothing,
  }
  const caches = [...definitions].map(([model, options]) => {
    const definition = bindDefinition(define(model, options), facts)
    const source = createPrismaSource(extended, { ...definition, ...definition.selection } as never)
    return createModelCache(
      definition as never,
      { namespace: 'coverage', store, tick, writes, observer, source, facts, consistency } as never,
    )
  })
  const results = new KeptResults({
    models: keepsResults ? models : new Map(),
    namespace: 'coverage',
    facts,
    store,
    tick,
    writes,
    observer,
    consistency,
  })
  await results.join()
  if (keepsResults) {
    writes.reads.results = results
    // Nothing is stored before all writers know of new registers.
    await sleep(FENCE_MS)
  }
  const close = async (): Promise<void> => {
    await Promise.all(caches.map((cache) => cache.close()))
    await results.close()
  }
  /** Resolves when what has been loaded is stored. */
  const drain = async (): Promise<void> => {
    await Promise.all(caches.map((cache) => cache.drain()))
    await results.drain()
  }
  return { client: extended, close, drain }
}
