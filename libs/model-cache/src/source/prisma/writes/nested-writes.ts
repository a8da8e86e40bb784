import { hasAll } from '../../affected-rows.js'
import { lookupsJoined, showsEntries } from '../../joined-lookups.js'
import { isPlain } from '../../plain.js'
import { cascadesFrom, type Change, type RelationPath } from '../../referential-actions.js'
import type { Model, Relation } from '../../schema-facts.js'
import { cascadesToCached, claimExisting, lookUpLater, type Way } from './further-rows.js'
import { addCascaded, addConnected, addIfRekeyed, addRekeyed, keyedRows } from './join-tables.js'
import {
  changesOf,
  fieldsOf,
  flattenUnique,
  listOf,
  pinnedBy,
  pinnedRows,
  type Row,
  UnknownWriteError,
} from './literals.js'
import { shiftsOf } from './relation-shifts.js'
import {
  changesAfterUpdate,
  foreignKeyTo,
  joined,
  rowAfterCreate,
  timesOfUpdate,
  without,
} from './row-after.js'
import type { NestedPlan } from './write-plan.js'

/** The row whose `data` holds nested writes. */
export interface NestedParent {
  readonly model: Model
  /** Whether the row is new: then it has no relations yet that could be released. */
  readonly isNew: boolean
  /** Leads to the row that the query returns. Undefined if the parent may be a different row, or has lists of existing rows. */
  readonly path: RelationPath | undefined
  /** Leads to the row as it is before the query. Undefined if it may be a new one, or one that the query moves there. */
  readonly way: Way | undefined
  /** What is known of the values that the nested writes find in it. */
  readonly row: Row
}

/**
 * Adds what the `data` of a create or an update writes in other models, or in other rows of its own model.
 *
 * @throws UnknownWriteError
 */
export function planNested(plan: NestedPlan, parent: NestedParent, data: unknown): void {
  const fields = fieldsOf(data)
  for (const [field, operations] of Object.entries(fields)) {
    const relation = parent.model.relations.get(field)
    if (!relation) continue
    const isShared = Object.keys(fields).some(
      (other) => other !== field && shareKey(relation, parent.model.relations.get(other)),
    )
    const given = Object.entries(fieldsOf(operations)).filter(([, argument]) => argument !== undefined)
    // The parent may end with the key of the other relation, and so does not lead to what is created here.
    const ownParent = isShared ? { ...parent, path: undefined, way: undefined } : parent
    // Or another operation may put a row in the place of the one that is created here.
    const isReplaced =
      (given.length > 1 && (!relation.isList || given.some(([operation]) => releasing.has(operation)))) ||
      shiftsOf(plan.models, parent.model, relation).some((name) => plan.contested.has(name))
    const path = isReplaced ? undefined : ownParent.path
    const planner = new NestedPlanner(plan, { ...ownParent, path }, relation)
    for (const [operation, argument] of given) {
      // An empty list is an operation, too: `set: []` releases all rows.
      for (const one of operation === 'set' ? [argument] : listOf(argument)) planner.add(operation, one)
    }
  }
}

/** Operations on a list that may release what is created there. */
const releasing: ReadonlySet<string> = new Set(['set', 'disconnect'])

/** Whether a row holds the foreign keys of two relations in the same field. */
function shareKey({ fields }: Relation, other: Relation | undefined): boolean {
  return fields.some((name) => other?.fields.includes(name))
}

/** Plans the operations of one relation field. Operations on lists and on single rows have different arguments. */
class NestedPlanner {
  readonly #plan: NestedPlan
  readonly #relation: Relation
  readonly #parent: Model
  readonly #parentRow: Row
  readonly #target: Model
  readonly #isNew: boolean
  /** The foreign key to the parent, as far as it is known, of rows at the other side that hold one. */
  readonly #key: Row
  /** From the rows at the other side to the row that the query returns, if every row that it leads back to may be affected. */
  readonly #path: RelationPath | undefined
  /** As {@link #path}, where it also leads to rows of a list that are not written. */
  readonly #listPath: RelationPath | undefined
  /** To the rows at the other side before the query. */
  readonly #formerWay: Way | undefined

