import type { AffectedRows } from '../../affected-rows.js'
import { lookupsJoined, showsEntries } from '../../joined-lookups.js'
import type { Column } from '../../columns/column.js'
import type { SqlQuery } from './adapter.js'
import type { Statement } from './statement.js'
import { isName, isWrapped, namesExcluded, split, type SqlToken, unquoted } from './sql-tokens.js'
import { cellOf, type Parameter, type ValueCell } from './value-rows.js'
import { fieldsOf, nameOfValue } from './values.js'
import { addRekeyed, type WrittenTable } from './written-table.js'

type Row = Record<string, unknown>

/**
 * Adds the rows that a statement writes if its parameters name them, with all ids and the entries that they enter. Returns false if only
 * the database shows that, and then adds nothing.
 */
export function addNamedRows(
  affected: AffectedRows,
  written: WrittenTable,
  { columns, isIgnoring, isUpsert, kind, rows, set, where }: Statement,
  { args }: SqlQuery,
): boolean {
  const { changed, coordinator, facts, hasRekeyedLookups, ids, model, passesOn } = written
  if (passesOn || written.changesKeys || facts.writesOthers) return false
  const { name } = model
  // A trigger may set other fields, but not a primary key.
  const hasLookups = coordinator.lookupsOf(name).length > 0
  if (written.mayChangeIds || (written.hasTriggers && (kind === 'insert' || hasLookups))) return false
  const fields = fieldsOf(model)
  const literal = (field: string, cell: ValueCell | undefined): unknown => {
    const scalar = model.scalars.get(field)
    if (!scalar || scalar.isList || cell === undefined || cell === 'expression' || !facts.isStrict)
      return undefined
    const value = cell === 'null' ? null : scalar.literalOf(argument(scalar, cell, args))
    // MySQL and SQLite generate a number for null where there can be none.
    return value === null && !scalar.isNullable ? undefined : value
  }
  const isKnown = (row: Row): boolean => [...ids].every((field) => row[field] !== undefined)
  const created: Row[] = []
  if (kind === 'insert') {
    const given = new Set(columns?.map((column) => fields.get(column)))
    if (!columns || ![...ids].every((id) => given.has(id)) || facts.derived.size > 0) return false
    const values = rows?.values()
    if (!values) return false
    for (const cells of values) {
      const row: Row = {}
      for (const [i, column] of columns.entries()) {
        const field = fields.get(column)
        if (field !== undefined) row[field] = literal(field, cells[i])
      }
      created.push(row)
    }
    const lookups = lookupsJoined(coordinator, name, undefined)
    // MySQL stores other values than these, and generates a number for 0.
    const isStored = (row: Row): boolean =>
      written.provider !== 'mysql' ||
      (!isIgnoring && model.primaryKey.every((field) => row[field] !== 0 && row[field] !== 0n))
    if (!created.every((row) => isKnown(row) && showsEntries(lookups, row) && isStored(row))) return false
  }
  let pinned: Row[] = []
  if (kind !== 'insert' || isUpsert) {
    if (namesExcluded(where)) return false
    pinned = [{}]
    for (const [column, cells] of pinsIn(where, written.provider)) {
      const field = fields.get(column)
      const scalar = field === undefined ? undefined : model.scalars.get(field)
      if (!scalar || !ids.has(field!)) continue
      if (cells.length > 1 && pinned.length > 1) return false
      const values = cells.map((cell) =>
        cell === 'null' ? null : scalar.matchedBy(argument(scalar, cell, args)),
      )
      pinned = pinned.flatMap((row) => values.map((value) => ({ ...row, [field!]: value })))
    }
    if (!pinned.every(isKnown)) return false
  }
  const after: Row = {}
  for (const [column, tokens] of set) {
    const field = fields.get(column)
    if (field !== undefined) after[field] = literal(field, cellOf(tokens))
  }
  if (changed.size > 0 && !showsEntries(lookupsJoined(coordinator, name, changed), after)) return false
  if (kind === 'insert') {
    affected.addCreated(name, created, 'unknown')
    affected.addJoined(name, created)
    affected.addGivenIds(name, created)
  }
  affected.addRows(name, pinned, 'unknown')
  if (kind === 'delete' && hasRekeyedLookups) addRekeyed(affected, model, pinned)
  if (changed.size > 0) affected.addJoined(name, [after], changed)
  return true
}

