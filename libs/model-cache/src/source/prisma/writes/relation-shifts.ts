import { isPlain } from '../../plain.js'
import type { Model, Models, Relation } from '../../schema-facts.js'
import { fieldsOf, listOf } from './literals.js'

/**
 * What a query changes of relations. A relation counts by the fields of its foreign key, `File.folderId`, or by its join table. The rows
 * that a nested write finds through others are those that were there before the query, unless it has moved rows.
 */
export interface RelationShifts {
  /** Fields that existing rows get other values in, and join tables that they are added to. */
  readonly moved: ReadonlySet<string>
  /** Those that only new rows are added to. */
  readonly grown: ReadonlySet<string>
  /**
   * Those that the query changes from both sides, or by several relations, so that a row that one of them connects may end with another
   * one.
   */
  readonly contested: ReadonlySet<string>
  /** What each part of the query sets in existing rows. */
  readonly changes: readonly RowChange[]
}

interface RowChange {
  readonly model: string
  readonly fields: ReadonlySet<string>
}

/** Whether two parts of a query may change different fields of these, perhaps in one row, so that neither shows all of them. */
export function areDivided(changes: readonly RowChange[], model: string, fields: readonly string[]): boolean {
  const changed = changes
    .filter((change) => change.model === model)
    .map((change) => fields.filter((field) => change.fields.has(field)).join())
  return new Set(changed.filter((names) => names !== '')).size > 1
}

/** Operations of a single row that leave the key that leads to it, or set it to null. */
const keeping: ReadonlySet<string> = new Set(['update', 'disconnect', 'delete'])

/** How a relation counts among {@link RelationShifts}. */
export function shiftsOf(models: Models, model: Model, relation: Relation): readonly string[] {
  const { field, fields, keyHolder, target, targetField } = relation
  if (keyHolder === 'join-table')
    return [[`${model.name}.${field}`, `${target}.${targetField}`].toSorted().join()]
  if (keyHolder === 'this') return fields.map((name) => `${model.name}.${name}`)
  return models
    .get(target)!
    .relations.get(targetField)!
    .fields.map((name) => `${target}.${name}`)
}

/**
 * Finds what the `data` of a create or an update changes of relations.
 *
 * @throws UnknownWriteError
 */
export function shiftsIn(models: Models, model: Model, data: unknown, isNew = false): RelationShifts {
  const moved = new Set<string>()
  const grown = new Set<string>()
  /** The field by which each was changed first. */
  const causes = new Map<string, string>()
  const contested = new Set<string>()
  const changes: RowChange[] = []
  const note = (name: string, cause: string): void => {
    if ((causes.get(name) ?? cause) !== cause) contested.add(name)
    causes.set(name, cause)
  }

  const visit = (model: Model, data: unknown, isNew: boolean): void => {
    const changed = new Set<string>()
    if (!isNew) changes.push({ model: model.name, fields: changed })
    for (const [field, given] of Object.entries(fieldsOf(data))) {
      const relation = model.relations.get(field)
      if (!relation) {
        const name = `${model.name}.${field}`
        changed.add(field)
        if (!isNew) moved.add(name)
        if (!isNew) note(name, name)
        continue
      }
      for (const [operation, operands] of Object.entries(fieldsOf(given))) {
        if (!keeping.has(operation)) for (const name of relation.fields) changed.add(name)
        for (const operand of listOf(operands)) visitOperation(model, relation, operation, operand)
      }
    }
  }
  const visitOperation = (model: Model, relation: Relation, operation: string, operand: unknown): void => {
    const isGrowing = relation.keyHolder !== 'this'
    const target = models.get(relation.target)!
    const add = (to: Set<string>): void => {
      for (const name of shiftsOf(models, model, relation)) {
        to.add(name)
        note(name, `${model.name}.${relation.field}`)
      }
    }
    const connect = (): void => {
      add(moved)
      // None, unless the other side holds the key.
      const { fields } = target.relations.get(relation.targetField)!
      changes.push({ model: target.name, fields: new Set(fields) })
    }
    switch (operation) {
      case 'create':
        add(isGrowing ? grown : moved)
        return visit(target, operand, true)
      case 'createMany':
        return add(grown)
      case 'upsert': {
        const { create, update } = fieldsOf(operand)
        add(isGrowing ? grown : moved)
        visit(target, create, true)
        return visit(target, update, false)
      }
      case 'connectOrCreate':
        connect()
        return visit(target, fieldsOf(operand).create, true)
      case 'update':
      case 'updateMany': {
        const { data } = fieldsOf(operand)
        visit(target, operand, false)
        // Of a single row, it may be a field.
        return isPlain(data) ? visit(target, data, false) : undefined
      }
      case 'disconnect':
      case 'delete':
      case 'deleteMany':
        return
      default:
        connect()
    }
  }
  visit(model, data, isNew)
  return { moved, grown, contested, changes }
}
