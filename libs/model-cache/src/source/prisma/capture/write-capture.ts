import { AffectedRows } from '../../affected-rows.js'
import type { Column } from '../../columns/column.js'
import type { Model, Models, Relation, SchemaFacts, Table } from '../../schema-facts.js'
import type { SharedRows } from '../../shared-tables.js'
import type { WriteCoordinator, WriteUnit } from '../../write-coordinator.js'
import type { SharedConnection } from '../shared-connection.js'
import type { SqlQuery, Queryable } from './adapter.js'
import { addNamedRows, namedPairs } from './named-rows.js'
import { modelsNamed, type SqlReading, Readings } from './readings.js'
import { refuseCommit } from './refused-commit.js'
import { RowWriter } from './row-writer.js'
import type { Statement } from './statement.js'
import { KnownTables, type TableFacts } from './table-facts.js'
import { clientValue } from './values.js'
import {
  addAll,
  addCascades,
  concerns,
  connectedTo,
  WrittenTable,
  type WrittenDatabase,
} from './written-table.js'

/** A join table as seen from one of its sides. */
interface Side {
  readonly model: Model
  readonly relation: Relation
  /** The key of the rows at the other side, and the columns that have it. */
  readonly key: string
  readonly columns: readonly string[]
}

/** A table that a statement writes. */
interface Target {
  readonly model: Model | undefined
  readonly sides: readonly Side[]
}

/** What is known of a statement before it is sent. */
export type Plan =
  /** All that it affects. */
  | { readonly kind: 'known'; readonly affected: AffectedRows }
  /** What it affects at most, in a transaction that shows nothing. */
  | { readonly kind: 'unknown'; run(tx: Queryable): Promise<Captured>; readonly all: AffectedRows }

export interface Captured {
  readonly result: unknown
  readonly affected: AffectedRows
}

/** Whose rows the rows of a model are, if they are also those of other tables; `'unknown'` if they may be those of any. */
export type SharedRowsOf = (model: string) => SharedRows | 'unknown' | undefined

/** Finds out what the statements of a client write. */
export class WriteCapture {
  readonly coordinator: WriteCoordinator
  readonly provider: string
  readonly models: Models
  readonly connection: SharedConnection | undefined
  readonly #database: WrittenDatabase
  readonly #limit: number
  readonly #readings: Readings
  readonly #tables: KnownTables
  readonly #writer: RowWriter
  readonly #targets = new Map<string, Target>()
  readonly #sharedRowsOf: SharedRowsOf

  /**
   * @param limit of the rows that count one by one
   * @param connection the one that all statements of the client share; undefined if transactions have connections of their own
   */
  constructor(
    { models, provider }: SchemaFacts,
    coordinator: WriteCoordinator,
    limit: number,
    connection: SharedConnection | undefined,
    sharedRowsOf: SharedRowsOf,
  ) {
    this.#sharedRowsOf = sharedRowsOf
    this.connection = connection
    this.coordinator = coordinator
    this.provider = provider
    this.models = models
    this.#limit = limit
    this.#database = { models, provider, coordinator }
    this.#readings = new Readings(provider, limit)
    this.#tables = new KnownTables(provider)
    this.#writer = new RowWriter(this.#database, limit, (model, tx) => this.#tables.of(model.table, tx))
    for (const model of models.values()) {
      for (const name of namesOf(model.table)) this.#targets.set(name, { model, sides: [] })
    }
    for (const model of models.values())
      for (const relation of model.relations.values()) this.#addSide(model, relation)
  }

