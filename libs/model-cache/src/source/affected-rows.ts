import { isOutside, keyFieldsOf, lookupsJoined, lookupsMovedIn, lookupsThrough } from './joined-lookups.js'
import type { UnknownRowsReason, WriteCoordinator, WriteUnit, WrittenRow } from './write-coordinator.js'

/** Collects the rows of cached models that a write affects. */
export class AffectedRows {
  readonly #models = new Map<string, AffectedModel>()
  readonly #coordinator: WriteCoordinator
  /** The maximum number of rows of one query that are reported one by one. */
  readonly limit: number
  /** The model that is written, or its table, for people; undefined if that is not known. */
  readonly written: string | undefined

  constructor(coordinator: WriteCoordinator, limit: number, written?: string) {
    this.#coordinator = coordinator
    this.limit = limit
    this.written = written
  }

  get isEmpty(): boolean {
    return this.#models.size === 0
  }

  /**
   * Adds rows that hold all id fields of all caches of the model. If a row lacks one, or there are more rows than
   * the limit, the whole model is affected.
   */
  addRows(model: string, rows: readonly WrittenRow[], reason: UnknownRowsReason): void {
    const caches = this.#coordinator.idFieldsOf(model)
    if (rows.length > this.limit) this.addModel(model, 'unbounded')
    else if (rows.some((row) => !caches.every((fields) => hasAll(row, fields)))) this.addModel(model, reason)
    else this.#add(model, rows, caches)
  }

  /** Adds rows that are created. If there are too many, or one lacks an id, the model counts as one with unknown new rows. */
  addCreated(model: string, rows: readonly WrittenRow[], reason: UnknownRowsReason): void {
    const caches = this.#coordinator.idFieldsOf(model)
    if (rows.length > this.limit) return this.addUnboundedCreated(model)
    const areKnown = rows.every((row) => caches.every((fields) => hasAll(row, fields)))
    if (areKnown) this.#add(model, rows, caches)
    else this.#of(model).created = reason
  }

