import type { AnsweringCache, CachedRow } from '../../read-caches.js'
import { isPlain } from '../../plain.js'
import type { Args, QueryParams } from '../internals.js'
import type { PlannedRead } from './planned-read.js'
import { CostlyKeys } from './list-costs.js'
import { type Answer, answeringOf, answerOf } from './read-answer.js'
import type { GivenRead } from './read-arguments.js'
import type { KeyPlan, ListPlan, ReadPlan } from './read-plan.js'
import type { KeyColumn } from './readable-key.js'
import { RecentlyUsed } from './recently-used.js'
import { ShapeRefusal, type Unplanned } from './refusals.js'
import { allRows } from './row-selection.js'

/** Plans that are kept. A process has about as many as it has queries. */
const maxKept = 200

/**
 * Plans of queries by one value, for a row by a key of one field or for a list, which most queries are. Those that differ in the value
 * alone share a plan, so that each of them is neither copied nor planned as a whole.
 */
export class KnownPlans {
  /** The plans by the method of the client, and by what is the same in its queries. */
  readonly #plans = new RecentlyUsed<KnownPlan>(maxKept)

  /** Returns what is planned for a query, or that the database answers for less; undefined if no query like it was kept. */
  find(given: GivenRead, { field, text, value }: KeyedQuery): PlannedRead | Unplanned | undefined {
    const { action, clientMethod, model } = given.params
    const known = this.#plans.get(clientMethod, text)
    if (!known || known.model !== model || known.action !== action) return undefined
    const { form, refusal } = known
    if (form.field !== field) return undefined
    const key = form.keyOf(value)
    if (key === undefined) return undefined
    return form.isCostly(key)
      ? { reason: 'costs', args: given.args, refusal }
      : new KnownRead(known, given, key)
  }

  keep({ caches, params, plan, preferred }: PlannedRead, { text }: KeyedQuery): void {
    const { action, clientMethod, model } = params
    const form =
      'ids' in plan ? formOfKey(plan, action) : 'list' in plan ? formOfList(plan, action) : undefined
    if (!form) return
    const refusal = new ShapeRefusal('costs')
    this.#plans.set(clientMethod, text, { form, model, action, caches, preferred, refusal })
  }
}

interface KnownPlan {
  readonly form: PlanForm
  readonly model: string | undefined
  readonly action: string
  readonly caches: readonly AnsweringCache[]
  readonly preferred: PlannedRead['preferred']
  /** Counts the queries that are left to the database. */
  readonly refusal: ShapeRefusal
}

/** A plan without the value of its query. */
interface PlanForm {
  /** The field that has the value. */
  readonly field: string
  /** Returns undefined for a value that is planned for itself. */
  keyOf(value: unknown): unknown
  planOf(key: unknown): ReadPlan
  answer(key: unknown): Promise<Answer>
  /** Whether the database answers for less. */
  isCostly(key: unknown): boolean
  /** Notes that it does. */
  leave(key: unknown): void
}

/** How many queries by a key are passed on before its lists are asked for again, which know what they cost. */
const passesOfKey = 100

function formOfKey(plan: KeyPlan, action: string): PlanForm | undefined {
  const { key, selection } = plan
  const [field, ...others] = key.fields as [KeyColumn]
  if (selection !== allRows || others.length > 0) return undefined
  const costly = new CostlyKeys()
  return {
    field: field.name,
    keyOf(value) {
      const id = field.read(value)
      return id === undefined || key.identify(id) === undefined ? undefined : id
    },
    planOf: (id) => ({ ...plan, ids: [id] }),
    answer: answeringOf(plan, action),
    isCostly: (id) => costly.passes(key.identify(id)),
    leave: (id) => costly.add(key.identify(id), passesOfKey),
  }
}

function formOfList(plan: ListPlan, action: string): PlanForm | undefined {
  const { list, listKeys, selection } = plan
  const { fields, lookup } = list
  const [field, ...others] = fields as [KeyColumn]
  if (others.length > 0 || listKeys.length > 1 || lookup.through !== undefined || selection.test)
    return undefined
  const planOf = (key: unknown): ListPlan => ({ ...plan, listKeys: [key as CachedRow] })
  return {
    field: field.name,
    keyOf(value) {
      const key = { [field.name]: field.read(value) }
      return key[field.name] === undefined || lookup.keyOf(key) == null ? undefined : key
    },
    planOf,
    answer: (key) => answerOf(planOf(key), action),
    isCostly: (key) => selection.costs?.areHigh([lookup.keyOf(key as CachedRow)]) === true,
    // The list knows.
    leave: () => {},
  }
}

/** A query that is planned as another one was, with a key of its own. */
class KnownRead implements PlannedRead {
  readonly args: Args
  readonly params: QueryParams
  readonly #known: KnownPlan
  readonly #key: unknown

  constructor(known: KnownPlan, { args, params }: GivenRead, key: unknown) {
    this.args = args
    this.params = params
    this.#known = known
    this.#key = key
  }

  get caches(): readonly AnsweringCache[] {
    return this.#known.caches
  }

  get preferred(): PlannedRead['preferred'] {
    return this.#known.preferred
  }

  get plan(): ReadPlan {
    return this.#known.form.planOf(this.#key)
  }

  answer(): Promise<Answer> {
    return this.#known.form.answer(this.#key)
  }

  leave(): ShapeRefusal {
    this.#known.form.leave(this.#key)
    return this.#known.refusal
  }

  // The form asks again by itself.
  stay(): void {}
}

/** A query whose `where` has one value only. */
export interface KeyedQuery {
  readonly field: string
  readonly value: unknown
  /** The field, and all other arguments. */
  readonly text: string
}

/**
 * Returns undefined for a query with arguments that no text shows, such as dates, and for a page with a cursor.
 *
 * @param args a copy, of plain objects
 */
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
    const shown = textOfMember(name, args[name])
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
    const inner = textOfMember(name, (value as Args)[name])
    if (inner === undefined) return undefined
    text += isList ? `${inner},` : `${JSON.stringify(name)}:${inner},`
  }
  return isList ? `[${text}]` : `{${text}}`
}

/** Returns undefined for a cursor, too: each page has its own, so its plan would only take the place of others. */
function textOfMember(name: string | number, value: unknown): string | undefined {
  return name === 'cursor' && isPlain(value) ? undefined : textOf(value)
}
