import type { Model, Models, Relation, Table } from '../../schema-facts.js'
import { foldedName, ignoresCaseOf } from '../../tables.js'
import type { Statement } from './statement.js'
import { fieldsOf } from './values.js'

/** A join table as seen from one of its sides. */
interface Side {
  readonly model: Model
  readonly relation: Relation
  /** The key of the rows at the other side, and the columns that have it. */
  readonly key: string
  readonly columns: readonly string[]
}

/** A table that a statement writes: that of a model, or a join table. */
export interface Target {
  readonly model: Model | undefined
  readonly sides: readonly Side[]
}

/** Finds the tables of statements. */
export class Targets {
  readonly #provider: string
  readonly #targets = new Map<string, Target>()
  /** Names that tables of several schemas have. */
  readonly #shared = new Set<string>()

  constructor(models: Models, provider: string) {
    this.#provider = provider
    for (const model of models.values()) this.#add(model.table, { model, sides: [] })
    for (const model of models.values())
      for (const relation of model.relations.values()) {
        const { joinTable } = relation
        const [key] = models.get(relation.target)?.primaryKey ?? []
        if (!joinTable || key === undefined) continue
        const { sides } = this.#targets.get(this.#fold(`${joinTable.schema}.${joinTable.name}`)) ?? {
          sides: [],
        }
        const side = { model, relation, key, columns: joinTable.columns }
        this.#add(joinTable, { model: undefined, sides: [...sides, side] }, sides.length === 0)
      }
  }

  /** The table of a statement; undefined if it is that of no model. */
  of({ schema, table }: Statement): Target | undefined {
    const own = schema === undefined ? undefined : this.#targets.get(this.#fold(`${schema}.${table}`))
    if (own) return own
    // Prisma names the database of MySQL and SQLite, which its schema does not.
    const isBare = schema === undefined || this.#provider !== 'postgresql'
    return isBare ? this.#targets.get(this.#fold(table)) : undefined
  }

  /**
   * Whether it is known which table a statement writes, and which fields: not if only the connection knows which of several it means, its
   * model cannot be read, or it spells a column in another way.
   */
  isCertain({ columns, schema, set, table }: Statement, { model }: Target): boolean {
    const isNamed = schema !== undefined && this.#targets.has(this.#fold(`${schema}.${table}`))
    if ((!isNamed && this.#shared.has(this.#fold(table))) || model?.problem !== undefined) return false
    if (!model || !ignoresCaseOf(this.#provider)) return true
    return [...(columns ?? []), ...set.keys()].every((column) => fieldsOf(model).has(column))
  }

  has(table: string): boolean {
    return this.#targets.has(this.#fold(table))
  }

  /** Says of a table whether a statement names it, in whatever schema. */
  namesOf({ table }: Statement): (other: string) => boolean {
    return (other) => this.#fold(other) === this.#fold(table)
  }

  #add({ name, schema }: Table, target: Target, isFirst = true): void {
    this.#targets.set(this.#fold(`${schema}.${name}`), target)
    const bare = this.#fold(name)
    if (isFirst && this.#targets.has(bare)) this.#shared.add(bare)
    this.#targets.set(bare, target)
  }

  #fold(name: string): string {
    return foldedName(name, this.#provider)
  }
}