  /** Adds more created rows than the limit: the model counts as one with unknown new rows. */
  addUnboundedCreated(model: string): void {
    if (this.#coordinator.idFieldsOf(model).length > 0) this.#of(model).created = 'unbounded'
  }

  /**
   * Adds rows, as they are after the write, that may enter lookups of their model: created ones, or ones whose fields `changed`. If a row
   * lacks a field of a key, the entry that it enters is unknown. Without rows, the change affects lookups through relations only.
   */
  addJoined(model: string, rows: readonly WrittenRow[], changed?: ReadonlySet<string>): void {
    const lookups = lookupsJoined(this.#coordinator, model, changed)
    const through = lookupsMovedIn(this.#coordinator, model, changed)
    const joining = rows.filter((row) => lookups.some(({ key }) => !key || !isOutside(key, row)))
    if (joining.length === 0 && through.length === 0) return
    const fields = keyFieldsOf(lookups)
    const keys = joining.map((row) => pick(row, fields))
    const watched = new Set([...lookups, ...through].flatMap((lookup) => lookup.fields ?? []))
    const by = changed && [...changed].filter((field) => watched.has(field)).toSorted()
    const newKeys = (this.#of(model).newKeys ??= new Map())
    const name = by?.join()
    const ofSameFields = newKeys.get(name)
    if (ofSameFields) addAll(ofSameFields.rows, keys)
    else newKeys.set(name, { rows: keys, changed: by && new Set(by) })
  }

  /**
   * Adds entries of lookups through a relation of the model, by rows at its other side. If a row lacks a field of the key, the entries
   * are unknown.
   */
  addJoinedThrough(model: string, relation: string, rows: readonly WrittenRow[]): void {
    const lookups = lookupsThrough(this.#coordinator, model, relation)
    if (rows.length === 0 || lookups.length === 0) return
    const fields = keyFieldsOf(lookups)
    const keys = rows.map((row) => pick(row, fields))
    const through = (this.#of(model).through ??= new Map())
    const known = through.get(relation)
    if (known) addAll(known, keys)
    else through.set(relation, keys)
  }

  /**
   * Adds the entries that may still name a deleted row whose id a created one is given: the new row does not show that it is not in a
   * lookup through a relation. The database generates no id twice.
   */
  addGivenIds(model: string, rows: readonly WrittenRow[]): void {
    const ids = this.#coordinator.idFieldsOf(model).flat()
    if (!rows.some((row) => ids.some((id) => id in row))) return
    for (const { through } of this.#coordinator.lookupsOf(model))
      if (through !== undefined) this.addJoinedThrough(model, through, [{}])
  }

  /** Adds all rows of a model. */
  addModel(model: string, reason: UnknownRowsReason): void {
    if (this.#coordinator.idFieldsOf(model).length > 0) this.#of(model).whole ??= reason
  }

  /** Adds the caches of other models that depend on this one: they are affected whichever of its rows is written. */
  addDependents(model: string): void {
    const dependents = this.#coordinator.idFieldsOf(model).filter((fields) => fields.length === 0)
    this.#add(model, [{}], dependents)
  }

  markIn(unit: WriteUnit): void {
    for (const [model, { rows, whole, created, newKeys, through }] of this.#models) {
      if (whole) unit.markAllWritten(model, whole)
      else {
        if (rows) unit.markWritten(model, rows)
        if (created) unit.markCreated(model, created)
        // The entries of the model end with its negative entries.
        else announceEntered(unit, model, newKeys, through)
      }
    }
  }

  #add(model: string, rows: readonly WrittenRow[], caches: readonly (readonly string[])[]): void {
    const ids = rows.flatMap((row) => idsIn(row, caches))
    if (ids.length === 0) return
    const affected = this.#of(model)
    const last = affected.rows?.at(-1)
    if (last)
      addAll(
        affected.rows!,
        ids.filter((row) => !isSame(row, last)),
      )
    else affected.rows = ids
  }

  #of(model: string): AffectedModel {
    let affected = this.#models.get(model)
    if (!affected) {
      affected = {}
      this.#models.set(model, affected)
    }
    return affected
  }
}

/** What a write affects of one model. */
interface AffectedModel {
  /** The rows whose ids are known. */
  rows?: WrittenRow[] | undefined
  /** Why all rows count as written, instead of anything else. */
  whole?: UnknownRowsReason | undefined
  /** Why there may be new rows whose ids are unknown. */
  created?: UnknownRowsReason | undefined
  /** Rows that may enter lookups, by the changed fields; undefined for new rows. */
  newKeys?: Map<string | undefined, Entered> | undefined
  /** Rows at the other side of relations, by relation; see {@link WriteUnit.markJoinedThrough}. */
  through?: Map<string, WrittenRow[]> | undefined
}

/** Rows that may enter lookups; `changed` as in {@link WriteUnit.markJoined}. */
interface Entered {
  readonly rows: WrittenRow[]
  readonly changed: ReadonlySet<string> | undefined
}

function announceEntered(
  unit: WriteUnit,
  model: string,
  newKeys: AffectedModel['newKeys'],
  through: AffectedModel['through'],
): void {
  for (const { rows, changed } of newKeys?.values() ?? none) unit.markJoined(model, rows, changed)
  for (const [relation, rows] of through ?? none) unit.markJoinedThrough(model, relation, rows)
}

const none: readonly never[] = []

/** `push(...rows)` would pass each row as an argument, and the stack has no room for a hundred thousand. */
function addAll(all: WrittenRow[], rows: readonly WrittenRow[]): void {
  for (const row of rows) all.push(row)
}

/** Whether the values of all fields are known. */
export function hasAll(row: WrittenRow, fields: readonly string[]): boolean {
  return fields.every((field) => row[field] !== undefined)
}

/** The known ones of these fields. */
function pick(row: WrittenRow, fields: readonly string[]): WrittenRow {
  return Object.fromEntries(
    fields.filter((field) => row[field] !== undefined).map((field) => [field, row[field]]),
  )
}

/** An upsert names its row twice. */
function isSame(row: WrittenRow, other: WrittenRow): boolean {
  return Object.entries(row).every(([field, value]) => other[field] === value)
}

/** The id fields of a row, without those of caches that cannot hold it: null is not an id. */
function idsIn(row: WrittenRow, caches: readonly (readonly string[])[]): WrittenRow[] {
  const held = caches.filter((fields) => fields.every((field) => row[field] !== null))
  if (held.length === 0) return []
  const ids: Record<string, unknown> = {}
  for (const fields of held) for (const field of fields) ids[field] = row[field]
  return [ids]
}
