import type { TouchAllReason, WriteCoordinator, WriteUnit } from '../write-coordinator.js'
import { hasAll, type Row } from './literals.js'

/** Collects what a write touches, of models that are cached. */
export class Touched {
  readonly #rows = new Map<string, Row[]>()
  readonly #models = new Map<string, TouchAllReason>()
  readonly #coordinator: WriteCoordinator
  readonly #limit: number

  constructor(coordinator: WriteCoordinator, limit: number) {
    this.#coordinator = coordinator
    this.#limit = limit
  }

  get isEmpty(): boolean {
    return this.#rows.size === 0 && this.#models.size === 0
  }

  /**
   * Adds rows that hold all id fields of all caches of the model. Where a row lacks one, or there are more rows than
   * the limit, the model is touched as a whole.
   */
  addRows(model: string, rows: readonly Row[], reason: TouchAllReason): void {
    const caches = this.#coordinator.idFieldsOf(model)
    if (caches.length === 0 || rows.length === 0) return
    const ids = rows.flatMap((row) => idsIn(row, caches))
    const known = this.#rows.get(model)
    if (rows.length > this.#limit) this.addModel(model, 'unbounded')
    else if (rows.some((row) => !caches.every((fields) => hasAll(row, fields)))) this.addModel(model, reason)
    else if (known) known.push(...ids.filter((row) => !isSame(row, known.at(-1)!)))
    else this.#rows.set(model, ids)
  }

  /** Adds rows whose fields change, under their old ids and, where these change, under the new ones. */
  addChanged(model: string, rows: readonly Row[], changes: Row, reason: TouchAllReason): void {
    this.addRows(model, rows, reason)
    if (changesIds(this.#coordinator.idFieldsOf(model), changes)) {
      this.addRows(
        model,
        rows.map((row) => ({ ...row, ...changes })),
        reason,
      )
    }
  }

  addModel(model: string, reason: TouchAllReason): void {
    if (this.#coordinator.idFieldsOf(model).length > 0 && !this.#models.has(model))
      this.#models.set(model, reason)
  }

  announceTo(unit: WriteUnit): void {
    for (const [model, rows] of this.#rows) if (!this.#models.has(model)) unit.touch(model, rows)
    for (const [model, reason] of this.#models) unit.touchAll(model, reason)
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
  return names.size === 0 ? [] : [Object.fromEntries([...names].map((name) => [name, row[name]]))]
}
