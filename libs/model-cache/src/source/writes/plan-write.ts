import type { WriteCoordinator } from '../write-coordinator.js'
import type { DataModel, Model } from './data-model.js'
import { changesOf, flattenUnique, hasAll, listOf, pinnedBy, pinnedRows, type Row } from './literals.js'
import { touchNested } from './nested-writes.js'
import type { Args } from './prisma-internals.js'
import { affectedBy, whereOf, type Change } from './referential-actions.js'
import { Touched } from './touched.js'
import type { LookUp, WritePlan } from './write-plan.js'

export interface Planning {
  readonly models: DataModel
  readonly coordinator: WriteCoordinator
  /** The most rows of one query that are told one by one. */
  readonly limit: number
  /** Whether the database has createManyAndReturn. */
  readonly returnsCreated: boolean
}

/** What a query writes. Undefined when it writes nothing that is cached. */
export function planWrite(
  planning: Planning,
  name: string,
  operation: string,
  args: Args,
): WritePlan | undefined {
  const model = planning.models.get(name)
  const plan = model && new Draft(planning, model)
  switch (plan && operation) {
    case 'create':
      plan!.create(args.data)
      break
    case 'createMany':
    case 'createManyAndReturn':
      plan!.createMany(operation, listOf(args.data))
      break
    case 'update':
      plan!.update(args.where, args.data)
      break
    case 'upsert':
      plan!.update(args.where, args.update)
      plan!.create(args.create)
      break
    case 'delete':
      plan!.delete(args.where)
      break
    case 'updateMany':
    case 'updateManyAndReturn':
      plan!.updateMany(operation, args.where, args.data)
      break
    case 'deleteMany':
      plan!.deleteMany(args.where)
      break
    default:
      return undefined
  }
  return plan!.isEmpty ? undefined : plan
}

/** A plan in the making. Each method adds what one kind of query writes. */
class Draft implements WritePlan {
  readonly model: string
  readonly idFields: readonly string[]
  readonly touched: Touched
  readonly lookUps: LookUp[] = []
  mode: WritePlan['mode'] = 'plain'
  changes: Row = {}

  readonly #planning: Planning
  readonly #model: Model

  constructor(planning: Planning, model: Model) {
    this.#planning = planning
    this.#model = model
    this.model = model.name
    this.idFields = [...new Set(planning.coordinator.idFieldsOf(model.name).flat())]
    this.touched = new Touched(planning.coordinator, planning.limit)
  }

  get isEmpty(): boolean {
    return this.touched.isEmpty && this.lookUps.length === 0 && this.mode === 'plain'
  }

  create(data: unknown): void {
    const row = changesOf(this.#model, data)
    if (hasAll(row, this.idFields)) this.touched.addRows(this.model, [row], 'unknown')
    else this.mode = 'returning'
    touchNested(this.#planning.models, this.#model, data, true, this.touched)
  }

  createMany(operation: string, data: readonly unknown[]): void {
    if (this.idFields.length === 0) return this.#touchAnyRow()
    const rows = data.map((row) => changesOf(this.#model, row))
    if (rows.length > this.#planning.limit) this.touched.addModel(this.model, 'unbounded')
    else if (rows.every((row) => hasAll(row, this.idFields)))
      this.touched.addRows(this.model, rows, 'unknown')
    else if (operation === 'createManyAndReturn') this.mode = 'returning'
    else if (this.#planning.returnsCreated) this.mode = 'create-returning'
    else this.touched.addModel(this.model, 'unknown')
  }

  update(where: unknown, data: unknown): void {
    const pinned = pinnedBy(this.#model, where)
    const changes = changesOf(this.#model, data)
    const changesIds = this.idFields.some((field) => field in changes)
    if (!hasAll({ ...pinned, ...changes }, this.idFields)) this.mode = 'returning'
    if (hasAll(pinned, this.idFields)) this.touched.addRows(this.model, [pinned], 'unknown')
    else if (changesIds) this.#lookUpSelf(where)
    else this.mode = 'returning'
    if (changesIds && this.mode === 'plain')
      this.touched.addRows(this.model, [{ ...pinned, ...changes }], 'unknown')
    this.#lookUpAffected(where, new Set(Object.keys(changes)))
    touchNested(this.#planning.models, this.#model, data, false, this.touched)
  }

  delete(where: unknown): void {
    const pinned = pinnedBy(this.#model, where)
    if (hasAll(pinned, this.idFields)) this.touched.addRows(this.model, [pinned], 'unknown')
    else this.mode = 'returning'
    this.#lookUpAffected(where, 'deleted')
  }

  updateMany(operation: string, where: unknown, data: unknown): void {
    this.changes = changesOf(this.#model, data)
    const changesIds = this.idFields.some((field) => field in this.changes)
    if (!this.#touchPinned(where)) {
      this.mode = operation === 'updateManyAndReturn' && !changesIds ? 'returning' : 'restricted'
    }
    this.#lookUpAffected(where, new Set(Object.keys(this.changes)))
  }

  deleteMany(where: unknown): void {
    if (!this.#touchPinned(where)) this.mode = 'restricted'
    this.#lookUpAffected(where, 'deleted')
  }

  /** Touches the rows of a bulk write, when its `where` tells them. */
  #touchPinned(where: unknown): boolean {
    if (this.idFields.length === 0) {
      this.#touchAnyRow()
      return true
    }
    const rows = pinnedRows(this.#model, where)
    if (!rows.every((row) => hasAll(row, this.idFields))) return false
    this.touched.addChanged(this.model, rows, this.changes, 'unknown')
    return true
  }

  /** For a model without a cache of its own, on which others may depend: whichever row is written. */
  #touchAnyRow(): void {
    this.touched.addRows(this.model, [{}], 'unknown')
  }

  #lookUpSelf(where: unknown): void {
    this.lookUps.push({ model: this.model, where: flattenUnique(this.#model, where), reason: 'unknown' })
  }

  #lookUpAffected(where: unknown, change: Change): void {
    const { models, coordinator } = this.#planning
    const affected = affectedBy(models, this.model, change).filter(
      ({ model }) => coordinator.idFieldsOf(model).length > 0,
    )
    // Those that are endless, and those that get ids which nobody knows yet.
    const whole = affected.filter(
      ({ model, path, change }) =>
        !path ||
        (change !== 'deleted' &&
          coordinator.idFieldsOf(model).some((ids) => ids.some((id) => change.has(id)))),
    )
    const wholes = new Set(whole.map(({ model }) => model))
    for (const model of wholes) this.touched.addModel(model, 'cascade')
    for (const { model, path } of affected) {
      if (wholes.has(model)) continue
      const flat = flattenUnique(this.#model, where)
      this.lookUps.push({ model, where: whereOf(path!, flat), reason: 'cascade' })
    }
  }
}
