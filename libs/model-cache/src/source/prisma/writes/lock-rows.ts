import type { Model } from '../../schema-facts.js'
import { type PrismaTransaction, providerOf, queryRawIn } from '../internals.js'
import { areExact, type Row } from './literals.js'

/** Databases with `FOR UPDATE` whose next query sees everything that was committed before the lock was taken. */
const locking = new Set(['postgresql', 'postgres', 'cockroachdb'])
/** Tables that a client may lock. The permission is queried first, because a refused lock would end the transaction. */
const lockable = new WeakMap<object, Set<string>>()
const rowsPerLock = 1_000

/**
 * Locks rows by their primary key until the transaction ends, so that nobody changes them or adds rows
 * that refer to them. Returns how many exist, or undefined if rows cannot be locked.
 */
export async function lockRows(
  bareClient: object,
  transaction: PrismaTransaction,
  model: Model,
  rows: readonly Row[],
): Promise<number | undefined> {
  const { primaryKey, scalars, table: place } = model
  const provider = providerOf(bareClient)
  // SQLite has one writer at a time.
  if (provider === 'sqlite') return rows.length
  if (!locking.has(provider) || primaryKey.length === 0 || !place || !areExact(model, primaryKey))
    return undefined
  const table = `${quote(place.schema)}.${quote(place.name)}`
  if (!(await mayLock(bareClient, transaction, table))) return undefined
  const columns = primaryKey.map((field) => quote(scalars.get(field)!.column)).join(', ')
  // The database may name the values of an enum differently.
  const namesOf = primaryKey.map((field) => [field, scalars.get(field)!.databaseValues] as const)
  let locked = 0
  for (let start = 0; start < rows.length; start += rowsPerLock) {
    const values = rows
      .slice(start, start + rowsPerLock)
      .flatMap((row) => namesOf.map(([field, names]) => names?.get(row[field] as string) ?? row[field]))
    const sql = `SELECT 1 FROM ${table} WHERE (${columns}) IN (${placeholders(values.length, primaryKey.length)}) FOR UPDATE`
    locked += (await queryRawIn(bareClient, transaction, sql, values)).length
  }
  return locked
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

/** `($1, $2), ($3, $4)`. */
function placeholders(values: number, perRow: number): string {
  const rows = Array.from({ length: values / perRow }, (_, row) => {
    const names = Array.from({ length: perRow }, (_, index) => `$${row * perRow + index + 1}`)
    return `(${names.join(', ')})`
  })
  return rows.join(', ')
}

function quote(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}
