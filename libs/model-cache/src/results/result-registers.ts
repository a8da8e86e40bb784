import { createHash } from 'node:crypto'
import type { Runtime } from '../cache/context.js'
import type { WriteSide } from '../cache/create-write-side.js'
import type { FollowState } from '../cache/gap.js'
import type { CacheSettings } from '../cache/policy/cache-settings.js'
import { registerNameOf } from '../cache/results/register-name.js'
import {
  createResultRegister,
  type ResultRegister,
  type ResultRegisterOptions,
} from '../cache/results/result-register.js'
import { createResultScope, type ResultScope } from '../cache/results/result-scope.js'
import { createResultCodec, type ResultForms } from '../cache/results/stored-result.js'
import type { ModelObserver } from '../cache/telemetry/observer.js'
import { invalidOptionError } from '../configuration-errors.js'
import { canBeInId } from '../definitions/id-keys.js'
import {
  type AtRest,
  type CacheDescription,
  formedFingerprint,
  type IdField,
  type ModelCacheWrites,
  type NamespaceDatabase,
  type OperatorLog,
  type Store,
  type StoredForm,
  storedForm,
} from '../protocol/index.js'
import type { Column } from '../source/columns/column.js'
import { scalarKindOf } from '../source/row-shape.js'
import type { SchemaFacts } from '../source/schema-facts.js'
import type { SharedTables } from '../source/shared-tables.js'
import { tablesOf, withSharedTables } from '../source/tables.js'
import { dayMs, type KeptModel } from './kept-model.js'
import { modelPrintOf } from './result-prints.js'

/** What the parts that keep the results of one client work with. */
export interface ResultParts {
  readonly facts: SchemaFacts
  /** The models whose results are kept for all queries. */
  readonly models: ReadonlyMap<string, KeptModel>
  readonly forms: ResultForms
  readonly store: Store
  /** Undefined if nothing is encrypted. */
  readonly atRest: AtRest | undefined
  readonly settings: CacheSettings
  readonly writes: ModelCacheWrites
  readonly database: NamespaceDatabase | undefined
  readonly watchLoad: (() => () => boolean) | undefined
  readonly runtime: Omit<Runtime, 'notFound'>
  readonly log: OperatorLog
  /** Observes the results of queries of a model. */
  observerOf(this: void, model: string): ModelObserver
  /** What tells whether the writes to a model are followed; undefined if its results are served anyway. @throws ConfigurationError */
  followOf(this: void, model: string): FollowState | undefined
}

/**
 * The names of the registers of tags, which no model has, in an order that all processes have. There are 256, as each is an entry of the
 * catalogue: tags that share one end together.
 */
export function tagRegisters(tags: readonly string[]): readonly string[] {
  const names = tags.map((tag) => `#${createHash('sha256').update(tag).digest()[0]}`)
  return [...new Set(names)].toSorted()
}

/** What shows the writes to each model whose results are kept, and to its rows by their values of a field. */
export class ResultRegisters {
  readonly #parts: ResultParts
  readonly #ofModels = new Map<string, ResultRegister>()
  /** The scopes by model, and by field. */
  readonly #scopes = new Map<string, Map<string, ResultScope>>()

  constructor(parts: ResultParts) {
    this.#parts = parts
  }

