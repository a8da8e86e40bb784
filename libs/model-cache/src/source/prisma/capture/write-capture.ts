import { AffectedRows } from '../../affected-rows.js'
import { familyOf } from '../../columns/column-kinds.js'
import type { Column } from '../../columns/column.js'
import { type Model, type Models, type SchemaFacts, type Table, tableKey } from '../../schema-facts.js'
import { foldedName } from '../../tables.js'
import type { WriteCoordinator, WriteUnit } from '../../write-coordinator.js'
import type { ClientSchema } from '../client-schema.js'
import type { SharedConnection } from '../shared-connection.js'
import { plainQuery, type Queryable, sendTo, type SqlQuery } from './adapter.js'
import { addNamedRows, namedPairs } from './named-rows.js'
import { Readings, type SqlReading, type Writing } from './readings.js'
import { RowWriter } from './row-writer.js'
import { quoteText, tableInSql } from './sql.js'
import type { Statement } from './statement.js'
import { KnownTables, type TableFacts } from './table-facts.js'
import { type Target, Targets } from './targets.js'
import { WrittenModels } from '../written-models.js'
import { refuseCommit } from './write-end.js'
import { addAll, addCascades, concerns, WrittenTable, type WrittenDatabase } from './written-table.js'

/** What is known of a statement before it is sent. */
export interface Plan {
  /** What it affects at most. */
  readonly all: AffectedRows
  /** Sends it in a transaction, and finds out what of that it affects. Undefined if that is all that it affects, or nothing shows it. */
  readonly run: ((tx: Queryable) => Promise<Captured>) | undefined
  /** For MySQL: whether the table knows transactions. */
  readonly isTransactional?: boolean | undefined
}

export interface Captured {
  readonly result: unknown
  readonly affected: AffectedRows
}

/** Finds out what the statements of a client write. */
export class WriteCapture implements WrittenDatabase {
  readonly coordinator: WriteCoordinator
  readonly provider: string
  readonly models: Models
  readonly limit: number
  readonly connection: SharedConnection | undefined
  readonly #readings: Readings
  readonly #tables: KnownTables
  readonly #writer: RowWriter
  readonly #targets: Targets
  readonly #schema: ClientSchema
  /** Counts the statements that write a model. */
  readonly written = new WrittenModels()

  /**
   * @param limit of the rows that count one by one
   * @param connection the one that all statements of the client share; undefined if transactions have connections of their own
   */
  constructor(
    { models, provider }: SchemaFacts,
    schema: ClientSchema,
    coordinator: WriteCoordinator,
    limit: number,
    connection: SharedConnection | undefined,
  ) {
    this.#schema = schema
    this.connection = connection
    this.coordinator = coordinator
    this.provider = provider
    this.models = models
    this.limit = limit
    this.#targets = new Targets(models, provider)
    this.#readings = new Readings(provider, limit)
    this.#tables = new KnownTables(provider)
    this.#writer = new RowWriter(this)
  }

  read(sql: string): SqlReading {
    const reading = this.#readings.of(sql)
    if (reading.changesRights) this.#tables.forget()
    return reading
  }

  /** Resolves once the existing caches are known; undefined if they already are. Those that a unit does not know at its begin count as new. */
  prepare(): Promise<void> | undefined {
    return this.coordinator.prepare()?.catch(refuseCommit)
  }

  /**
   * @param queryable the transaction of the statement, or the adapter
   */
  async plan(writing: Writing, query: SqlQuery, wantsRows: boolean, queryable: Queryable): Promise<Plan> {
    const preparing = this.prepare()
    if (preparing) await preparing
    const target = writing.kind === 'statement' ? this.#targets.of(writing.statement) : undefined
    const written =
      writing.kind === 'statement' ? (target?.model?.name ?? writing.statement.table) : undefined
    const affected = this.#newAffected(written)
    const known: Plan = { all: affected, run: undefined }
    if (writing.kind === 'other' || !target || !this.#targets.isCertain(writing.statement, target)) {
      this.#addNamedTables(affected, writing)
      return known
    }
    const { statement } = writing
    const { model } = target
    if (!model) {
      this.#addPairs(affected, target.sides, statement, query)
      return known
    }
    this.#addShared(affected, model, statement)
    if (!concerns(this, model, statement)) return known
    const facts = await this.factsOf(model, queryable)
    const table = new WrittenTable(this, model, statement, facts)
    const { isTransactional } = facts
    if (addNamedRows(affected, table, statement, query)) return { ...known, isTransactional }
    const all = this.#newAffected(written)
    this.#addShared(all, model, statement)
    if (statement.kind === 'insert' && !statement.isUpsert) addCreated(all, table)
    if (statement.kind !== 'insert' || statement.isUpsert || table.isDiverted || facts.writesOthers)
      addAll(all, this.models, model.name)
    if (!canAsk(table, statement, wantsRows)) return { all, run: undefined, isTransactional }
    return {
      all,
      isTransactional,
      run: async (tx) => {
        if (!(await this.#means(statement, model, tx))) {
          const result: unknown = await sendTo(tx, query, wantsRows)
          return { result, affected: all }
        }
        // With what is written under other names.
        const result = await this.#writer.write({ tx, query, statement, affected, wantsRows }, table)
        return { result, affected }
      },
    }
  }

  /**
   * Whether a statement writes the table of its model, as far as PostgreSQL has to be asked: to a name without a schema, a temporary table
   * comes first, and the path of the connection. Other databases go on where a column is not found.
   */
  async #means({ schema, target }: Statement, { table }: Model, tx: Queryable): Promise<boolean> {
    if (schema !== undefined || familyOf(this.provider) !== 'postgresql') return true
    const own = quoteText(tableInSql(table, this.provider))
    const sql = `SELECT 1 WHERE to_regclass(${quoteText(target)}) = to_regclass(${own})`
    const { rows } = await tx.queryRaw(plainQuery(sql))
    return rows.length > 0
  }

