import { loadHooksError } from '../../configuration-errors.js'
import { type Arrival, asOwnQuery } from '../own-queries.js'
import { readsReplicas } from './client-extensions.js'

export interface HookedLoadsOptions {
  /** The cache's name. */
  readonly name: string
  readonly model: string
  readonly client: object
  /** Whether a field is one of the rows themselves. */
  readonly isOwnField: (field: string) => boolean
}

/** A query by which a load asks for rows. */
interface Query {
  readonly where: object
}

/** The arguments of a query by which its result is a part of the rows that fulfil its condition. */
const paging = ['cursor', 'distinct', 'skip', 'take'] as const

/**
 * Loads through the query hooks of an extended client. A hook may add a condition, as soft delete does: `cache.get` then returns what a
 * query of the client does, as a write to a row fences it. That is not so
 * - if the condition is about other rows, whose writes do not fence this one;
 * - if it depends on the caller, since a load is of all callers;
 * - in a lookup: a write that has a row fulfil the condition again does not tell which entries the row joins;
 * - if the hook takes a part of the rows, as a default `take` does: a load asks for many rows, and those left out would count as missing;
 * - in a transaction of the hook, whose session may see other rows than that of the next load.
 *
 * These loads are refused, as are those that a hook answers itself.
 */
export class HookedLoads {
  readonly #options: HookedLoadsOptions
  /** What hooks added to the first load by ids. */
  #added: string | undefined

  constructor(options: HookedLoadsOptions) {
    this.#options = options
  }

  /** @throws ConfigurationError */
  async byIds<Row>(query: Query, send: () => Promise<Row[]>): Promise<Row[]> {
    const [rows, arrival] = await this.#send(send)
    if (!arrival && readsReplicas(this.#options.client)) return rows
    const added = this.#addedTo(query, arrival, paging)
    if (!this.#isOwn(added)) throw this.#refusal('adds a condition about rows of other models to its loads')
    const text = textOf(added)
    this.#added ??= text
    if (text !== this.#added) throw this.#refusal('does not add the same condition to each of its loads')
    return rows
  }

  /** @throws ConfigurationError */
  async byLookup<Row>(query: Query, send: () => Promise<Row[]>): Promise<Row[]> {
    const [rows, arrival] = await this.#send(send)
    const added = this.#addedTo(query, arrival, [...paging, 'orderBy'])
    const isFiltered = ((await arrival!.result) as unknown[]).length !== rows.length
    if (isFiltered || added.length > 0) {
      const fields = added.map(([field]) => field).join(', ')
      throw this.#refusal(`filters its unique keys and lists${fields && ` by ${fields}`}`)
    }
    return rows
  }

  async #send<Row>(send: () => Promise<Row[]>): Promise<[Row[], Arrival | undefined]> {
    let last: Arrival | undefined
    const rows = await asOwnQuery(send, (arrival) => {
      if (arrival.model === this.#options.model && arrival.action === 'findMany') last = arrival
    })
    return [rows, last]
  }

  /**
   * What a load has to fulfil beyond the given condition.
   *
   * @param fixed the other arguments that must be those of the load
   */
  #addedTo(given: Query, arrival: Arrival | undefined, fixed: readonly string[]): readonly Entry[] {
    if (!arrival) throw this.#refusal('does not send its loads to the database')
    if (arrival.isInTransaction) throw this.#refusal('puts its loads into a transaction')
    const args = arrival.args as Partial<Query>
    const set = fixed.filter((name) => textOf(Reflect.get(args, name)) !== textOf(Reflect.get(given, name)))
    if (set.length > 0) throw this.#refusal(`sets ${set.join(', ')} for its loads`)
    const arrived = entriesOf(args.where ?? {})
    const asked = new Set(entriesOf(given.where).map(textOf))
    const added = arrived.filter((entry) => !asked.has(textOf(entry)))
    const kept = new Set(arrived.map(textOf))
    if ([...asked].some((entry) => !kept.has(entry)))
      throw this.#refusal('replaces the condition of its loads')
    return added
  }

  #isOwn(added: readonly Entry[]): boolean {
    return added.every(([key, value]) =>
      key === 'OR' || key === 'NOT'
        ? [value].flat().every((member) => this.#isOwn(entriesOf(member as object)))
        : this.#options.isOwnField(key),
    )
  }

  #refusal(what: string): Error {
    return loadHooksError(this.#options.name, what)
  }
}

/** A condition on one field, or an alternative. */
type Entry = readonly [string, unknown]

/** All that a row has to fulfil. */
function entriesOf(condition: object): readonly Entry[] {
  return Object.entries(condition).flatMap(([key, value]): readonly Entry[] => {
    if (value === undefined) return []
    return key === 'AND' ? [value].flat().flatMap((member) => entriesOf(member as object)) : [[key, value]]
  })
}

function textOf(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) => (typeof member === 'bigint' ? `${member}n` : member))
}
