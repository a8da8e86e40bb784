import { AffectedRows, hasAll } from '../../affected-rows.js'
import { keyFieldsOf, lookupsJoined, showsEntries } from '../../joined-lookups.js'
import { cascadesFrom, type Change, type RelationPath } from '../../referential-actions.js'
import type { Model } from '../../schema-facts.js'
import type { Args } from '../internals.js'
import {
  changesJoinTablesOnly,
  changesOf,
  fieldsOf,
  flattenUnique,
  hasRelations,
  modelsFilteredBy,
  pinnedBy,
  pinnedRows,
  type Row,
  rowKeyOf,
} from './literals.js'
import { addIfRekeyed, addRekeyed } from './join-tables.js'
import { type NestedParent, planNested } from './nested-writes.js'
import { planCascades } from './plan-cascades.js'
import { areDivided, shiftsIn } from './relation-shifts.js'
import type { WritePlanning } from './planning.js'
import { changesAfterUpdate, rowAfterCreate, without, withoutPinned } from './row-after.js'
import type { Claim, Entering, LookUp, WritePlan } from './write-plan.js'

/** Builds a plan. Each method adds what one kind of query writes, and throws an UnknownWriteError if its arguments do not show it. */
export class PlanBuilder implements WritePlan {
  readonly model: string
  readonly idFields: readonly string[]
  readonly affected: AffectedRows
  readonly furtherRows: LookUp[] = []
  mode: WritePlan['mode'] = 'plain'
  isOneStatement = false
  unknown: WritePlan['unknown'] = 'none'
  entering: Entering | undefined
  changes: Row = {}
  claim: Claim | undefined

  readonly #planning: WritePlanning
  readonly #model: Model
  /** Whether the ids of the model's caches are fields of the model, not values that a `load` computes. */
  readonly #hasKnownIds: boolean

  constructor(planning: WritePlanning, model: Model) {
    this.#planning = planning
    this.#model = model
    this.model = model.name
    const caches = planning.coordinator.idFieldsOf(model.name)
    this.idFields = caches.length === 1 ? caches[0]! : [...new Set(caches.flat())]
    this.#hasKnownIds = this.idFields.every((field) => model.scalars.has(field))
    this.affected = new AffectedRows(planning.coordinator, planning.limit)
  }

  get isEmpty(): boolean {
    return this.affected.isEmpty && this.furtherRows.length === 0 && this.mode === 'plain'
  }

