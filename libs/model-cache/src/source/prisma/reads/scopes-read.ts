import type { Column } from '../../columns/column.js'
import { isPlain } from '../../plain.js'
import type { Scope } from '../../query-results.js'
import { addRelated } from '../../related-models.js'
import type { Model, Models, Relation } from '../../schema-facts.js'
import { findActions } from '../operations.js'
import { equalTo } from './requested-ids.js'

/** The fields by which results of a model end apart, by model. */
export type ScopeFields = ReadonlyMap<string, readonly string[]>

/** Reads a value of a query as it is in the rows that the database finds by it; undefined if only the database knows. */
type ReadValue = (column: Column, value: unknown) => unknown

/** Values that all rows of a model have which a part of a query reads, by field. */
type Pins = ReadonlyMap<string, unknown>

interface ReadQuery {
  readonly action: string
  readonly args: Arguments
  readonly model: string
}

/**
 * Returns, for models of which a query reads rows with certain values of a field only, these values: `where: { userId }` of orders, or the
 * orders that belong to the user of `where: { id }`. A model of which it may read any row is not among them.
 *
 * @param query its arguments are a copy, of plain objects
 * @param read of each value, and again where a relation has it in another column. @default as rows have it: there are only scopes of models
 *   all of whose values are stored as the query has them
 */
export function scopesRead(
  models: Models,
  fields: ScopeFields,
  { action, args, model }: ReadQuery,
  read: ReadValue = storedValue,
): ReadonlyMap<string, readonly Scope[]> {
  const visitor = new ScopeVisitor(models, fields, read)
  if (findActions.has(action)) visitor.rows(model, args, none)
  else {
    // What is selected of aggregations are fields and counts of the rows themselves.
    const { cursor, having, orderBy, where } = args as Arguments
    visitor.rows(model, { cursor, having, orderBy, where }, none)
  }
  return visitor.found()
}

type Arguments = Readonly<Record<string, unknown>>

/** A value as rows have it, by which a write names them; undefined if the database may compare it with other ones. */
const storedValue: ReadValue = ({ hasOneText, isLoose, read }, value) =>
  hasOneText && !isLoose ? read?.(value) : undefined

/** A value as the query has it. */
export const asGiven: ReadValue = (_, value) => value

const none: Pins = new Map()

class ScopeVisitor {
  readonly #models: Models
  readonly #fields: ScopeFields
  readonly #read: ReadValue
  readonly #scopes = new Map<string, Scope[]>()
  /** Models of which any row may be read. */
  readonly #whole = new Set<string>()

  constructor(models: Models, fields: ScopeFields, read: ReadValue) {
    this.#models = models
    this.#fields = fields
    this.#read = read
  }

  found(): ReadonlyMap<string, readonly Scope[]> {
    for (const model of this.#whole) this.#scopes.delete(model)
    return this.#scopes
  }

  /** @param given values that the rows have by the relation that leads to them */
  rows(name: string, args: Arguments, given: Pins): void {
    const model = this.#models.get(name)
    if (!model) return
    const { cursor, having, include, orderBy, select, where } = args
    const pins = new Map(given)
    this.#addPins(pins, model, where)
    const field = this.#fields.get(name)?.find((each) => pins.has(each))
    // The row of a cursor may be another one.
    if (field === undefined || cursor !== undefined) this.#whole.add(name)
    else this.#add(name, { field, value: pins.get(field) })
    // Conditions on relations read any rows of theirs.
    for (const conditions of [where, orderBy, having, cursor])
      addRelated(this.#models, this.#whole, name, conditions)
    for (const selected of [select, include]) this.#related(model, selected, pins)
  }

  #add(name: string, scope: Scope): void {
    const known = this.#scopes.get(name)
    if (known) known.push(scope)
    else this.#scopes.set(name, [scope])
  }

  #related(model: Model, selected: unknown, pins: Pins): void {
    if (!isPlain(selected)) return
    for (const [name, value] of Object.entries(selected)) {
      if (value === undefined || value === false) continue
      if (name === '_count') this.#counts(model, value, pins)
      const relation = model.relations.get(name)
      const target = model.relationTargets.get(name)
      if (relation) {
        // A write to a join table writes no row of either side, so it ends no marker.
        if (relation.keyHolder === 'join-table') this.#whole.add(relation.target)
        this.rows(relation.target, isPlain(value) ? value : {}, this.#through(relation, pins))
      } else if (target !== undefined) {
        this.#whole.add(target)
        this.rows(target, isPlain(value) ? value : {}, none)
      }
    }
  }

  #counts(model: Model, value: unknown, pins: Pins): void {
    const selected = isPlain(value) ? value['select'] : undefined
    if (selected !== undefined) return this.#related(model, selected, pins)
    const all = [...model.relations.values()].filter(({ isList }) => isList)
    this.#related(model, Object.fromEntries(all.map(({ field }) => [field, true])), pins)
  }

  /** The values that rows of a relation have as the rows that lead to them have theirs. */
  #through({ keyHolder, ownKey, target, targetKey }: Relation, pins: Pins): Pins {
    if (keyHolder === 'join-table') return none
    const other = this.#models.get(target)
    const found = new Map<string, unknown>()
    for (const [i, field] of ownKey.entries()) this.#addValue(found, other, targetKey[i]!, pins.get(field))
    return found
  }

  /** Adds the values of fields that all rows have which fulfil a `where`. */
  #addPins(pins: Map<string, unknown>, model: Model, where: unknown): void {
    if (!isPlain(where)) return
    this.#addValues(pins, model, where)
    const { nullableKeys, scalars, uniqueKeys } = model
    for (const name of Object.keys(where))
      // The operators of a field are no fields.
      if (!scalars.has(name) && (uniqueKeys.has(name) || nullableKeys.has(name)))
        this.#addValues(pins, model, where[name])
  }

  #addValues(pins: Map<string, unknown>, model: Model, values: unknown): void {
    if (!isPlain(values)) return
    for (const name of Object.keys(values)) this.#addValue(pins, model, name, equalTo(values[name]))
  }

  #addValue(pins: Map<string, unknown>, model: Model | undefined, name: string, given: unknown): void {
    const column = model?.scalars.get(name)
    if (!column || given === undefined || given === null || isPlain(given)) return
    const value = this.#read(column, given)
    if (value !== undefined) pins.set(name, value)
  }
}