  factsOf({ table }: Model, queryable: Queryable): Promise<TableFacts> {
    return this.#tables.of(table, queryable)
  }

  /** Announces what a statement affects. */
  announce(affected: AffectedRows, unit: WriteUnit): void {
    affected.markIn(unit)
    if (affected.isEmpty) unit.noteWrite(affected.written)
    // Otherwise it is the name of a table.
    if (this.models.has(affected.written!)) this.written.note(affected.written!)
  }

  /** Adds the rows that the database changes because their tables refer to others, which have the written rows under another name. */
  #addShared(affected: AffectedRows, { name }: Model, { isUpsert, kind }: Statement): void {
    const shared = this.#schema.models.get(name)?.shared
    for (const other of this.#sharing(name)) {
      if (shared === 'unknown' || shared?.kind === 'view') addAll(affected, this.models, other)
      else if (kind !== 'insert' || isUpsert) addCascades(affected, this.models, other)
    }
  }

  /** The other models whose tables have the rows of a model. */
  #sharing(model: string): readonly string[] {
    const shared = this.#schema.models.get(model)?.shared
    if (shared === undefined) return []
    const foldedPlaceOf = (table: Table): string => foldedName(tableKey(table), this.provider)
    const places = shared === 'unknown' ? undefined : new Set(shared.tables.map(foldedPlaceOf))
    return [...this.models.values()].flatMap(({ name, table }) => {
      const isShared = !places || places.has(foldedPlaceOf(table))
      return name !== model && isShared ? [name] : []
    })
  }

  /** Tables of a statement that cannot be read, or of one whose table is that of no model, or is not certain. */
  #addNamedTables(affected: AffectedRows, writing: Writing): void {
    const isOther = writing.kind === 'other'
    const names = isOther ? writing.names : this.#targets.namesOf(writing.statement)
    for (const model of this.#modelsNamed(names, isOther))
      for (const one of [model, ...this.#sharing(model)])
        addAll(affected, this.models, one, isOther ? 'raw' : 'unknown', isOther && writing.emptiesTables)
  }

  /** @param mayHideNames whether a statement that names no table may write any */
  #modelsNamed(names: (table: string) => boolean, mayHideNames: boolean): readonly string[] {
    const all = [...this.models.values()]
    const named = all.filter(
      ({ relations, table }) =>
        names(table.name) ||
        [...relations.values()].some(({ joinTable }) => joinTable && names(joinTable.name)),
    )
    // A model that cannot be read may have tables that are not known.
    const mayBeAny = mayHideNames || all.some(isUnknown)
    const areAll = this.#namesStranger(names) || named.some(isUnknown) || (named.length === 0 && mayBeAny)
    return (areAll ? all : named).map(({ name }) => name)
  }

  /** Whether a table of no model is named that may have rows of others, or the others its rows. */
  #namesStranger(names: (table: string) => boolean): boolean {
    const { shared } = this.#schema
    if (shared === 'unknown') return true
    return [...(shared?.names ?? [])].some((name) => !this.#targets.has(name) && names(name))
  }

  /** Adds the entries of lookups by the pairs of a join table: those that the parameters of a statement name, otherwise all. */
  #addPairs(affected: AffectedRows, sides: Target['sides'], statement: Statement, query: SqlQuery): void {
    const { coordinator, models, provider } = this
    const scalars = new Map<string, Column>()
    for (const { columns, key, relation } of sides)
      for (const column of columns) {
        const scalar = models.get(relation.target)!.scalars.get(key)
        if (scalar) scalars.set(column, { ...scalar, column })
      }
    const pairs = namedPairs(statement, query, scalars, provider)
    for (const { columns, key, model, relation } of sides) {
      if (coordinator.idFieldsOf(model.name).length === 0) continue
      affected.addDependents(model.name)
      // Of a key that the client hides, no pair has a value.
      const isShown = columns.every((column) => scalars.has(column))
      const others = (isShown ? pairs : undefined)?.flatMap((pair) =>
        columns.flatMap((column) => (column in pair ? [{ [key]: pair[column] }] : [])),
      )
      affected.addJoinedThrough(model.name, relation.field, others ?? [{}])
    }
  }

  #newAffected(written: string | undefined): AffectedRows {
    return new AffectedRows(this.coordinator, this.limit, written)
  }
}

function isUnknown({ problem }: Model): boolean {
  return problem !== undefined
}

/** Whether the rows may be asked for: it must not fail, nor change what the statement does. */
function canAsk(
  { facts, needsFormer, provider }: WrittenTable,
  { hasReturning }: Statement,
  wantsRows: boolean,
): boolean {
  if (facts.writesOthers) return false
  // What it writes counts at once, so that it has to be known before.
  if (facts.isTransactional === false) return false
  // Drivers other than that of PostgreSQL count no rows that a statement returns.
  if (hasReturning && !wantsRows && familyOf(provider) !== 'postgresql') return false
  const locks = needsFormer || provider === 'mysql'
  return facts.returnsRows && (!locks || facts.locksRows)
}

function addCreated(affected: AffectedRows, { model }: WrittenTable): void {
  affected.addUnboundedCreated(model.name)
  affected.addGivenIds(model.name, [
    Object.fromEntries([...model.scalars.keys()].map((field) => [field, true])),
  ])
}