  /** The path of the row that the query returns, if a query finds it again by a key. */
  get root(): RelationPath | undefined {
    return rowKeyOf(this.#model).length > 0 ? [] : undefined
  }

  create(data: unknown, path: RelationPath | undefined): void {
    const given = changesOf(this.#model, data)
    const isNested = hasRelations(this.#model, data)
    const row = isNested ? rowAfterCreate(this.#planning.models, this.#model, data, given) : given
    this.affected.addGivenIds(this.model, [row])
    if (!this.#hasKnownIds) this.affected.addModel(this.model, 'unknown')
    else {
      const isKnown = hasAll(given, this.idFields)
      if (isKnown) this.affected.addCreated(this.model, [row], 'unknown')
      if (!this.#addJoined([row]) || !isKnown) this.#returnRows('returning', 'created')
    }
    if (isNested) this.#planNested(data, { isNew: true, path, way: undefined, row })
  }

  createMany(operation: string, data: readonly unknown[]): void {
    if (this.idFields.length === 0) return this.#markAnyRow()
    if (!this.#hasKnownIds) return this.affected.addModel(this.model, 'unknown')
    const { limit, returnsCreated } = this.#planning
    // Nothing of them is looked at, however many there are.
    if (data.length > limit) return this.affected.addUnboundedCreated(this.model)
    const rows = data.map((row) => changesOf(this.#model, row))
    const areKnown = rows.every((row) => hasAll(row, this.idFields))
    this.affected.addGivenIds(this.model, rows)
    if (this.#addJoined(rows) && areKnown) this.affected.addCreated(this.model, rows, 'unknown')
    else if (operation === 'createManyAndReturn') this.#returnRows('returning', 'created')
    else if (returnsCreated) this.#returnRows('create-returning', 'created')
    else {
      this.affected.addCreated(this.model, rows, 'unknown')
      this.#markJoined()
    }
  }

  update(where: unknown, data: unknown, path: RelationPath | undefined): void {
    const set = changesOf(this.#model, data)
    const pinned = pinnedBy(this.#model, where)
    const changes = withoutPinned(set, pinned)
    const isPinned = hasAll(pinned, this.idFields)
    addIfRekeyed(this.affected, this.#model, [pinned], changes)
    const changesIds = this.#changesIds(changes)
    if (!this.#hasKnownIds) this.affected.addModel(this.model, 'unknown')
    else if (!changesJoinTablesOnly(this.#model, data)) {
      if (isPinned) this.affected.addRows(this.model, [pinned], 'unknown')
      const renamed = changesIds ? { ...pinned, ...changes } : pinned
      if (!isPinned || !hasAll(renamed, this.idFields)) this.#returnRows('returning', 'any')
      else if (changesIds) this.affected.addRows(this.model, [renamed], 'unknown')
    }
    const { models, coordinator } = this.#planning
    const isNested = hasRelations(this.#model, data)
    const isWatched = this.#hasKnownIds && coordinator.lookupsOf(this.model).length > 0
    const after = isNested || isWatched ? changesAfterUpdate(models, this.#model, data, set) : set
    if (isWatched && !this.#addJoined([after], namesOf(after))) this.#returnRows('returning', 'none')
    this.#claim(changesIds && !isPinned, namesOf(changes), () => this.#claimOf(where, pinned))
    if (!isNested) return
    const way = { from: undefined, steps: [] }
    this.#planNested(data, { isNew: false, path, way, row: without(pinned, after) })
    this.#claimParent(() => this.#claimOf(where, pinned))
  }

  delete(where: unknown): void {
    const pinned = pinnedBy(this.#model, where)
    addRekeyed(this.affected, this.#model, [pinned])
    if (!this.#hasKnownIds) this.affected.addModel(this.model, 'unknown')
    const isPinned = hasAll(pinned, this.idFields)
    if (isPinned) this.affected.addRows(this.model, [pinned], 'unknown')
    // Without RETURNING, Prisma selects the row first, and it may be another one by the time of the DELETE.
    const isUnsure = !this.#planning.returnsCreated && !isPinned && this.#hasKnownIds
    this.#claim(isUnsure, 'deleted', () => this.#claimOf(where, pinned))
    if (!isPinned && !this.affected.hasModel(this.model)) this.#returnRows('returning', 'any')
  }

  updateMany(operation: string, { where, data, limit }: Args): void {
    // Prisma writes nothing then, and counts no row, whatever matches.
    if (isWithoutValues(fieldsOf(data))) return
    const { models, returnsCreated } = this.#planning
    this.changes = changesOf(this.#model, data)
    const changesIds = this.#changesIds(this.changes)
    const isKnown = this.#markPinned(where)
    addIfRekeyed(this.affected, this.#model, pinnedRows(this.#model, where), this.changes)
    const seen = modelsFilteredBy(models, this.#model, where)
    const isSelfContained = seen.size === 0 && limit === undefined
    const isUnsure = !isKnown && (changesIds || this.#mayMissIds)
    this.#claim(isUnsure, namesOf(this.changes), () => claimOfMany(where, isSelfContained))
    if (!this.claim && this.affected.hasModel(this.model)) return
    const after = changesAfterUpdate(models, this.#model, data)
    const isShown = this.#addJoined([after], namesOf(after))
    if (!this.claim && isKnown && isShown) return
    const unknown = isKnown ? 'none' : 'any'
    if (operation === 'updateManyAndReturn') this.#returnRows('returning', unknown)
    else if (returnsCreated) this.#returnRows('update-returning', unknown)
    else if (this.#isDivisible(seen)) this.#returnRows('restricted', unknown)
    else if (!this.claim && isKnown) this.#markJoined()
    else this.#markUnclaimed()
  }

  /**
   * Whether an update of several rows equals one of some of them and one of the others: the rows that the first one changes do not decide
   * what the second one matches.
   *
   * @param seen the models that it filters by
   */
  #isDivisible(seen: ReadonlySet<string>): boolean {
    const changed = new Set(Object.keys(this.changes))
    const cascades = cascadesFrom(this.#planning.models, this.model, changed)
    // Locked rows are found again by their key.
    const keepsKey = !this.claim || !rowKeyOf(this.#model).some((field) => changed.has(field))
    return keepsKey && !seen.has(this.model) && !cascades.some(({ model }) => seen.has(model))
  }

  deleteMany({ where, limit }: Args): void {
    const { models } = this.#planning
    const seen = modelsFilteredBy(models, this.#model, where)
    const isKnown = this.#markPinned(where)
    addRekeyed(this.affected, this.#model, pinnedRows(this.#model, where))
    const isSelfContained = seen.size === 0 && limit === undefined
    this.#claim(!isKnown && this.#mayMissIds, 'deleted', () => claimOfMany(where, isSelfContained))
    if (!this.claim && (isKnown || this.affected.hasModel(this.model))) return
    // Several statements equal one, unless the rows that the first one deletes decide what the next one matches.
    const cascades = cascadesFrom(models, this.model, 'deleted')
    const holdsItself = this.#model.children.some(
      ({ model, relation }) => model === this.model && relation.onDelete !== 'SetNull',
    )
    this.isOneStatement = holdsItself || seen.has(this.model) || cascades.some(({ model }) => seen.has(model))
    // Locked rows are gone because they match, unless they are deleted along with others and need not match any more.
    const deletesOwn = cascades.some(({ change, model }) => model === this.model && change === 'deleted')
    const isFound = limit === undefined && (!deletesOwn || seen.size === 0)
    if (this.isOneStatement && !isFound) this.#markUnclaimed()
    else this.#returnRows('restricted', isKnown ? 'none' : 'any')
  }

  /**
   * Whether a row may get other ids between the moment in which they are selected and the write: the database does not return written
   * rows, and a write finds them by the primary key, which does not show the ids of all caches.
   */
  get #mayMissIds(): boolean {
    const { primaryKey } = this.#model
    return !this.#planning.returnsCreated && !this.idFields.every((field) => primaryKey.includes(field))
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

  /** Adds rows that enter lookups, if they show all of their keys. Otherwise only rows that the query returns can show them. */
  #addJoined(rows: readonly Row[], changed?: ReadonlySet<string>): boolean {
    const { coordinator } = this.#planning
    if (coordinator.lookupsOf(this.model).length === 0) return true
    const lookups = lookupsJoined(coordinator, this.model, changed)
    if (rows.every((row) => showsEntries(lookups, row))) {
      this.affected.addJoined(this.model, rows, changed)
      return true
    }
    // Whatever else it does, the change moves rows in lookups through relations.
    this.affected.addJoined(this.model, [], changed)
    // An upsert adds its update first: after its create, the row may be new.
    const known = this.entering?.keyFields ?? []
    this.entering = { keyFields: [...new Set([...known, ...keyFieldsOf(lookups)])], changed }
    return false
  }

  /** Adds unknown entries: those of rows that the database does not return. */
  #markJoined(): void {
    if (this.entering) this.affected.addJoined(this.model, [{}], this.entering.changed)
    this.entering = undefined
  }

  #returnRows(mode: WritePlan['mode'], unknown: WritePlan['unknown']): void {
    this.mode = mode
    if (this.unknown !== 'any' && unknown !== 'none') this.unknown = unknown
  }

  /** For a model that only other caches depend on: which row is written does not matter. */
  #markAnyRow(): void {
    this.affected.addDependents(this.model)
  }

  #changesIds(changes: Row): boolean {
    return this.idFields.some((field) => field in changes)
  }

  get #canClaim(): boolean {
    return this.#planning.locksRows && this.root !== undefined
  }

  /** Plans to lock the written rows if their old ids are needed, or if the database changes other rows with them. */
  #claim(showsIds: boolean, change: Change, claimOf: () => Omit<Claim, 'showsIds'>): void {
    const { models, coordinator } = this.#planning
    const plan = { affected: this.affected, coordinator, models }
    const { areCircular, lookUps } = planCascades(plan, this.model, change, true)
    this.furtherRows.push(...lookUps)
    if (lookUps.length > 0 || showsIds)
      this.claim = { ...claimOf(), showsIds, circular: areCircular ? change : undefined }
    if (this.claim && !this.#canClaim) this.#markUnclaimed(showsIds)
  }

  /** Plans to lock the row through which nested writes find others. */
  #claimParent(claimOf: () => Omit<Claim, 'showsIds'>): void {
    if (!this.furtherRows.some(({ from, when }) => when === 'before' && !from)) return
    this.claim ??= { ...claimOf(), showsIds: false }
    if (!this.#canClaim) this.#markUnclaimed(false)
  }

  #claimOf(where: unknown, pinned: Row): Omit<Claim, 'showsIds'> {
    return { where: flattenUnique(this.#model, where), pinned: this.#keyIn(pinned), isSelfContained: true }
  }

  /** Marks all rows of the models whose rows cannot be claimed, `withSelf` including those of this model. */
  #markUnclaimed(withSelf = true): void {
    for (const { model, reason } of this.furtherRows.splice(0)) this.affected.addModel(model, reason)
    this.claim = undefined
    if (withSelf) this.affected.addModel(this.model, 'unknown')
  }

  #planNested(data: unknown, parent: Omit<NestedParent, 'model'>): void {
    const { models, coordinator, locksRows } = this.#planning
    const { affected, furtherRows } = this
    const shifts = shiftsIn(models, this.#model, data, parent.isNew)
    const { changes, contested } = shifts
    for (const name of new Set(changes.map((change) => change.model)))
      if (coordinator.idFieldsOf(name).some((fields) => areDivided(changes, name, fields)))
        affected.addModel(name, 'nested')
    const existing = parent.isNew ? undefined : shifts
    planNested(
      { models, coordinator, locksRows, affected, furtherRows, shifts: existing, contested },
      { model: this.#model, ...parent },
      data,
    )
    // The look-up needs the key of the written row.
    if (furtherRows.some(({ when }) => when === 'after')) this.mode = 'returning'
  }

  /** The key of the row, if all of its fields are pinned. */
  #keyIn(pinned: Row): Row | undefined {
    const key = rowKeyOf(this.#model)
    if (!hasAll(pinned, key)) return undefined
    return Object.fromEntries(key.map((field) => [field, pinned[field]]))
  }
}

function isWithoutValues(data: Args): boolean {
  return Object.values(data).every((value) => value === undefined)
}

function namesOf(row: Row): ReadonlySet<string> {
  return new Set(Object.keys(row))
}

function claimOfMany(where: unknown, isSelfContained: boolean): Omit<Claim, 'showsIds'> {
  return { where: fieldsOf(where), pinned: undefined, isSelfContained }
}
