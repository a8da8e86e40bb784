import { familyOf } from '../../columns/column-kinds.js'
import { cascadesFrom, type Change, type PassedOn } from '../../referential-actions.js'
import type { Model } from '../../schema-facts.js'
import { plainQuery, type Queryable, sendTo, type SqlResultSet } from './adapter.js'
import { CascadedRows, keyOf, type Level } from './cascaded-rows.js'
import { findsAgain, MysqlWriter } from './mysql-writer.js'
import { pinsIn } from './named-rows.js'
import { RowReader } from './row-reader.js'
import { partOf, quoteName, rowsWith, selected, tableInSql } from './sql.js'
import { namesExcluded } from './sql-tokens.js'
import type { Sent, Write } from './sent-write.js'
import type { Statement } from './statement.js'
import { isVague } from './vague-condition.js'
import { isMisunderstood, isUnreadable } from './write-end.js'
import { takeWriteLock } from './write-lock.js'
import { type ClientRow, clientRow, type StoredRow } from './values.js'
import {
  addAll,
  addCascades,
  addRekeyed,
  changedByTriggers,
  type Shown,
  shownFields,
  type WrittenDatabase,
  type WrittenTable,
} from './written-table.js'

/** Runs statements of a transaction, and asks which rows they have written. */
export class RowWriter {
  readonly #database: WrittenDatabase
  readonly #reader: RowReader
  readonly #mysql: MysqlWriter

  constructor(database: WrittenDatabase) {
    this.#database = database
    this.#reader = new RowReader(database)
    this.#mysql = new MysqlWriter(database, this.#reader)
  }

