import type { UnknownRowsReason, WriteCoordinator, WriteUnit } from '../write-coordinator.js'
import { hasAll, type Row } from './literals.js'

/** Collects the rows that a write affects, of models that are cached. */
export class AffectedRows {
  readonly #rows = new Map<string, Row[]>()
  readonly #created = new Map<string, UnknownRowsReason>()
  readonly #models = new Map<string, UnknownRowsReason>()
  readonly #coordinator: WriteCoordinator
  readonly #limit: number

  constructor(coordinator: WriteCoordinator, limit: number) {
    this.#coordinator = coordinator
    this.#limit = limit
  }

  get isEmpty(): boolean {
    return this.#rows.size === 0 && this.#created.size === 0 && this.#models.size === 0
  }

  /**
   * Adds rows that hold all id fields of all caches of the model. Where a row lacks one, or there are more rows than
   * the limit, the model is affected as a whole.
   */
  addRows(model: string, rows: readonly Row[], reason: UnknownRowsReason): void {
    const caches = this.#coordinator.idFieldsOf(model)
    if (caches.length === 0 || rows.length === 0) return
    if (rows.length > this.#limit) this.addModel(model, 'unbounded')
    else if (rows.some((row) => !caches.every((fields) => hasAll(row, fields)))) this.addModel(model, reason)
    else this.#add(model, rows, caches)
  }

  /** Adds rows whose fields change, under their old ids and, where these change, under the new ones. */
  addChanged(model: string, rows: readonly Row[], changes: Row, reason: UnknownRowsReason): void {
    this.addRows(model, rows, reason)
    if (changesIds(this.#coordinator.idFieldsOf(model), changes)) {
      this.addRows(
        model,
        rows.map((row) => ({ ...row, ...changes })),
        reason,
      )
    }
  }

  /** Adds rows that are created. Where they are too many, or lack an id, their model counts as one with unknown new rows. */
  addCreated(model: string, rows: readonly Row[], reason: UnknownRowsReason): void {
    const caches = this.#coordinator.idFieldsOf(model)
    if (caches.length === 0 || rows.length === 0) return
    const areKnown = rows.every((row) => caches.every((fields) => hasAll(row, fields)))
    if (rows.length > this.#limit) this.#created.set(model, 'unbounded')
    else if (areKnown) this.#add(model, rows, caches)
    else this.#created.set(model, reason)
  }

  addModel(model: string, reason: UnknownRowsReason): void {
    if (this.#coordinator.idFieldsOf(model).length > 0 && !this.#models.has(model))
      this.#models.set(model, reason)
  }

  /** For caches that hold data of the model without being caches of it: whichever row of it is written. */
  addDependents(model: string): void {
    const dependents = this.#coordinator.idFieldsOf(model).filter((fields) => fields.length === 0)
    if (dependents.length > 0) this.#add(model, [{}], dependents)
  }

  hasModel(model: string): boolean {
    return this.#models.has(model)
  }

  announceTo(unit: WriteUnit): void {
    for (const [model, rows] of this.#rows)
      if (!this.#models.has(model) && rows.length > 0) unit.markWritten(model, rows)
    for (const [model, reason] of this.#created) if (!this.#models.has(model)) unit.markCreated(model, reason)
    for (const [model, reason] of this.#models) unit.markAllWritten(model, reason)
  }

  #add(model: string, rows: readonly Row[], caches: readonly (readonly string[])[]): void {
    const ids = rows.flatMap((row) => idsIn(row, caches))
    const known = this.#rows.get(model)
    const last = known?.at(-1)
    if (known) known.push(...ids.filter((row) => !last || !isSame(row, last)))
    else this.#rows.set(model, ids)
  }
}

export function changesIds(caches: readonly (readonly string[])[], changes: Row): boolean {
  return caches.some((fields) => fields.some((field) => field in changes))
}

/** An upsert names its row twice. */
function isSame(row: Row, other: Row): boolean {
  return Object.entries(row).every(([field, value]) => other[field] === value)
}

/** The id fields of a row, without those of caches that cannot hold it: a null is no id. */
function idsIn(row: Row, caches: readonly (readonly string[])[]): Row[] {
  const held = caches.filter((fields) => fields.every((field) => row[field] !== null))
  const names = new Set(held.flat())
  return held.length === 0 ? [] : [Object.fromEntries([...names].map((name) => [name, row[name]]))]
}
