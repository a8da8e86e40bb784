import type { Table } from 'model-cache/internal'
import { tableId } from './table-id.js'

/** A foreign key by which InnoDB changes rows of a table together with those of another one. */
export interface ForeignKey {
  readonly child: Table
  readonly parent: Table
  readonly referenced: readonly string[]
  /** Whether rows of the child change when the parent is deleted. */
  readonly onDelete: boolean
  /** Whether rows of the child change when the key of the parent does. */
  readonly onUpdate: boolean
  /** Whether rows of the child are deleted with those of the parent, instead of losing their keys. */
  readonly deletesToo: boolean
}

/** What rows of a table have to show, so that the rows which change with them are known. */
interface Cascade {
  /** The tables whose rows change when a row is deleted, by {@link tableId}. */
  readonly ofDelete: ReadonlySet<string>
  /** The tables whose rows change when one of these columns is updated. */
  readonly ofUpdate: readonly { readonly columns: readonly string[]; readonly tables: ReadonlySet<string> }[]
}

/**
 * Which rows InnoDB deletes and updates by foreign keys: the log does not have these. Of such a table, no single rows are known, because
 * they are gone by the time that the log is read.
 */
export class ForeignKeys {
  /** The foreign keys that refer to a table, by its {@link tableId}. */
  readonly #keys = new Map<string, ForeignKey[]>()
  readonly #known = new Set<string>()
  #cascades = new Map<string, Cascade | undefined>()

  /** Keys that have been dropped stay: changes from before may be read later. */
  add(keys: readonly ForeignKey[]): void {
    for (const key of keys) {
      const text = JSON.stringify(key)
      if (this.#known.has(text)) continue
      this.#known.add(text)
      const parent = tableId(key.parent)
      this.#keys.set(parent, [...(this.#keys.get(parent) ?? []), key])
    }
    this.#cascades.clear()
  }

  /** Returns what changes with the rows of a table; undefined if nothing does. */
  cascadeOf(table: Table): Cascade | undefined {
    const id = tableId(table)
    if (!this.#cascades.has(id)) this.#cascades.set(id, this.#cascadeOf(id))
    return this.#cascades.get(id)
  }

  #cascadeOf(id: string): Cascade | undefined {
    const keys = this.#keys.get(id) ?? []
    const ofDelete = this.#reached(keys.filter(({ onDelete }) => onDelete).map((key) => [key, 'delete']))
    const ofUpdate = keys
      .filter(({ onUpdate }) => onUpdate)
      .map((key) => ({ columns: key.referenced, tables: this.#reached([[key, 'update']]) }))
    return ofDelete.size + ofUpdate.length > 0 ? { ofDelete, ofUpdate } : undefined
  }

  /** The tables that change by keys, and by the keys of these. */
  #reached(first: readonly (readonly [ForeignKey, 'delete' | 'update'])[]): ReadonlySet<string> {
    const tables = new Set<string>()
    const seen = new Set<string>()
    const open = [...first]
    for (const [key, change] of open) {
      const child = tableId(key.child)
      tables.add(child)
      const deletes = change === 'delete' && key.deletesToo
      if (seen.has(`${child} ${deletes}`)) continue
      seen.add(`${child} ${deletes}`)
      for (const next of this.#keys.get(child) ?? []) {
        if (deletes && next.onDelete) open.push([next, 'delete'])
        if (!deletes && next.onUpdate) open.push([next, 'update'])
      }
    }
    return tables
  }
}
