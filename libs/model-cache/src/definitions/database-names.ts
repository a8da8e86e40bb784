import type { WirePlan } from '../codec/wire-plan.js'
import type { Model, Models, Relation } from '../source/schema-facts.js'

/**
 * Collects the tables, columns and values of enums that the names of a definition stand for. Deployments by whose schemas these differ have
 * different rows under the same names, so that they are part of fingerprints.
 */
export class DatabaseNames {
  readonly #models: Models
  readonly #found = new Map<string, unknown>()

  constructor(models: Models, model: string) {
    this.#models = models
    this.#addTable(models.get(model))
  }

  /** The names, in alphabetical order. */
  get found(): readonly unknown[] {
    return [...this.#found].toSorted(([a], [b]) => (a < b ? -1 : 1))
  }

  /** Adds what a part of a query names: a selection, a filter, an order, at any depth, or a list of fields. */
  addQuery(modelName: string, part: unknown): this {
    const model = this.#models.get(modelName)
    if (!model) return this
    if (typeof part === 'string') return this.#addField(model, part)
    if (typeof part !== 'object' || part === null) return this
    for (const [key, value] of Object.entries(part)) {
      this.#addField(model, key)
      // `_count: true` counts the relations that are lists.
      if (key === '_count' && value === true)
        for (const field of model.relations.keys()) this.#addField(model, field)
      this.addQuery(model.relationTargets.get(key) ?? modelName, value)
    }
    return this
  }

  /** Adds the fields of rows. */
  addRows(modelName: string, plan: WirePlan): this {
    const model = this.#models.get(modelName)
    if (plan.kind === 'array') return this.addRows(modelName, plan.items)
    if (plan.kind === 'union') for (const { plan: branch } of plan.branches) this.addRows(modelName, branch)
    if (plan.kind !== 'object' || !model) return this
    for (const { name, plan: value } of plan.fields) {
      this.#addField(model, name)
      const target = model.relationTargets.get(name)
      if (target !== undefined) this.addRows(target, value)
    }
    return this
  }

  #addTable(model: Model | undefined): void {
    if (model) this.#found.set(model.name, [model.table.schema, model.table.name])
  }

  #addField(model: Model, field: string): this {
    const key = `${model.name}.${field}`
    const scalar = model.scalars.get(field)
    const relation = model.relations.get(field)
    if (scalar) {
      const { column, databaseValues } = scalar
      this.#found.set(key, [column, ...(databaseValues ? [[...databaseValues].toSorted()] : [])])
    }
    if (relation) this.#addRelation(key, model, relation)
    return this
  }

  #addRelation(key: string, model: Model, relation: Relation): void {
    const { fields, joinTable, references, target: targetName, targetField } = relation
    const target = this.#models.get(targetName)!
    this.#addTable(target)
    const back = target.relations.get(targetField)
    this.#found.set(key, [
      targetName,
      targetField,
      joinTable ?? null,
      fields,
      references,
      back?.fields ?? null,
      back?.references ?? null,
    ])
    for (const field of [...fields, ...(back?.references ?? [])]) this.#addField(model, field)
    for (const field of [...references, ...(back?.fields ?? [])]) this.#addField(target, field)
  }
}
