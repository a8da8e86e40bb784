import type { DataModel, Model, Relation } from './data-model.js'
import { changesOf, isPlain, listOf, pinnedBy, pinnedRows, type Row } from './literals.js'
import type { Args } from './prisma-internals.js'
import { affectedBy, type Change } from './referential-actions.js'
import type { Touched } from './touched.js'

/**
 * Touches what the `data` of a create or an update writes in other models, or in other rows of its own. A row that
 * `isNew` has no relations yet that could be released.
 */
export function touchNested(
  models: DataModel,
  model: Model,
  data: unknown,
  isNew: boolean,
  touched: Touched,
): void {
  if (!isPlain(data)) return
  for (const [field, operations] of Object.entries(data)) {
    const relation = model.relations.get(field)
    if (!relation || !isPlain(operations)) continue
    const writer = new NestedWriter(models, model, relation, isNew, touched)
    for (const [operation, given] of Object.entries(operations)) {
      // An empty list of rows is an operation too: `set: []` releases all.
      for (const argument of operation === 'set' ? [given] : listOf(given)) writer.touch(operation, argument)
    }
  }
}

/** The operations of one relation field. Those on lists and those on single rows have different arguments. */
class NestedWriter {
  readonly #models: DataModel
  readonly #relation: Relation
  readonly #parent: Model
  readonly #target: Model
  readonly #isNew: boolean
  readonly #touched: Touched

  constructor(models: DataModel, parent: Model, relation: Relation, isNew: boolean, touched: Touched) {
    this.#models = models
    this.#parent = parent
    this.#relation = relation
    this.#target = models.get(relation.target)!
    this.#isNew = isNew
    this.#touched = touched
  }

  touch(operation: string, argument: unknown): void {
    const { where, data, create, update } = isPlain(argument) ? argument : ({} as Args)
    // Of a single row the data may stand alone: `update: { name }`.
    const isWrapped = where !== undefined || isPlain(data)
    switch (operation) {
      case 'create':
        return this.#create(argument)
      case 'createMany':
        return listOf(data).forEach((row) => this.#create(row))
      case 'connect':
        return this.#connect(argument)
      case 'connectOrCreate':
        this.#connect(where)
        return this.#create(create)
      case 'disconnect':
        return this.#release(argument)
      case 'set':
        return this.#release(undefined)
      case 'update':
        return this.#update(isWrapped ? where : undefined, isWrapped ? data : argument)
      case 'upsert':
        this.#update(where, update)
        return this.#create(create)
      case 'updateMany':
        return this.#update(where, data)
      case 'delete':
      case 'deleteMany':
        return this.#delete(argument)
      default:
        // An operation that is younger than this list.
        this.#touched.addModel(this.#parent.name, 'nested')
        this.#touched.addModel(this.#target.name, 'nested')
    }
  }

  #create(data: unknown): void {
    if (!isPlain(data)) return
    this.#replace()
    this.#addRows([changesOf(this.#target, data)])
    touchNested(this.#models, this.#target, data, true, this.#touched)
  }

  #connect(where: unknown): void {
    const { keyHolder, isOneToOne } = this.#relation
    this.#replace()
    this.#release(where)
    // Who was connected to that row before is no longer.
    if (!isOneToOne || keyHolder !== 'this') return
    this.#touched.addModel(this.#parent.name, 'nested')
    this.#cascade(this.#parent, new Set(this.#relation.fields))
  }

  /** A row that takes the place of another one releases that. */
  #replace(): void {
    const { keyHolder, isOneToOne } = this.#relation
    if (isOneToOne && keyHolder === 'target' && !this.#isNew) this.#release(undefined)
  }

  /** The foreign key of a row changes, when the row is what holds it. */
  #release(where: unknown): void {
    const { keyHolder, targetField } = this.#relation
    if (keyHolder !== 'target') return
    const { fields } = this.#target.relations.get(targetField)!
    const changes = Object.fromEntries(fields.map((field) => [field, undefined]))
    this.#touched.addChanged(this.#target.name, [pinnedBy(this.#target, where)], changes, 'nested')
    this.#cascade(this.#target, new Set(fields))
  }

  #update(where: unknown, data: unknown): void {
    if (!isPlain(data)) return
    const changes = changesOf(this.#target, data)
    this.#touched.addChanged(this.#target.name, pinnedRows(this.#target, where), changes, 'nested')
    this.#cascade(this.#target, new Set(Object.keys(changes)))
    touchNested(this.#models, this.#target, data, false, this.#touched)
  }

  #delete(where: unknown): void {
    this.#addRows(pinnedRows(this.#target, where))
    this.#cascade(this.#target, 'deleted')
  }

  #cascade(from: Model, change: Change): void {
    for (const { model } of affectedBy(this.#models, from.name, change)) {
      this.#touched.addModel(model, 'cascade')
    }
  }

  #addRows(rows: readonly Row[]): void {
    this.#touched.addRows(this.#target.name, rows, 'nested')
  }
}