  all(): readonly WriteSide[] {
    return [...this.#ofModels.keys()].flatMap((model) => this.allOf(model))
  }

  /** The register of a model, of `lasting`, or of tags. */
  of(model: string): ResultRegister {
    let found = this.#ofModels.get(model)
    if (!found) {
      found = this.#create(model, this.#describe(model), createResultRegister)
      this.#ofModels.set(model, found)
    }
    return found
  }

  /**
   * Adds a field by whose values results of a model end apart.
   *
   * @throws ConfigurationError
   */
  addScope(model: string, field: string): void {
    const column = this.#parts.facts.models.get(model)!.scalars.get(field)!
    const description = this.#describeScope(model, idFieldOf(model, column))
    const scope = this.#create(model, description, createResultScope)
    this.#scopes.set(model, (this.#scopes.get(model) ?? new Map<string, ResultScope>()).set(field, scope))
  }

  scope(model: string, field: string): ResultScope | undefined {
    return this.#scopes.get(model)?.get(field)
  }

  /** Returns the registers of a model, those of its scopes among them. */
  allOf(model: string): readonly WriteSide[] {
    return [this.of(model), ...(this.#scopes.get(model)?.values() ?? [])]
  }

  /** How results of queries of a model are stored that read these models; undefined if as their codec writes them. */
  formOf(model: string, names: readonly string[]): StoredForm | undefined {
    const { atRest, models } = this.#parts
    return storedForm({ atRest, models: names, compressAboveBytes: models.get(model)?.compressAboveBytes })
  }

  /** @param model for messages */
  #create<Created extends WriteSide>(
    model: string,
    described: CacheDescription,
    create: (parts: ResultRegisterOptions) => Created,
  ): Created {
    const { database, facts, followOf, forms, log, models, observerOf } = this.#parts
    const shared = database?.sharedTables
    const form = this.formOf(model, [model])
    const fingerprint = modelPrintOf(facts, model)
    const formed: CacheDescription = form ? { ...described, atRest: form.described } : described
    const { staleForMs = 0, ttlMs = 0 } = models.get(model) ?? {}
    const created = create({
      ...this.#parts,
      description: shared ? withShared(model, formed, shared) : formed,
      // Queries of `cached` may keep results of any model for a day.
      lifeMs: Math.max(ttlMs + staleForMs, dayMs),
      codec: createResultCodec(form ? formedFingerprint(fingerprint, form) : fingerprint, forms),
      form,
      telemetry: { observer: observerOf(model), log },
      follow: followOf(model),
    })
    if (database && !shared)
      created.onClose.push(
        database.onTables((found) => created.listing.describe(withShared(model, formed, found))),
      )
    return created
  }

  /**
   * How the catalogue lists the results that read a model: each write to it concerns all of them. They are rows of no model, so that a
   * follower goes on to tell which rows of caches of the model have changed.
   */
  #describe(model: string): CacheDescription {
    const { facts, settings } = this.#parts
    const name = registerNameOf(model)
    return {
      name,
      model: name,
      id: [{ name: 'digest', kind: 'string' }],
      buckets: settings.buckets,
      dependsOn: facts.models.has(model) ? [model] : [],
      lookups: [],
      // With join tables, which other programs write, and clients that have a model of them.
      tables: tablesOf(facts, { model, dependsOn: [model], fields: [], relations: [], readsRelations: true }),
    }
  }

  /** A cache of the model whose rows have another id, which several of them share. */
  #describeScope(model: string, id: IdField): CacheDescription {
    const { facts, settings } = this.#parts
    return {
      name: registerNameOf(model, id.name),
      model,
      id: [id],
      buckets: settings.buckets,
      dependsOn: [],
      lookups: [],
      tables: tablesOf(facts, { model, dependsOn: [], fields: [id.name], relations: [] }),
    }
  }
}

/** @throws ConfigurationError */
function idFieldOf(model: string, column: Column): IdField {
  const { isList, kind, name, type } = column
  if (isList || !canBeInId(column))
    throw invalidOptionError(
      `reads.results.${model}.by`,
      name,
      'a field with a text, a whole number, an enum or a date, whose values JavaScript tells apart as the database does',
    )
  return { name, kind: kind === 'day' ? 'day' : (scalarKindOf(type) as IdField['kind']) }
}

/** @throws ConfigurationError if writes that change rows of the model cannot be known */
function withShared(model: string, description: CacheDescription, shared: SharedTables): CacheDescription {
  const { tables } = description
  if (!tables) return description
  for (const table of tables.models) {
    const { isMaterialized, isOpaque } = shared.of(table) ?? {}
    if (isMaterialized || isOpaque)
      throw invalidOptionError(
        `reads.results.${model}`,
        'a view',
        'a model whose rows are in tables, or in a view of tables that the database shows; leave it out',
      )
  }
  return { ...description, tables: withSharedTables(tables, shared, false) }
}