  #addSide(model: Model, relation: Relation): void {
    const { joinTable } = relation
    const [key] = this.#database.models.get(relation.target)?.primaryKey ?? []
    if (!joinTable || key === undefined) return
    for (const name of namesOf(joinTable)) {
      const { sides } = this.#targets.get(name) ?? { sides: [] }
      this.#targets.set(name, {
        model: undefined,
        sides: [...sides, { model, relation, key, columns: joinTable.columns }],
      })
    }
  }

  /** What a statement writes; undefined if it only reads. */
  read({ sql }: Pick<SqlQuery, 'sql'>): Exclude<SqlReading, { kind: 'read' }> | undefined {
    if (rolesChange.test(sql)) this.#tables.forget()
    const reading = this.#readings.of(sql)
    return reading.kind === 'read' ? undefined : reading
  }

  /**
   * @param queryable the transaction of the statement, or the adapter
   */
  async plan(
    reading: Exclude<SqlReading, { kind: 'read' }>,
    query: SqlQuery,
    wantsRows: boolean,
    queryable: Queryable,
  ): Promise<Plan> {
    const preparing = this.coordinator.prepare()
    if (preparing) await preparing.catch(refuseCommit)
    const affected = this.#newAffected()
    const known: Plan = { kind: 'known', affected }
    if (reading.kind === 'other') {
      const { models } = this.#database
      const options = { empties: reading.emptiesTables, reason: 'raw' } as const
      for (const model of modelsNamed(models, reading.names)) {
        addAll(affected, models, model, options)
        for (const other of this.#sharing(model)) addAll(affected, models, other, options)
      }
      return known
    }
    const { statement } = reading
    const target = this.#targetOf(statement)
    if (!target) {
      await this.#addUnknownTable(affected, statement, queryable)
      return known
    }
    if (!target.model) return this.#planPairs(target.sides, statement, query, wantsRows)
    const { model } = target
    if (model.problem !== undefined) {
      for (const name of connectedTo(this.#database.models, model.name)) affected.addModel(name, 'unknown')
      return known
    }
    this.#addShared(affected, model, statement)
    if (!concerns(this.#database, model, statement)) return known
    const facts = await this.#tables.of(model.table, queryable)
    const table = new WrittenTable(this.#database, model, statement, facts)
    if (addNamedRows(affected, table, statement, query)) return known
    const all = this.#newAffected()
    this.#addShared(all, model, statement)
    if (statement.kind === 'insert' && !statement.isUpsert) addCreated(all, table)
    else addAll(all, this.#database.models, model.name)
    if (!canAsk(table, facts)) return { kind: 'known', affected: all }
    return {
      kind: 'unknown',
      all,
      run: async (tx) => {
        // With what is written under other names.
        const result = await this.#writer.write({ tx, query, statement, affected, wantsRows }, table)
        return { result, affected }
      },
    }
  }

  /** Adds the rows that the database changes because their tables refer to others, which have the written rows under another name. */
  #addShared(affected: AffectedRows, { name }: Model, { isUpsert, kind }: Statement): void {
    const shared = this.#sharedRowsOf(name)
    const { models } = this.#database
    for (const other of this.#sharing(name)) {
      if (shared === 'unknown' || shared?.kind === 'view') addAll(affected, models, other)
      else if (kind !== 'insert' || isUpsert) addCascades(affected, models, other)
    }
  }

  /** The other models whose tables have the rows of a model. */
  #sharing(model: string): readonly string[] {
    const shared = this.#sharedRowsOf(model)
    if (shared === undefined) return []
    return [...this.#database.models.values()].flatMap(({ name, table }) => {
      const isShared = shared === 'unknown' || shared.tables.some((one) => isSameTable(one, table))
      return name !== model && isShared ? [name] : []
    })
  }

  /** A table of no model. A view has rows of others; a model that cannot be read may have tables that are not known. */
  async #addUnknownTable(
    affected: AffectedRows,
    { schema = '', table: name }: Statement,
    queryable: Queryable,
  ): Promise<void> {
    const { models } = this.#database
    const { isPartition, isView } = await this.#tables.of({ schema, name }, queryable)
    for (const model of models.values()) {
      if (isView || isPartition) addAll(affected, models, model.name)
      else if (model.problem !== undefined)
        for (const one of connectedTo(models, model.name)) affected.addModel(one, 'unknown')
    }
  }

  #planPairs(sides: readonly Side[], statement: Statement, query: SqlQuery, wantsRows: boolean): Plan {
    const { coordinator, models } = this.#database
    const affected = this.#newAffected()
    const concerned = sides.filter(({ model }) => coordinator.idFieldsOf(model.name).length > 0)
    if (concerned.length === 0) return { kind: 'known', affected }
    const scalars = new Map<string, Column>()
    for (const { columns, key, relation } of sides)
      for (const column of columns) {
        const scalar = models.get(relation.target)!.scalars.get(key)
        if (scalar) scalars.set(column, { ...scalar, column })
      }
    const add = (to: AffectedRows, pairs: readonly Readonly<Record<string, unknown>>[] | undefined): void => {
      for (const { columns, key, model, relation } of concerned) {
        to.addDependents(model.name)
        const others = pairs?.flatMap((pair) =>
          columns.flatMap((column) => (column in pair ? [{ [key]: pair[column] }] : [])),
        )
        to.addJoinedThrough(model.name, relation.field, others ?? [{}])
      }
    }
    const named = namedPairs(statement, query, scalars)
    if (named) {
      add(affected, named)
      return { kind: 'known', affected }
    }
    const all = this.#newAffected()
    add(all, undefined)
    return {
      kind: 'unknown',
      all,
      run: async (tx) => {
        const found = this.#newAffected()
        const { result, rows } = await this.#writer.writePairs(
          { tx, query, statement, affected: found, wantsRows },
          scalars,
        )
        if (rows?.length !== 0)
          add(
            found,
            rows?.map((row) =>
              Object.fromEntries(
                Object.entries(row).map(([column, value]) => [
                  column,
                  clientValue(scalars.get(column)!, value),
                ]),
              ),
            ),
          )
        return { result, affected: found }
      },
    }
  }

  #newAffected(): AffectedRows {
    return new AffectedRows(this.coordinator, this.#limit)
  }

  #targetOf({ schema, table }: Statement): Target | undefined {
    const name = schema === undefined ? table : `${schema}.${table}`
    // Prisma names the database of MySQL and SQLite, which its schema does not.
    return (
      this.#targets.get(name) ??
      (schema !== undefined && this.provider !== 'postgresql' ? this.#targets.get(table) : undefined)
    )
  }
}