  async write(write: Write, table: WrittenTable): Promise<unknown> {
    const { affected, query, statement, tx, wantsRows } = write
    const { model } = table
    if (statement.kind === 'insert' && !statement.isUpsert) return this.#insert(write, table)
    const shown = shownFields(this.#database, model)
    const isMysql = this.#database.provider === 'mysql'
    const isDeleting = isMysql && statement.kind === 'delete' && table.facts.hasReturning
    const needsFormer = table.needsFormer || !this.#isShown(write, table)
    let former: readonly StoredRow[] = []
    let levels: readonly Level[] = []
    let cascaded: CascadedRows | undefined
    if (needsFormer) {
      const found = await this.#former(write, shown)
      if (!found) {
        addAll(affected, this.#database.models, model.name, 'unbounded')
        return sendTo(tx, query, wantsRows)
      }
      former = found
      if (table.passesOn) {
        cascaded = new CascadedRows(this.#database, this.#reader, affected, tx)
        levels = await cascaded.lockBelow(model, former, table.change!)
      }
    }
    const { result, rows } =
      !isMysql || isDeleting
        ? await this.#returning(write, shown)
        : needsFormer
          ? await this.#mysql.sendAndSelect(write, table, shown, former)
          : await this.#mysql.sendAndFind(write, shown)
    const shownKeys = new Set(rows?.map((row) => keyOf(model, row)))
    const isDiverted = table.isDiverted && former.some((row) => !shownKeys.has(keyOf(model, row)))
    const again =
      rows && (table.isChangedAfterwards || isDiverted)
        ? await this.#again(write, table, shown, [...former, ...rows])
        : []
    if (!rows || !again) {
      addAll(affected, this.#database.models, model.name, rows ? 'unknown' : 'unbounded')
      return result
    }
    // Rows that are deleted are not found again.
    const after = [...rows, ...again]
    this.#addWritten(write, table, former, after)
    const isDelete = statement.kind === 'delete'
    const left = (isDelete ? again : after).map((row) => clientRow(model, row))
    if (table.hasTriggers && left.length > 0) {
      // A trigger may have kept what was to be deleted, and set any column.
      affected.addJoined(model.name, left, changedByTriggers(this.#database, model))
      if (isDelete) addCascades(affected, this.#database.models, model.name)
    }
    if (needsFormer) await this.#addStrangers(write, table, former, rows)
    await cascaded?.add(levels, isDelete ? undefined : after)
    return result
  }

  /**
   * Whether a statement shows its rows, of which the driver holds no more than the limit. PostgreSQL counts them itself, and returns only as
   * many as are needed.
   */
  #isShown({ statement, wantsRows }: Write, table: WrittenTable): boolean {
    const { provider } = this.#database
    if (provider === 'mysql' && statement.kind === 'update') return findsAgain(statement, table)
    if (familyOf(provider) === 'postgresql' || statement.isUpsert) return true
    const isPinned = pinsKey(statement, table.model, provider)
    return provider === 'mysql' ? isPinned && table.facts.hasReturning : isPinned || wantsRows
  }

  #addWritten(
    { affected, statement }: Write,
    table: WrittenTable,
    former: readonly StoredRow[],
    rows: readonly StoredRow[],
  ): void {
    const { changed, isRekeyed, model } = table
    const [before, after] = [former, rows].map((all) => all.map((row) => clientRow(model, row)))
    const ids = [...table.ids]
    // JSON shows the milliseconds of dates, and where one field ends and the next begins.
    const idOf = (row: ClientRow): string =>
      JSON.stringify(ids.map((field) => (typeof row[field] === 'bigint' ? String(row[field]) : row[field])))
    const formerIds = new Set(before!.map(idOf))
    affected.addRows(model.name, before!, 'unknown')
    if (statement.kind === 'insert') {
      affected.addCreated(model.name, after!, 'unknown')
      affected.addJoined(model.name, after!)
      affected.addGivenIds(model.name, [this.#givenFields(statement, model)])
    } else
      affected.addRows(
        model.name,
        after!.filter((row) => !formerIds.has(idOf(row))),
        'unknown',
      )
    if (!table.hasTriggers && changed.size > 0) affected.addJoined(model.name, after!, changed)
    if (isRekeyed) addRekeyed(affected, model, [...before!, ...after!])
  }

  /** Adds rows that began to match, and those that lead to themselves. */
  async #addStrangers(
    write: Write,
    table: WrittenTable,
    former: readonly StoredRow[],
    rows: readonly StoredRow[],
  ): Promise<void> {
    if (former.length === 0 && rows.length === 0) return
    const { models } = this.#database
    const { change, model } = table
    const own = [...cascadesFrom(models, model.name, change!)].filter(
      ({ child }) => child.model === model.name,
    )
    if (!(await this.#areWritten(write, table, own, former, rows))) addAll(write.affected, models, model.name)
    // What the write sets there may not be what it is in the end.
    if (own.some((one) => isReset(one, change!))) write.affected.addModel(model.name, 'cascade')
  }

  /**
   * Whether the rows that a statement has written are those that were locked before.
   *
   * @param own what a row of the table passes on to others there
   */
  async #areWritten(
    { statement, tx }: Write,
    { hasTriggers, isRekeyed, model }: WrittenTable,
    own: readonly PassedOn[],
    former: readonly StoredRow[],
    rows: readonly StoredRow[],
  ): Promise<boolean> {
    const { primaryKey, scalars } = model
    // Nothing tells rows apart whose table has no primary key, or whose client hides it.
    const areTold = primaryKey.length > 0 && primaryKey.every((field) => scalars.has(field))
    if (statement.isUpsert) {
      // A row that gets another key, or has none, is the one that was found if the condition names it alone by a key.
      const { provider } = this.#database
      const isNamed = former.length > 0 && (isRekeyed || !areTold) && pinsKey(statement, model, provider, 0)
      if (isNamed) return true
      // The condition may have found others.
      const known = new Set(former.map((row) => keyOf(model, row)))
      const others = areTold ? rows.filter((row) => !known.has(keyOf(model, row))) : rows
      return this.#areInserted(tx, model, others)
    }
    // If they are as many as were locked, and match the same condition, they are these.
    if (!areTold) return former.length === rows.length && !isVague(statement)
    const [before, after] = [former, rows].map((all) => new Set(all.map((row) => keyOf(model, row))))
    // What the database has deleted with another row of the table, the statement does not show.
    if (!isRekeyed || statement.kind === 'delete') return [...after!].every((key) => before!.has(key))
    // A trigger may write a row in another way, or not at all.
    if (!hasTriggers && former.length !== rows.length) return false
    if (!isVague(statement)) return true
    if (own.some(({ child }) => child.relation.fields.some((field) => primaryKey.includes(field))))
      return false
    // One that was not written has its key still, and none of the others has got it.
    const shown = new Map(primaryKey.map((field) => [field, scalars.get(field)!]))
    const left = await this.#reader.again(tx, model, shown, former)
    return left?.every((row) => after!.has(keyOf(model, row))) ?? false
  }

  /**
   * Whether an upsert has inserted these rows, which it has not found before. Otherwise it has updated one that another transaction has
   * inserted meanwhile, which PostgreSQL locks for it. SQLite has no other writer.
   */
  async #areInserted(tx: Queryable, model: Model, rows: readonly StoredRow[]): Promise<boolean> {
    const { provider } = this.#database
    const { primaryKey, table } = model
    if (rows.length === 0 || provider === 'sqlite') return true
    if (primaryKey.length === 0 || provider === 'cockroachdb') return false
    const where = rowsWith(model, primaryKey, rows, primaryKey, provider)
    if (!where) return false
    const unlocked = { ...where, sql: `${where.sql} AND xmax = 0` }
    const found = await this.#reader.select(tx, new Map(), tableInSql(table, provider), unlocked, false)
    return found?.length === rows.length
  }

  /** The rows as triggers have left them; undefined if they cannot be selected. */
  async #again(
    { statement, tx }: Write,
    { model }: WrittenTable,
    shown: Shown,
    rows: readonly StoredRow[],
  ): Promise<readonly StoredRow[] | undefined> {
    const found = await this.#reader.again(tx, model, shown, rows)
    if (statement.kind !== 'insert' || statement.isUpsert) return found
    // A trigger may have given it another key.
    return found?.length === rows.length ? found : undefined
  }

  /** Locks the rows that a statement will change. */
  async #former({ query, statement, tx }: Write, shown: Shown): Promise<readonly StoredRow[] | undefined> {
    const { isUpsert, target, where } = statement
    // The condition of an upsert may name the row that is not inserted.
    if (isUpsert && (where.length === 0 || namesExcluded(where))) return undefined
    const { provider } = this.#database
    if (provider === 'sqlite') await takeWriteLock(tx, target)
    const select = (): Promise<readonly StoredRow[] | undefined> =>
      this.#reader.select(tx, shown, target, partOf(query, where), true)
    return familyOf(provider) === 'postgresql' && sharesParameters(statement, query.sql)
      ? inSavepoint(tx, select)
      : select()
  }

  /** The fields that an INSERT gives: those of its columns, or any if it names none. */
  #givenFields({ columns }: Statement, { scalars }: Model): Record<string, true> {
    const given = columns && new Set(columns)
    return Object.fromEntries(
      [...scalars].flatMap(([field, { column }]) => (!given || given.has(column) ? [[field, true]] : [])),
    )
  }

  async #insert(write: Write, table: WrittenTable): Promise<unknown> {
    const { affected, query, statement, tx, wantsRows } = write
    const { facts, model } = table
    const { name } = model
    const given = this.#givenFields(statement, model)
    if (!statement.rows || statement.rows.count > this.#database.limit) {
      affected.addUnboundedCreated(name)
      affected.addGivenIds(name, [given])
      const result: unknown = await sendTo(tx, query, wantsRows)
      this.#addReplaced(write, table, result)
      return result
    }
    const shown = shownFields(this.#database, model)
    const { result, rows } =
      this.#database.provider === 'mysql' && !(facts.hasReturning && !wantsRows)
        ? await this.#mysql.insert(write, table, shown)
        : await this.#returning(write, shown)
    affected.addGivenIds(name, [given])
    this.#addReplaced(write, table, result)
    const stored = rows && table.isChangedAfterwards ? await this.#again(write, table, shown, rows) : rows
    if (!stored) {
      affected.addCreated(name, [{}], 'unknown')
      return result
    }
    const after = stored.map((row) => clientRow(model, row))
    affected.addCreated(name, after, 'unknown')
    affected.addJoined(name, after)
    return result
  }

  /** Adds the rows that triggers may have changed instead of inserting others. */
  #addReplaced({ affected, statement }: Write, { isDiverted, model }: WrittenTable, result: unknown): void {
    const count = typeof result === 'number' ? result : (result as SqlResultSet).rows.length
    if (isDiverted && count !== statement.rows?.count) addAll(affected, this.#database.models, model.name)
  }

  /** Runs a statement with further columns; without them if its table is another one than that of the model, and lacks them. */
  async #returning(write: Write, shown: Shown): Promise<Sent> {
    const { query, tx, wantsRows } = write
    try {
      return await this.#withColumns(write, shown)
    } catch (error) {
      if (!isUnreadable(error, this.#database.provider)) throw error
      return { result: await sendTo(tx, query, wantsRows), rows: undefined }
    }
  }

  /** Runs a statement with further columns, and takes these away from its result. */
  async #withColumns({ query, statement, tx, wantsRows }: Write, shown: Shown): Promise<Sent> {
    const { limit, provider } = this.#database
    const { end, hasReturning } = statement
    const fields = [...shown.keys()]
    const columns = [...shown.values()].map(
      (scalar, i) => `${selected(scalar, provider)} AS ${quoteName(`mc ${i}`, provider)}`,
    )
    const list = columns.join(', ') || '1'
    const sql = `${query.sql.slice(0, end)}${hasReturning ? ', ' : ' RETURNING '}${list}`
    // What may follow: a semicolon, a comment.
    const tail = query.sql.slice(end)
    const rowsIn = (rows: readonly unknown[][], own: number): readonly StoredRow[] =>
      rows.map((row) => Object.fromEntries(fields.map((field, i) => [field, row[own + i]])))
    if (familyOf(provider) === 'postgresql' && !wantsRows && !hasReturning) {
      // There may be many rows, which the database counts.
      const names = [...fields.map((_, i) => `"mc ${i}"`), 'count(*) OVER ()'].join(', ')
      const bounded = `WITH "mc" AS (${sql}) SELECT ${names} FROM "mc" LIMIT ${limit + 1}${tail}`
      const { rows } = await tx.queryRaw({ ...query, sql: bounded })
      const result = Number(rows[0]?.at(-1) ?? 0)
      return { result, rows: result > limit ? undefined : rowsIn(rows, 0) }
    }
    const found = await tx.queryRaw({ ...query, sql: sql + tail })
    const own = hasReturning ? found.columnNames.length - fields.length : 0
    const rows = found.rows.length > limit ? undefined : rowsIn(found.rows, own)
    if (!wantsRows) return { result: found.rows.length, rows }
    const result = {
      ...found,
      columnNames: found.columnNames.slice(0, own),
      columnTypes: found.columnTypes.slice(0, own),
      rows: hasReturning ? found.rows.map((row) => row.slice(0, own)) : [],
    }
    return { result, rows }
  }
}

/** Whether a parameter of the condition has its type perhaps from the rest of the statement, which is not part of a selection. */
function sharesParameters({ where }: Statement, sql: string): boolean {
  const own = new Set(where.flatMap(({ parameter }) => parameter ?? []))
  if (own.size === 0) return false
  const rest = sql.slice(0, where[0]!.start) + sql.slice(where.at(-1)!.end)
  return [...rest.matchAll(/\$(\d+)/g)].some(([, number]) => own.has(Number(number)))
}

/** What a selection of PostgreSQL finds; undefined if the database does not understand it. The transaction goes on. */
async function inSavepoint<T>(tx: Queryable, select: () => Promise<T>): Promise<T | undefined> {
  const send = (sql: string): Promise<unknown> => tx.executeRaw(plainQuery(sql))
  await send(`SAVEPOINT ${savepoint}`)
  const found = await select().catch(async (error: unknown) => {
    if (!isMisunderstood(error)) throw error
    await send(`ROLLBACK TO SAVEPOINT ${savepoint}`)
    return undefined
  })
  await send(`RELEASE SAVEPOINT ${savepoint}`)
  return found
}

const savepoint = 'model_cache_selection'

/**
 * Whether the parameters of a statement name each row that it may write by a key.
 *
 * @param most how many fields of the key may have several values: two lists may name more rows than they have parameters
 */
function pinsKey({ where }: Statement, model: Model, provider: string, most = 1): boolean {
  const { nullableKeys, primaryKey, scalars, uniqueKeys } = model
  const pins = pinsIn(where, provider)
  return [primaryKey, ...uniqueKeys.values(), ...nullableKeys.values()].some((fields) => {
    const counts = fields.map((field) => {
      const { column } = scalars.get(field) ?? {}
      // The client may hide it.
      if (column === undefined) return Infinity
      return pins.get(column)?.length ?? Infinity
    })
    const lists = counts.filter((count) => count > 1)
    return counts.length > 0 && !counts.includes(Infinity) && lists.length <= most
  })
}

/** Whether the database changes fields that the write sets, in a row of the same model that leads to itself in the end. */
function isReset({ child: { model, relation } }: PassedOn, change: Change): boolean {
  if (change === 'deleted') return false
  const { fields, references, target } = relation
  return fields.some((field, index) => {
    const source = references[index]!
    // A field that leads to itself gets what the write sets, and one that leads to an unchanged field stays.
    const isKept = target === model && (source === field || !change.has(source))
    return change.has(field) && !isKept
  })
}
