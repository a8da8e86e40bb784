import type { Model } from '../../schema-facts.js'
import type { WriteUnit } from '../../write-coordinator.js'
import { type HookCall, type PrismaTransaction, providerOf, queryRawIn } from '../internals.js'
import { hasLockingReads } from '../locking-reads.js'
import { keysIn } from './conditions.js'
import { type Row, rowKeyOf } from './literals.js'
import { selectLocked, type WriteContext } from './write-context.js'

/** Databases with `FOR UPDATE` whose next query sees everything that was committed before the lock was taken. */
const locking = new Set(['postgresql', 'postgres', 'cockroachdb'])
/** Tables that a client may lock. The permission is queried first, because a refused lock would end the transaction. */
const lockable = new WeakMap<object, Set<string>>()
const rowsPerLock = 1_000

/**
 * SQLite begins a transaction without a lock. One that reads first fails at once if another connection writes before its own first write;
 * one that begins with a write waits for its turn. So a transaction that is about to read begins with a DELETE of no rows.
 */
export const beginsWithoutLock = (client: object): boolean => providerOf(client) === 'sqlite'

/** Takes the lock, where a transaction {@link beginsWithoutLock}, once for all writes of a unit. */
export async function takeWriteLock({ transaction, unit }: WriteContext, call: HookCall): Promise<void> {
  if (holdingLock.has(unit)) return
  await deleteNothing(transaction, call)
  holdingLock.add(unit)
}

/** Takes the lock in a transaction that no unit has. */
export async function deleteNothing(
  transaction: PrismaTransaction,
  { params, query }: HookCall,
): Promise<void> {
  await query({ where: { OR: [] } }, { ...params, transaction, action: 'deleteMany', dataPath: [] })
}

/** Units whose transaction has the lock. */
const holdingLock = new WeakSet<WriteUnit>()

/**
 * Locks rows by {@link rowKeyOf} until the transaction ends, so that nobody changes them or adds rows
 * that refer to them. Returns how many exist, or undefined if rows cannot be locked.
 */
export async function lockRows(
  context: WriteContext,
  model: Model,
  rows: readonly Row[],
): Promise<number | undefined> {
  const { bareClient, transaction } = context
  const { table: place } = model
  const key = rowKeyOf(model)
  const provider = providerOf(bareClient)
  // SQLite has one writer at a time.
  if (provider === 'sqlite') return rows.length
  if (hasLockingReads(bareClient)) return lockByReading(context, model, rows)
  if (!locking.has(provider) || key.length === 0 || !place) return undefined
  const table = `${quote(place.schema)}.${quote(place.name)}`
  if (!(await mayLock(bareClient, transaction, table))) return undefined
  let locked = 0
  for (let start = 0; start < rows.length; start += rowsPerLock) {
    const keys = rows.slice(start, start + rowsPerLock).map((row) => inDatabase(model, key, row))
    const { sql, values } = provider === 'cockroachdb' ? keysAsParameters(keys) : keysAsJson(table, keys)
    const lock = `SELECT 1 FROM ${table} WHERE (${columnsOf(keys)}) IN (${sql}) FOR UPDATE`
    locked += (await queryRawIn(bareClient, transaction, lock, values)).length
  }
  return locked
}

async function lockByReading(
  context: WriteContext,
  model: Model,
  rows: readonly Row[],
): Promise<number | undefined> {
  const key = rowKeyOf(model)
  let locked = 0
  for (const keys of keysIn(context.planning, key, rows)) {
    const found = await selectLocked(context, model.name, keys, key, rows.length)
    if (!found) return undefined
    locked += found.length
  }
  return locked
}

/** Whether rows that were locked before do not exist any more. */
export async function areGone(context: WriteContext, model: Model, rows: readonly Row[]): Promise<boolean> {
  // Nobody else has written in the meantime, so that the number of deleted rows is enough.
  if (providerOf(context.bareClient) === 'sqlite') return true
  return (await lockRows(context, model, rows)) === 0
}

/** The key of a row by the names of the database, which may name the values of an enum differently. */
function inDatabase({ scalars }: Model, key: readonly string[], row: Row): Row {
  return Object.fromEntries(
    key.map((field) => {
      const { column, databaseValues } = scalars.get(field)!
      return [column, databaseValues?.get(row[field] as string) ?? row[field]]
    }),
  )
}

function columnsOf([key]: readonly Row[]): string {
  return Object.keys(key!).map(quote).join(', ')
}

async function mayLock(bareClient: object, transaction: PrismaTransaction, table: string): Promise<boolean> {
  const known = lockable.get(bareClient) ?? new Set()
  lockable.set(bareClient, known)
  if (known.has(table)) return true
  const sql = `SELECT has_any_column_privilege(to_regclass($1)::oid, 'UPDATE') AS "may"`
  const [answer] = await queryRawIn(bareClient, transaction, sql, [table])
  if (answer?.may !== true) return false
  known.add(table)
  return true
}

interface Keys {
  readonly sql: string
  readonly values: readonly unknown[]
}

/** One parameter, which the database takes apart by the types of the table. Two thousand would take it five times as long. */
function keysAsJson(table: string, keys: readonly Row[]): Keys {
  const text = JSON.stringify(keys, (_, value: unknown) =>
    typeof value === 'bigint' ? String(value) : value,
  )
  const sql = `SELECT ${columnsOf(keys)} FROM json_populate_recordset(NULL::${table}, $1::json)`
  return { sql, values: [text] }
}

/** `($1, $2), ($3, $4)`. */
function keysAsParameters(keys: readonly Row[]): Keys {
  const values = keys.flatMap((key) => Object.values(key))
  const perKey = values.length / keys.length
  const sql = keys.map((_, row) => {
    const names = Array.from({ length: perKey }, (_, index) => `$${row * perKey + index + 1}`)
    return `(${names.join(', ')})`
  })
  return { sql: sql.join(', '), values }
}

function quote(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}
