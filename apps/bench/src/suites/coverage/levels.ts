import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { extendPrisma, modelCaches, ModelCacheWrites } from 'model-cache'
import {
  bindDefinition,
  type CacheObserver,
  type ClientQueries,
  createModelCache,
  createPrismaSource,
  MemoryStore,
  type ModelObserver,
  type SchemaFacts,
  Tick,
} from 'model-cache/advanced'
import type { Corpus } from './corpora.ts'

/** What the definition of a model has beside its ttl. */
export interface Options {
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
const define = (model: string, options: object) => defineModelCache(model, { ttl: '10m', ...options } as never)

/** One line a model. */
export function idsOnly({ models }: SchemaFacts): Definitions {
  return new Map([...models.values()].map((model) => [model.name, idOption(model)]))
}

function idOption({ primaryKey, uniqueKeys }: Model): Options {
  return primaryKey.length > 0 ? {} : { id: [...uniqueKeys.keys()][0] }
}

/** All unique keys of each model. */
export function uniqueKeys(facts: SchemaFacts): Definitions {
  return new Map(
    [...facts.models.values()].map((model) => {
      const { name, nullableKeys, primaryKey, uniqueKeys: keys } = model
      const id = idOption(model)
      const others = [...keys, ...nullableKeys].filter(([, fields]) => fields.join() !== primaryKey.join())
      const unique = others.filter((key) => canBind(name, { ...id, unique: Object.fromEntries([key]) }, facts))
      return [name, { ...id, unique: Object.fromEntries(unique) }]
    }),
  )
}

function canBind(model: string, options: Options, facts: SchemaFacts): boolean {
  try {
    bindDefinition(define(model, options), facts)
    return true
  } catch {
    return false
  }
}

interface Suggested {
  readonly definitions: readonly {
    readonly model: string
    readonly additions: readonly { readonly option: string; readonly name: string; readonly value: unknown }[]
  }[]
}

/** What `npx model-cache suggest` adds. */
export function withSuggestions(definitions: Definitions, queries: ClientQueries, { schema }: Corpus): Definitions {
  const folder = mkdtempSync(join(tmpdir(), 'model-cache-coverage-'))
  try {
    const from = join(folder, 'queries.json')
    writeFileSync(from, JSON.stringify(queries))
    const cli = new URL('cli/main.js', import.meta.resolve('model-cache'))
    const printed = execFileSync(process.execPath, [fileURLToPath(cli), 'suggest', '--from', from, '--schema', schema, '--json'], {
      encoding: 'utf8',
      maxBuffer: 64 * 1024 * 1024,
    })
    const suggested = JSON.parse(printed) as Suggested
    const merged = new Map<string, Options>(definitions)
    for (const { additions, model } of suggested.definitions) {
      const of = (option: string): object =>
        Object.fromEntries(additions.filter((each) => each.option === option).map(({ name, value }) => [name, value]))
      const { lists, unique, ...others } = merged.get(model) ?? {}
      merged.set(model, { ...others, unique: { ...unique, ...of('unique') }, lists: { ...lists, ...of('lists') } })
    }
    return merged
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** A client whose queries these definitions answer. */
export async function openCached(client: object, definitions: Definitions, facts: SchemaFacts, onRead: (outcome: string) => void) {
  const writes = new ModelCacheWrites()
  const extended = extendPrisma(client as never, writes, { reads: 'all' }) as object
  const store = new MemoryStore()
  const tick = new Tick()
  const observer: CacheObserver = {
    forModel: (_, lookup) => observerOf(lookup === undefined ? { prismaReads: onRead } : {}),
    storeChanged: () => {},
  }
  const caches = [...definitions].map(([model, options]) => {
    const definition = bindDefinition(define(model, options), facts)
    const source = createPrismaSource(extended, { ...definition, ...definition.selection } as never)
    return createModelCache(definition as never, { namespace: 'coverage', store, tick, writes, observer, source, facts } as never)
  })
  return { client: extended, close: () => Promise.all(caches.map((cache) => cache.close())) }
}

/** Hears of these, and of nothing else. */
function observerOf(heard: Partial<ModelObserver>): ModelObserver {
  return new Proxy(heard as ModelObserver, {
    get: (known, name) => known[name as keyof ModelObserver] ?? (() => {}),
  })
}
