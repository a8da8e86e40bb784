import { isPlain } from '../../plain.js'
import type { ResultRows } from '../../query-results.js'
import {
  deriveRowShape,
  type RowField,
  type RowShape,
  type RowShapeFacts,
  type Selection,
} from '../../row-shape.js'
import { type ExtensionList, extensionsOf } from '../client-extensions.js'
import type { Args, QueryParams } from '../internals.js'
import { findActions } from '../operations.js'
import { returnsKeptOut } from './kept-out-fields.js'
import { modelsRead } from './models-read.js'
import type { GivenRead } from './read-arguments.js'
import { resultHeadOf } from './argument-text.js'
import type { ReadSettings } from './read-options.js'
import { sizeOf } from './query-shape.js'
import { literalShapeOf } from './refusals.js'
import { always, ResultPreference } from './result-preference.js'
import type { CountedResults } from './result-shapes.js'

/** Shapes of queries that are kept for a client. */
const maxShapes = 500

/** What is the same in all queries of one shape. */
export interface ResultShape {
  /** All that they read. */
  readonly models: ReadonlySet<string>
  /** Whether results of all of these are kept, and not only for those that ask by `cached`. */
  readonly isListed: boolean
  /** What decides their results besides their arguments. */
  readonly head: string
  /** Whether they return fields that must not be cached. */
  readonly hasKeptOut: boolean
  /** What the rows of their results look like, if that is known. */
  readonly rows?: ResultRows | undefined
  /** Whether they look for results. */
  readonly preference: typeof always
  /** Once one has been answered. */
  counts?: CountedResults
}

/** Describes the queries that results may answer, those of one shape once. */
export class KnownShapes {
  readonly #facts: RowShapeFacts
  readonly #settings: ReadSettings['results']
  /** The shapes of clients with the same extensions, by model, operation and literal shape. */
  readonly #shapes = new WeakMap<ExtensionList, Map<string, ResultShape>>()
  /** What is learned of shapes, by their heads and literal shapes: an application may extend a client for each request. */
  readonly #preferences = new Map<string, ResultPreference>()

  /** @param settings by model, of those whose results are kept */
  constructor(facts: RowShapeFacts, settings: ReadSettings['results']) {
    this.#facts = facts
    this.#settings = settings
  }

  /**
   * Returns the shape of a query. Queries of one shape share it, if their arguments have one.
   *
   * @param client that sends it, with its extensions
   */
  of(client: object, query: GivenRead): ResultShape {
    const text = literalShapeOf(withRoundedSkip(query.args))
    const extensions = extensionsOf(client)
    if (text === undefined) return this.#describe(extensions, query, text)
    const known = this.#shapes.get(extensions) ?? new Map<string, ResultShape>()
    this.#shapes.set(extensions, known)
    const key = `${query.params.model}.${query.params.action} ${text}`
    let shape = known.get(key)
    if (!shape) {
      if (known.size >= maxShapes) known.clear()
      known.set(key, (shape = this.#describe(extensions, query, text)))
    }
    return shape
  }

  #preferenceOf({ action, model }: QueryParams, key: string): ResultShape['preference'] {
    if (this.#settings.get(model!)?.prefer) return always
    const preferences = this.#preferences
    let known = preferences.get(key)
    if (!known) {
      if (preferences.size >= maxShapes) preferences.delete(preferences.keys().next().value!)
      preferences.set(key, (known = new ResultPreference(action)))
    }
    return known
  }

  /** @param text of the shape; undefined if nothing can be learned of it, as it is described each time */
  #describe(extensions: ExtensionList, { args, params }: GivenRead, text: string | undefined): ResultShape {
    const query = { model: params.model!, action: params.action, args }
    const models = modelsRead(this.#facts.models, query)
    // Prisma selects also what computed fields need, and an extension may be that of one client only.
    const computed = [...models].map((name) => extensions.getAllComputedFields(name))
    const needs = computed.some((fields) => fields !== undefined)
      ? computed.map((fields) => Object.entries(fields ?? {}).map(([field, { needs }]) => [field, needs]))
      : []
    const omitted = [...models].map((name) => this.#facts.omittedOf(name) ?? null)
    const neededOf = (name: string): readonly string[] =>
      Object.values(extensions.getAllComputedFields(name) ?? {}).flatMap((of) => of.needs)
    const hasKeptOut = returnsKeptOut({ ...this.#facts, neededOf }, query)
    const head = resultHeadOf(query, needs, omitted)
    // Computed fields have Prisma select more than the query asks for.
    const areKnown = text !== undefined && needs.length === 0 && !hasKeptOut
    return {
      models,
      isListed: [...models].every((name) => this.#settings.has(name)),
      head,
      hasKeptOut,
      rows: areKnown ? resultRows(this.#facts, query) : undefined,
      preference: text === undefined ? always : this.#preferenceOf(params, `${head} ${text}`),
    }
  }
}

/** There may be any number of pages: what is learned of one holds for those near it. */
function withRoundedSkip(args: Args): Args {
  const { skip } = args
  return skip === undefined ? args : { ...args, skip: sizeOf(skip) }
}

/** Returns what the rows look like that a query returns; undefined if it returns none, or only Prisma knows. */
function resultRows(
  facts: RowShapeFacts,
  { action, args, model }: { readonly action: string; readonly args: object; readonly model: string },
): ResultRows | undefined {
  if (!findActions.has(action)) return undefined
  try {
    const shape = inSelectedOrder(deriveRowShape(facts, model, args as Selection), args)
    return { shape, isList: action === 'findMany' }
  } catch {
    return undefined
  }
}

/** Prisma returns what `select` names in its order, and what `include` names in its order behind the other fields. */
function inSelectedOrder(shape: RowShape, { include, select }: Selection): RowShape {
  const given = (select ?? include ?? {}) as Readonly<Record<string, unknown>>
  const order = Object.keys(given)
  const at = ({ name }: RowField): number => order.indexOf(name)
  return shape
    .toSorted((one, other) => at(one) - at(other))
    .map((field) => withOrderedRows(field, given[field.name]))
}

function withOrderedRows(field: RowField, given: unknown): RowField {
  if (field.kind !== 'rows' || !isPlain(given)) return field
  return { ...field, fields: inSelectedOrder(field.fields, given as Selection) }
}
