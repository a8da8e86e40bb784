import type { AnsweringCache } from '../../read-caches.js'
import { isPlain } from '../../plain.js'
import type { Args, QueryParams } from '../internals.js'
import type { GivenRead, PlannedRead } from './planned-read.js'
import { CostlyKeys } from './list-costs.js'
import { answeringOf } from './read-answer.js'
import type { KeyPlan } from './read-plan.js'
import { allRows } from './row-selection.js'

/** Plans that are kept. A process has about as many as it has queries. */
const maxKept = 200

/**
 * Plans of queries for one row by a key of one field, which most queries are. Those that differ in the value of the key alone share a plan,
 * so that each of them is neither copied nor planned as a whole.
 */
export class KnownPlans {
  /** By the method of the client, and by what is the same in its queries. */
  readonly #plans = new Map<string | undefined, Map<string, KnownPlan>>()
  #size = 0
  #version = -1

  /** Returns what is planned for a query; undefined if no query like it was kept, or caches have come or gone since. */
  find(
    given: GivenRead,
    { field, text, value }: KeyedQuery,
    version: number,
  ): PlannedRead | 'costs' | undefined {
    if (version !== this.#version) {
      this.#clear()
      this.#version = version
    }
    const { action, clientMethod, model } = given.params
    const known = this.#plans.get(clientMethod)?.get(text)
    if (!known || known.model !== model || known.action !== action) return undefined
    const { fields, identify } = known.plan.key
    if (fields[0]!.name !== field) return undefined
    const id = fields[0]!.read(value)
    const key = id === undefined ? undefined : identify(id)
    if (key === undefined) return undefined
    return known.costly.passes(key) ? 'costs' : new KnownRead(known, given, id)
  }

  keep({ caches, params, plan }: PlannedRead, { text }: KeyedQuery): void {
    if (!('ids' in plan) || plan.selection !== allRows || plan.key.fields.length > 1) return
    if (++this.#size > maxKept) this.#clear()
    const { action, clientMethod, model } = params
    const ofMethod = this.#plans.get(clientMethod) ?? new Map<string, KnownPlan>()
    ofMethod.set(text, {
      plan,
      model,
      action,
      caches,
      answer: answeringOf(plan, action),
      costly: new CostlyKeys(),
    })
    this.#plans.set(clientMethod, ofMethod)
  }

  #clear(): void {
    this.#plans.clear()
    this.#size = 0
  }
}

interface KnownPlan {
  readonly plan: KeyPlan
  readonly model: string | undefined
  readonly action: string
  readonly caches: readonly AnsweringCache[]
  readonly answer: (id: unknown) => Promise<unknown>
  /** Those whose related lists are left to the database. */
  readonly costly: CostlyKeys
}

/** How many queries by a key are passed on before its lists are asked for again, which know what they cost. */
const passesOfKey = 100

/** A query that is planned as another one was, with an id of its own. */
class KnownRead implements PlannedRead {
  readonly args: Args
  readonly params: QueryParams
  readonly #known: KnownPlan
  readonly #id: unknown

  constructor(known: KnownPlan, { args, params }: GivenRead, id: unknown) {
    this.args = args
    this.params = params
    this.#known = known
    this.#id = id
  }

  get caches(): readonly AnsweringCache[] {
    return this.#known.caches
  }

  get plan(): KeyPlan {
    return { ...this.#known.plan, ids: [this.#id] }
  }

  answer(): Promise<unknown> {
    return this.#known.answer(this.#id)
  }

  leave(): void {
    const { costly, plan } = this.#known
    costly.add(plan.key.identify(this.#id), passesOfKey)
  }
}

/** A query whose `where` has one value only. */
export interface KeyedQuery {
  readonly field: string
  readonly value: unknown
  /** The field, and all other arguments. */
  readonly text: string
}

/** Returns undefined for a query with arguments that no text shows, such as dates. @param args a copy, of plain objects */
export function keyedQueryOf(args: Args): KeyedQuery | undefined {
  const { where } = args
  if (!isPlain(where)) return undefined
  const fields = Object.keys(where)
  if (fields.length !== 1) return undefined
  const field = fields[0]!
  const value = where[field]
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'bigint') return undefined
  let text = field
  for (const name of Object.keys(args)) {
    if (name === 'where') continue
    const shown = textOf(args[name])
    if (shown === undefined) return undefined
    text += `,${JSON.stringify(name)}:${shown}`
  }
  return { field, value, text }
}

/** JSON of text, whole numbers, truth values, and plain objects and lists of these; undefined for anything else. */
function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return JSON.stringify(value)
  if (typeof value === 'boolean' || Number.isSafeInteger(value)) return String(value)
  const isList = Array.isArray(value)
  if (!isList && !isPlain(value)) return undefined
  let text = ''
  // A list by its places, some of which may be empty.
  const names = isList ? value.keys() : Object.keys(value)
  for (const name of names) {
    const inner = textOf((value as Args)[name])
    if (inner === undefined) return undefined
    text += isList ? `${inner},` : `${JSON.stringify(name)}:${inner},`
  }
  return isList ? `[${text}]` : `{${text}}`
}