/** Statements and functions by which a role gets other rights. */
const rolesChange =
  /\b(?:SET|RESET)\s+(?:(?:LOCAL|SESSION)\s+)?(?:ROLE|SESSION\s+AUTHORIZATION|row_security|ALL)\b|\bset_config\s*\(\s*(?:'(?:role|session_authorization|row_security)'|\$)/i

/** Announces what a statement affects. */
export function announce(affected: AffectedRows, unit: WriteUnit): void {
  affected.announceTo(unit)
  if (affected.isEmpty) unit.noteWrite()
}

/** Whether the rows may be asked for: it must not fail, nor change what the statement does. */
function canAsk({ needsFormer, provider }: WrittenTable, { locksRows, returnsRows }: TableFacts): boolean {
  const locks = needsFormer || provider === 'mysql'
  return returnsRows && (!locks || locksRows)
}

function addCreated(affected: AffectedRows, { model }: WrittenTable): void {
  affected.addUnboundedCreated(model.name)
  affected.addGivenIds(model.name, [
    Object.fromEntries([...model.scalars.keys()].map((field) => [field, true])),
  ])
}

/** The database may take names for equal that differ in case. */
function isSameTable(one: Table, other: Table): boolean {
  const [name, same] = [one, other].map(({ name, schema }) => JSON.stringify([schema, name]).toLowerCase())
  return name === same
}

function namesOf({ name, schema }: Table): readonly string[] {
  return [`${schema}.${name}`, name]
}