  constructor(plan: NestedPlan, { model, isNew, path, row, way }: NestedParent, relation: Relation) {
    const { target, targetField, keyHolder, isList } = relation
    this.#plan = plan
    this.#relation = relation
    this.#parent = model
    this.#parentRow = row
    this.#target = plan.models.get(target)!
    this.#isNew = isNew
    const back = this.#target.relations.get(targetField)!
    this.#key = foreignKeyTo(this.#target, back, row)
    if (!back.isVisible) return
    const step = { field: targetField, isList: back.isList }
    this.#listPath = path && [step, ...path]
    // The list of an existing row also holds rows that are not written.
    if (isNew || !isList) this.#path = this.#listPath
    const { onDelete, onUpdate } = keyHolder === 'target' ? back : relation
    // Otherwise the database may move rows there.
    if (way && onDelete !== 'SetDefault' && onUpdate !== 'SetDefault')
      this.#formerWay = { ...way, steps: [{ model: target, ...step }, ...way.steps] }
  }

  add(operation: string, argument: unknown): void {
    if (this.#relation.keyHolder === 'join-table') {
      // Connecting changes no row, but it changes what caches hold of both sides.
      for (const { name } of [this.#parent, this.#target]) this.#plan.affected.addDependents(name)
      const parent = { model: this.#parent, row: this.#parentRow }
      addConnected(this.#plan, this.#relation, parent, [operation, argument])
    }
    switch (operation) {
      case 'create':
        return this.#create(argument)
      case 'connect':
        return this.#connect(argument, this.#wayTo(argument))
      case 'disconnect':
        return this.#release(argument, toNull(this.#key), this.#wayIn(argument))
      case 'set':
        this.#release(undefined, {}, this.#formerWay)
        for (const one of listOf(argument)) this.#release(one, this.#key, this.#wayTo(one))
        return
      case 'delete':
        return this.#delete(argument, this.#wayIn(argument))
      case 'deleteMany':
        return this.#delete(argument, this.#way)
    }
    const { where, data, create, update } = fieldsOf(argument)
    switch (operation) {
      case 'createMany':
        return this.#createMany(listOf(data))
      case 'connectOrCreate':
        this.#connect(where, this.#wayTo(where))
        return this.#create(create)
      case 'update': {
        const standsAlone = this.#standsAlone(argument)
        if (standsAlone) this.#update(undefined, argument, this.#way)
        if (!standsAlone || isPlain(data)) this.#update(where, data, this.#wayIn(where))
        return
      }
      case 'upsert':
        this.#update(where, update, this.#wayIn(where))
        return this.#create(create, this.#connectsUpserted(where))
      case 'updateMany':
        return this.#update(where, data, this.#way)
      default:
        // An operation that a later Prisma has added.
        throw new UnknownWriteError()
    }
  }

  /**
   * Whether the argument of an update may be the data itself, as for a single row: `update: { name }`. If the model has a field `data`, it
   * may also be what has the data in it, and only the types of all fields would tell.
   */
  #standsAlone(argument: unknown): boolean {
    const { scalars, relations } = this.#target
    const fields = fieldsOf(argument)
    return (
      !this.#relation.isList &&
      Object.keys(fields).every(
        (name) => fields[name] === undefined || scalars.has(name) || relations.has(name),
      )
    )
  }

  #createMany(rows: readonly unknown[]): void {
    const { affected } = this.#plan
    if (rows.length <= affected.limit) for (const row of rows) this.#create(row)
    else if (this.#hasKnownIds()) affected.addUnboundedCreated(this.#target.name)
    else affected.addModel(this.#target.name, 'nested')
  }

  /** @param isConnected whether the new row can be found through its parent afterwards */
  #create(data: unknown, isConnected = true): void {
    const { name } = this.#target
    const { models, coordinator, affected } = this.#plan
    this.#replace()
    const row = joined(rowAfterCreate(models, this.#target, data), this.#key)
    const ids = changesOf(this.#target, data)
    const hasIds = hasAll(ids, coordinator.idFieldsOf(name).flat())
    affected.addGivenIds(name, [row])
    if (!hasIds && !this.#hasKnownIds()) affected.addModel(name, 'nested')
    else if (this.#path && isConnected && !(hasIds && this.#showsEntries(row)))
      lookUpLater(this.#plan, name, this.#path, undefined)
    // All rows of the list count as written then, and all other lists stay.
    else if (this.#listPath && isConnected && !hasIds && coordinator.lookupsOf(name).length > 0)
      lookUpLater(this.#plan, name, this.#listPath, undefined)
    else {
      affected.addCreated(name, [ids], 'nested')
      affected.addJoined(name, [row])
    }
    const path = isConnected ? this.#path : undefined
    planNested(this.#plan, { model: this.#target, isNew: true, path, way: undefined, row }, data)
  }

  /** If the condition of a nested upsert fails and the parent holds the foreign key, Prisma creates a row and does not connect it. */
  #connectsUpserted(where: unknown): boolean {
    return this.#relation.keyHolder !== 'this' || where === undefined
  }

  /** @param way to the row to connect, if it exists */
  #connect(where: unknown, way: Way | undefined): void {
    const { field, fields, keyHolder, isOneToOne } = this.#relation
    this.#replace()
    this.#release(where, this.#key, way)
    // The row at the other side loses its former partner.
    if (!isOneToOne || keyHolder !== 'this') return
    const former = way && {
      ...way,
      steps: [{ model: this.#parent.name, field, isList: false }, ...way.steps],
    }
    const after = Object.fromEntries(fields.map((name) => [name, null]))
    if (claimExisting(this.#plan, this.#parent, former, { change: new Set(fields), after })) return
    this.#plan.affected.addModel(this.#parent.name, 'nested')
    this.#cascade(this.#parent, new Set(fields))
  }

  /** The new partner of a one-to-one relation releases the former one. */
  #replace(): void {
    if (this.#relation.isOneToOne && !this.#isNew) this.#release(undefined, {}, this.#formerWay)
  }

  /** Releases a row: its foreign key changes, if it holds one. */
  #release(where: unknown, key: Row, way: Way | undefined): void {
    const { keyHolder, targetField } = this.#relation
    if (keyHolder !== 'target') return
    const { fields } = this.#target.relations.get(targetField)!
    const changes = Object.fromEntries(fields.map((field) => [field, undefined]))
    const pinned = pinnedBy(this.#target, where)
    const ids = this.#plan.coordinator.idFieldsOf(this.#target.name).flat()
    const changed = new Set([...fields, ...Object.keys(timesOfUpdate(this.#target))])
    const isShown = hasAll(pinned, ids) && this.#showsEntries(key, changed)
    // Rows that a new row connects can be found through it afterwards.
    const isNew = this.#path !== undefined && this.#isNew && this.#hasKnownIds()
    const isFoundLater = isNew && !isShown
    addIfRekeyed(this.#plan.affected, this.#target, [{}], changes)
    this.#plan.affected.addJoined(this.#target.name, [], changed)
    if (isFoundLater) lookUpLater(this.#plan, this.#target.name, this.#path!, changed)
    const keepsIds = !ids.some((field) => field in changes)
    const change = { change: changed, after: key, isFoundLater }
    if (!(isFoundLater && keepsIds)) {
      if (!isShown && claimExisting(this.#plan, this.#target, way, change)) return
      this.#plan.affected.addChanged(this.#target.name, [pinned], changes, 'nested')
      this.#plan.affected.addJoined(this.#target.name, [key], changed)
    }
    this.#cascade(this.#target, new Set(fields))
  }

  #update(where: unknown, data: unknown, way: Way | undefined): void {
    const { affected, models } = this.#plan
    const changes = changesOf(this.#target, data)
    const after = changesAfterUpdate(models, this.#target, data)
    const change = new Set(Object.keys(after))
    const rows = this.#rowsOf(where)
    addIfRekeyed(affected, this.#target, keyedRows(this.#target, where), changes)
    // New rows may be among those that are found.
    const found = this.#isShown(rows, change) || this.#changesRelation('grown') ? undefined : way
    if (!claimExisting(this.#plan, this.#target, found, { change, after })) {
      affected.addChanged(this.#target.name, rows, changes, 'nested')
      affected.addJoined(this.#target.name, [after], change)
      this.#cascade(this.#target, change)
    }
    const row = without(pinnedBy(this.#target, where), after)
    planNested(this.#plan, { model: this.#target, isNew: false, path: undefined, way, row }, data)
  }

  #delete(where: unknown, way: Way | undefined): void {
    const rows = this.#rowsOf(where)
    addRekeyed(this.#plan.affected, this.#target, keyedRows(this.#target, where))
    const found = this.#isShown(rows, 'deleted') ? undefined : way
    if (claimExisting(this.#plan, this.#target, found, { change: 'deleted', after: {} })) return
    this.#plan.affected.addRows(this.#target.name, rows, 'nested')
    this.#cascade(this.#target, 'deleted')
  }

  /** Whether the arguments show which rows change, and no cached ones change with them. */
  #isShown(rows: readonly Row[], change: Change): boolean {
    const ids = this.#plan.coordinator.idFieldsOf(this.#target.name).flat()
    return rows.every((row) => hasAll(row, ids)) && !cascadesToCached(this.#plan, this.#target.name, change)
  }

  /** To the rows at the other side before the query, if it has moved no others there. */
  get #way(): Way | undefined {
    return this.#changesRelation('moved') ? undefined : this.#formerWay
  }

  /** To the row that a unique `where` names. */
  #wayTo(where: unknown): Way | undefined {
    const { name: model } = this.#target
    const flat = flattenUnique(this.#target, where)
    const moves = this.#plan.shifts?.moved
    if (Object.keys(flat).some((field) => moves?.has(`${model}.${field}`))) return undefined
    return { from: { model, where: flat }, steps: [] }
  }

  /** To the row that an operation on a list names, or to the single row. */
  #wayIn(where: unknown): Way | undefined {
    return this.#relation.isList ? this.#wayTo(where) : this.#way
  }

  /** Whether the query moves rows to others by the relation, or adds new ones. */
  #changesRelation(kind: 'moved' | 'grown'): boolean {
    const { models, shifts } = this.#plan
    return !shifts || shiftsOf(models, this.#parent, this.#relation).some((name) => shifts[kind].has(name))
  }

  #cascade(from: Model, change: Change): void {
    for (const cascade of cascadesFrom(this.#plan.models, from.name, change)) {
      this.#plan.affected.addModel(cascade.model, 'cascade')
      addCascaded(this.#plan, cascade)
    }
  }

  /** Whether a row shows all entries of lookups that it may enter. */
  #showsEntries(row: Row, changed?: ReadonlySet<string>): boolean {
    return showsEntries(lookupsJoined(this.#plan.coordinator, this.#target.name, changed), row)
  }

  #rowsOf(where: unknown): readonly Row[] {
    const pinned = pinnedBy(this.#target, where)
    const ids = this.#plan.coordinator.idFieldsOf(this.#target.name).flat()
    return hasAll(pinned, ids) ? [pinned] : pinnedRows(this.#target, where)
  }

  /** Whether the ids of the target's caches are fields of the model, not values that a `load` computes. */
  #hasKnownIds(): boolean {
    return this.#plan.coordinator
      .idFieldsOf(this.#target.name)
      .flat()
      .every((field) => this.#target.scalars.has(field))
  }
}

function toNull(row: Row): Row {
  return Object.fromEntries(Object.keys(row).map((field) => [field, null]))
}
