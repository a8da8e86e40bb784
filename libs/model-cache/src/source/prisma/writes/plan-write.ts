import { AffectedRows, hasAll } from '../../affected-rows.js'
import { isPlain } from '../../plain.js'
import { type Cascade, cascadesFrom, type Change, type Path } from '../../referential-actions.js'
import type { Model, Models } from '../../schema-facts.js'
import type { WriteCoordinator } from '../../write-coordinator.js'
import type { Args } from '../internals.js'
import {
  areExact,
  changesOf,
  flattenUnique,
  listOf,
  modelsFilteredBy,
  pinnedBy,
  pinnedRows,
  type Row,
} from './literals.js'
import { changesJoinTablesOnly, planNested } from './nested-writes.js'
import type { Claim, LookUp, WritePlan } from './write-plan.js'

/** What writes are planned with: the schema, the caches, and what the database can do. */
export interface Planning {
  readonly models: Models
  readonly coordinator: WriteCoordinator
  /** The maximum number of rows of one query that are reported one by one. */
  readonly limit: number
  /** Whether the database has createManyAndReturn and updateManyAndReturn. */
  readonly returnsCreated: boolean
}

/** Plans a query. Returns undefined if it writes nothing that is cached. */
export function planWrite(
  planning: Planning,
  name: string,
  operation: string,
  args: Args,
): WritePlan | undefined {
  const model = planning.models.get(name)
  const plan = model && new PlanBuilder(planning, model)
  switch (plan && operation) {
    case 'create':
      plan!.create(args.data, plan!.root)
      break
    case 'createMany':
    case 'createManyAndReturn':
      plan!.createMany(operation, listOf(args.data))
      break
    case 'update':
      plan!.update(args.where, args.data, plan!.root)
      break
    case 'upsert':
      plan!.update(args.where, args.update, undefined)
      plan!.create(args.create, undefined)
      break
    case 'delete':
      plan!.delete(args.where)
      break
    case 'updateMany':
    case 'updateManyAndReturn':
      plan!.updateMany(operation, args)
      break
    case 'deleteMany':
      plan!.deleteMany(args)
      break
    default:
      return undefined
  }
  return plan!.isEmpty ? undefined : plan
}

/** Builds a plan. Each method adds what one kind of query writes. */
class PlanBuilder implements WritePlan {
  readonly model: string
  readonly idFields: readonly string[]
  readonly affected: AffectedRows
  readonly lookUps: LookUp[] = []
  mode: WritePlan['mode'] = 'plain'
  changes: Row = {}
  claim: Claim | undefined

  readonly #planning: Planning
  readonly #model: Model
  /** Whether the ids of the model's caches are fields of the model, not values that a `load` computes. */
  readonly #hasKnownIds: boolean

  constructor(planning: Planning, model: Model) {
    this.#planning = planning
    this.#model = model
    this.model = model.name
    this.idFields = [...new Set(planning.coordinator.idFieldsOf(model.name).flat())]
    this.#hasKnownIds = this.idFields.every((field) => model.scalars.has(field))
    this.affected = new AffectedRows(planning.coordinator, planning.limit)
  }

  get isEmpty(): boolean {
    return this.affected.isEmpty && this.lookUps.length === 0 && this.mode === 'plain'
  }