/** The values of two columns of a join table, if the parameters of a statement name them. */
export function namedPairs(
  { columns, kind, rows, where }: Statement,
  { args }: SqlQuery,
  scalars: ReadonlyMap<string, Column>,
  provider: string,
): readonly Row[] | undefined {
  const value = (column: string, cell: ValueCell | undefined): unknown => {
    const scalar = scalars.get(column)
    if (!scalar || cell === undefined || cell === 'expression' || cell === 'null') return undefined
    return scalar.matchedBy(argument(scalar, cell, args))
  }
  const names = [...scalars.keys()]
  const found: Row[] = []
  if (kind === 'insert') {
    const values = rows?.values()
    if (!columns || !values) return undefined
    for (const cells of values)
      found.push(Object.fromEntries(names.map((name) => [name, value(name, cells[columns.indexOf(name)])])))
  } else if (kind === 'delete') {
    // Each value that one of the columns may have counts by itself.
    const pins = pinsIn(where, provider)
    for (const name of names)
      for (const cell of pins.get(name) ?? ['expression'])
        found.push({ [name]: value(name, cell as ValueCell) })
  } else return undefined
  return found.every((row) => Object.values(row).every((one) => one !== undefined)) ? found : undefined
}

/** A parameter as the client has it; undefined if the database makes something else of it. Prisma casts enums only. */
function argument(
  { databaseValues, type }: Column,
  { isCast, parameter }: Parameter,
  args: readonly unknown[],
): unknown {
  const arg = args[parameter - 1]
  if (isCast && type !== 'Enum') return undefined
  if (arg === null || arg === undefined) return arg
  switch (type) {
    case 'BigInt':
      return typeof arg === 'string' && /^-?\d+$/.test(arg) ? BigInt(arg) : arg
    case 'Int':
      return typeof arg === 'string' && /^-?\d+$/.test(arg) ? Number(arg) : arg
    case 'Enum':
      return databaseValues ? nameOfValue(databaseValues, arg) : arg
    default:
      return arg
  }
}

/** A parameter or NULL. */
type Pin = Exclude<ValueCell, 'expression'>

/** The parameters that a condition compares columns with, all of which a row has: `id = $1`, `id IN ($1, $2)`. */
export function pinsIn(where: readonly SqlToken[], provider: string): ReadonlyMap<string, readonly Pin[]> {
  let pins = knownPins.get(where)
  if (!pins) knownPins.set(where, (pins = readPins(where, provider)))
  return pins
}

/** The pins of a statement, by its condition, whose text is read once. */
const knownPins = new WeakMap<readonly SqlToken[], ReadonlyMap<string, readonly Pin[]>>()

function readPins(where: readonly SqlToken[], provider: string): ReadonlyMap<string, readonly Pin[]> {
  const pins = new Map<string, readonly Pin[]>()
  const visit = (tokens: readonly SqlToken[]): void => {
    const [first] = tokens
    if (!first) return
    if (isWrapped(tokens)) return visit(tokens.slice(1, -1))
    if (tokens.some(({ depth, text }) => depth === first.depth && alternative.test(text))) return
    const parts = split(tokens, first.depth, 'AND')
    if (parts.length > 1) return parts.forEach(visit)
    const operator = tokens.findIndex(({ text }) => text === '=' || text.toUpperCase() === 'IN')
    const column = tokens.slice(0, operator)
    if (operator < 1 || !column.every((token, i) => (i % 2 === 0 ? isName(token) : token.text === '.')))
      return
    const others = tokens.slice(operator + 1)
    const isList = tokens[operator]!.text !== '='
    if (isList && !isWrapped(others)) return
    // Prisma wraps a single value as well: `"A" = ($1)`.
    const inner = isWrapped(others) ? others.slice(1, -1) : others
    const values = isList ? split(inner, first.depth + 1) : [inner]
    const cells = values.map(cellOf)
    const known = cells.filter((cell): cell is Pin => cell !== 'expression')
    if (known.length === cells.length) pins.set(unquoted(column.at(-1)!.text, provider), known)
  }
  visit(where)
  return pins
}

const alternative = /^(?:OR|XOR|NOT|BETWEEN|CASE|SELECT|\||ORDER|LIMIT)$/i
