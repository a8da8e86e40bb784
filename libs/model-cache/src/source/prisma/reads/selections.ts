import type { ComputedFields } from '../client-extensions.js'
import { isPlain } from '../../plain.js'
import { Projection } from './projection.js'
import type { ReadArguments } from './read-arguments.js'
import type { BypassReason } from './read-outcome.js'

type Flags = Readonly<Record<string, unknown>>

/** Projections of one model that are kept, by what was asked for. A process has about as many as it has queries. */
const maxKept = 200

export interface SelectionsOptions {
  /** The scalar fields of the model, in the order of rows. */
  readonly scalars: readonly string[]
  /** The fields that lead to other rows. */
  readonly relations: ReadonlySet<string>
  /** The fields that result extensions add. */
  readonly computed: ComputedFields | undefined
  /** The fields that the client omits from all results. */
  readonly omitted: Flags | undefined
}

/** What queries of one model ask for: finds the fields that the database would return before result extensions apply. */
export class Selections {
  readonly #scalars: readonly string[]
  readonly #isScalar: ReadonlySet<string>
  readonly #relations: ReadonlySet<string>
  readonly #computed: ComputedFields | undefined
  readonly #omitted: Flags
  readonly #kept = new Map<string, Projection | BypassReason>()
  readonly #whole: Projection | BypassReason

  constructor({ scalars, relations, computed, omitted = {} }: SelectionsOptions) {
    this.#scalars = scalars
    this.#isScalar = new Set(scalars)
    this.#relations = relations
    this.#computed = computed
    this.#omitted = omitted
    this.#whole = this.#omitting({}, [])
  }

  /** Returns the projection of a query with this `select`, `include` and `omit`, or why the query is not answered. */
  of({ include, omit, select }: ReadArguments): Projection | BypassReason {
    if (select === undefined && omit === undefined && include === undefined) return this.#whole
    // Prisma refuses these together.
    if (select !== undefined && (omit !== undefined || include !== undefined)) return 'argument'
    const flags = select === undefined ? (omit === undefined ? {} : omit) : select
    if (!isPlain(flags) || !(include === undefined || isPlain(include))) return 'argument'
    let key = select === undefined ? 'omit' : 'select'
    for (const field in flags) {
      const value = flags[field]
      const isRelation = select !== undefined && this.#relations.has(field)
      if (!isRelation && !this.#isScalar.has(field) && !this.#isComputed(field)) return 'relations'
      if (typeof value !== 'boolean' && !(isRelation && isPlain(value))) return 'argument'
      key += value ? ` ${field}` : ` !${field}`
    }
    const included: string[] = []
    for (const field in include) {
      const value = include[field]
      if (!this.#relations.has(field)) return 'relations'
      if (typeof value !== 'boolean' && !isPlain(value)) return 'argument'
      if (value) included.push(field)
    }
    if (included.length > 0) key += ` include ${included.join(' ')}`
    let found = this.#kept.get(key)
    if (found === undefined) {
      found = select === undefined ? this.#omitting(flags, included) : this.#selecting(flags)
      if (this.#kept.size >= maxKept) this.#kept.clear()
      this.#kept.set(key, found)
    }
    return found
  }

  #selecting(select: Flags): Projection | BypassReason {
    const selected: Record<string, unknown> = { ...select }
    for (const { name, needs } of Object.values(this.#computed ?? {})) {
      if (select[name]) for (const needed of needs) selected[needed] = true
    }
    const names = Object.keys(selected).filter((name) => !this.#isOnlyComputed(name))
    if (!names.every((name) => this.#isScalar.has(name) || this.#relations.has(name))) return 'relations'
    return this.#projectionOf(names.filter((name) => selected[name]))
  }

  #omitting(omit: Flags, included: readonly string[]): Projection | BypassReason {
    // Without a prototype, as a field may be named like something that all objects have: `constructor`.
    const asked = Object.assign(Object.create(null), this.#omitted, omit) as Flags
    const omitted = Object.assign(Object.create(null), asked) as Record<string, unknown>
    for (const { name, needs } of Object.values(this.#computed ?? {})) {
      if (!asked[name]) for (const needed of needs) delete omitted[needed]
    }
    const names = Object.keys(omitted).filter((name) => !this.#isOnlyComputed(name))
    // A relation that is not omitted is included, and Prisma refuses names that it does not know.
    if (!names.every((name) => this.#isScalar.has(name))) return 'relations'
    return this.#projectionOf([...this.#scalars.filter((name) => !omitted[name]), ...included])
  }

  /** Prisma refuses to return no fields at all. */
  #projectionOf(names: readonly string[]): Projection | BypassReason {
    return names.length > 0 ? new Projection(names, (name) => this.#relations.has(name)) : 'fields'
  }

  #isOnlyComputed(name: string): boolean {
    return this.#isComputed(name) && !this.#isScalar.has(name)
  }

  /** Names such as `constructor` are none. */
  #isComputed(name: string): boolean {
    return this.#computed !== undefined && Object.hasOwn(this.#computed, name)
  }
}