  /** The path of the row that the query returns, if a query finds it again by its primary key. */
  get root(): Path | undefined {
    const { primaryKey } = this.#model
    return primaryKey.length > 0 && areExact(this.#model, primaryKey) ? [] : undefined
  }

  create(data: unknown, path: Path | undefined): void {
    const row = changesOf(this.#model, data)
    if (!this.#hasKnownIds) this.affected.addModel(this.model, 'unknown')
    else if (hasAll(row, this.idFields)) this.affected.addCreated(this.model, [row], 'unknown')
    else this.mode = 'returning'
    this.#planNested(data, true, path)
  }

  createMany(operation: string, data: readonly unknown[]): void {
    if (this.idFields.length === 0) return this.#markAnyRow()
    const rows = data.map((row) => changesOf(this.#model, row))
    const areKnown = rows.length > this.#planning.limit || rows.every((row) => hasAll(row, this.idFields))
    if (!this.#hasKnownIds) this.affected.addModel(this.model, 'unknown')
    else if (areKnown) this.affected.addCreated(this.model, rows, 'unknown')
    else if (operation === 'createManyAndReturn') this.mode = 'returning'
    else if (this.#planning.returnsCreated) this.mode = 'create-returning'
    else this.affected.addCreated(this.model, rows, 'unknown')
  }

  update(where: unknown, data: unknown, path: Path | undefined): void {
    const pinned = pinnedBy(this.#model, where)
    const changes = withoutPinned(changesOf(this.#model, data), pinned)
    const isPinned = hasAll(pinned, this.idFields)
    const changesIds = this.#changesIds(changes)
    if (!this.#hasKnownIds) this.affected.addModel(this.model, 'unknown')
    else if (!changesJoinTablesOnly(this.#model, data)) {
      if (isPinned) this.affected.addRows(this.model, [pinned], 'unknown')
      if (!isPinned || !hasAll({ ...pinned, ...changes }, this.idFields)) this.mode = 'returning'
      else if (changesIds) this.affected.addRows(this.model, [{ ...pinned, ...changes }], 'unknown')
    }
    const claim = {
      where: flattenUnique(this.#model, where),
      changesIds: changesIds && !isPinned,
      isSelfContained: true,
    }
    this.#claim({ ...claim, pinned: this.#keyIn(pinned) }, new Set(Object.keys(changes)))
    this.#planNested(data, false, path)
  }

  delete(where: unknown): void {
    const pinned = pinnedBy(this.#model, where)
    if (!this.#hasKnownIds) this.affected.addModel(this.model, 'unknown')
    else if (hasAll(pinned, this.idFields)) this.affected.addRows(this.model, [pinned], 'unknown')
    else this.mode = 'returning'
    const claim = { where: flattenUnique(this.#model, where), changesIds: false, isSelfContained: true }
    this.#claim({ ...claim, pinned: this.#keyIn(pinned) }, 'deleted')
  }

  updateMany(operation: string, { where, data, limit }: Args): void {
    this.changes = changesOf(this.#model, data)
    const changesIds = this.#changesIds(this.changes)
    const isKnown = this.#markPinned(where)
    const seen = modelsFilteredBy(this.#planning.models, this.#model, where)
    const claim: Claim = {
      where: isPlain(where) ? where : {},
      pinned: undefined,
      changesIds: changesIds && !isKnown,
      isSelfContained: seen.size === 0 && limit === undefined,
    }
    this.#claim(claim, new Set(Object.keys(this.changes)))
    if (!this.claim && (isKnown || this.affected.hasModel(this.model))) return
    if (operation === 'updateManyAndReturn') this.mode = 'returning'
    else if (this.#planning.returnsCreated) this.mode = 'update-returning'
    else if (!this.claim && !seen.has(this.model)) this.mode = 'restricted'
    else this.#markUnclaimed()
  }

  deleteMany({ where }: Args): void {
    const { models } = this.#planning
    const isKnown = this.#markPinned(where)
    const claim = {
      where: isPlain(where) ? where : {},
      pinned: undefined,
      changesIds: false,
      isSelfContained: false,
    }
    this.#claim(claim, 'deleted')
    if (!this.claim && (isKnown || this.affected.hasModel(this.model))) return
    // Several statements equal one, unless the rows that the first one deletes decide what the next one matches.
    const seen = modelsFilteredBy(models, this.#model, where)
    const written = [this.model, ...cascadesFrom(models, this.model, 'deleted').map(({ model }) => model)]
    const holdsItself = this.#model.children.some(
      ({ model, relation }) => model === this.model && relation.onDelete !== 'SetNull',
    )
    if (!holdsItself && !written.some((model) => seen.has(model))) this.mode = 'restricted'
    else this.#markUnclaimed()
  }

  /** Marks the rows of a bulk write if its `where` holds their ids, and its `data` the new ones. */
  #markPinned(where: unknown): boolean {
    if (this.idFields.length === 0) {
      this.#markAnyRow()
      return true
    }
    if (!this.#hasKnownIds) {
      this.affected.addModel(this.model, 'unknown')
      return true
    }
    const rows = pinnedRows(this.#model, where)
    const areKnown = rows.every(
      (row) => hasAll(row, this.idFields) && hasAll({ ...row, ...this.changes }, this.idFields),
    )
    if (areKnown) this.affected.addChanged(this.model, rows, this.changes, 'unknown')
    return areKnown
  }

  /** For a model that only other caches depend on: which row is written does not matter. */
  #markAnyRow(): void {
    this.affected.addDependents(this.model)
  }

  #changesIds(changes: Row): boolean {
    return this.idFields.some((field) => field in changes)
  }

  /** Plans to lock the written rows if their old ids are needed, or if the database changes other rows with them. */
  #claim(claim: Claim, change: Change): void {
    const { models, coordinator } = this.#planning
    const isCached = (model: string): boolean => coordinator.idFieldsOf(model).length > 0
    const cascades = cascadesFrom(models, this.model, change)
    const wholes = new Set(cascades.filter((one) => isCached(one.model) && !this.#canLookUp(one)).map(nameOf))
    for (const model of wholes) this.affected.addModel(model, 'cascade')
    // Lock the rows in between as well, so that nobody adds rows below them.
    const sought = cascades.filter(
      ({ path }) =>
        path && cascades.some((one) => isBelow(one, path) && isCached(one.model) && !wholes.has(one.model)),
    )
    for (const { model, path } of sought) {
      this.lookUps.push({ model, when: 'before', path: path!, reason: 'cascade', areNew: false })
    }
    if (sought.length > 0 || claim.changesIds) this.claim = claim
    if (this.claim && !this.root) this.#markUnclaimed(claim.changesIds)
  }

  /** Whether the cascaded rows can be selected before the write: their path has an end and their ids stay the same. */
  #canLookUp({ model, path, change }: Cascade): boolean {
    const { models, coordinator } = this.#planning
    const described = models.get(model)!
    const ids = coordinator.idFieldsOf(model).flat()
    return (
      path !== undefined &&
      described.primaryKey.length > 0 &&
      areExact(described, described.primaryKey) &&
      ids.every((id) => described.scalars.has(id) && (change === 'deleted' || !change.has(id)))
    )
  }

  /** Marks all rows of the models whose rows cannot be claimed, `withSelf` including those of this model. */
  #markUnclaimed(withSelf = true): void {
    for (const { model, when, reason } of this.lookUps.splice(0)) {
      if (when === 'before') this.affected.addModel(model, reason)
    }
    this.claim = undefined
    if (withSelf) this.affected.addModel(this.model, 'unknown')
  }

  #planNested(data: unknown, isNew: boolean, path: Path | undefined): void {
    const { models, coordinator } = this.#planning
    const { affected, lookUps } = this
    planNested({ models, coordinator, affected, lookUps }, { model: this.#model, isNew, path }, data)
    // The look-up needs the primary key of the written row.
    if (lookUps.some(({ when }) => when === 'after')) this.mode = 'returning'
  }

  /** The primary key, if all of its fields are pinned. */
  #keyIn(pinned: Row): Row | undefined {
    const { primaryKey } = this.#model
    if (primaryKey.length === 0 || !hasAll(pinned, primaryKey)) return undefined
    return Object.fromEntries(primaryKey.map((field) => [field, pinned[field]]))
  }
}

/** Drops fields that are set to the value that the `where` already requires. */
function withoutPinned(changes: Row, pinned: Row): Row {
  return Object.fromEntries(
    Object.entries(changes).filter(([field, value]) => value === undefined || value !== pinned[field]),
  )
}

function nameOf({ model }: Cascade): string {
  return model
}

/** Whether the path of a cascade ends with the upper one. */
function isBelow({ path }: Cascade, upper: Path): boolean {
  return path !== undefined && upper.every((step, index) => path.at(index - upper.length) === step)
}
