import type { WriteUnit, WrittenRow } from '../../source/write-coordinator.js'
import type { AffectedLookup, FencedCache, WrittenCache } from './affected-cache.js'
import { handled } from './handled.js'
import { FenceSet } from './fence-set.js'
import { entryIdOf } from '../format/lookup-key.js'
import type { RowFences } from './row-fences.js'
import type { WriteSource } from '../backplane.js'
import type { UnansweredNamespace, WriterCaches } from './affected-caches.js'
import type { StandbyFences } from './standby-fences.js'

/** A set of field names, of which only existence is read. */
interface FieldNames {
  has(field: string): boolean
}

/** Maps the models and rows of a write to caches and row ids, and fences these. */
export class FencedWriteUnit implements WriteUnit {
  readonly fences: FenceSet
  readonly #caches: WriterCaches
  readonly #standby: StandbyFences | undefined
  /** The caches that were known throughout the write. The rows of others were not identified. */
  #known: readonly WrittenCache[]
  /** The list of all caches that {@link #known} was last compared with. */
  #compared: readonly WrittenCache[]
  #tables: WriterCaches['tables']
  /** The namespace, if its store did not say whether there are other caches. */
  #unanswered: UnansweredNamespace | undefined
  #hasWritten = false
  /** The model that is written first. Most units write one. */
  #model: string | undefined
  #otherModels: Set<string> | undefined

  /** @param standby holds the fences until the standby that rows are loaded from has the write. @default there is none */
  constructor(caches: WriterCaches, source: WriteSource = 'client', standby?: StandbyFences) {
    this.fences = new FenceSet(source)
    this.#caches = caches
    this.#standby = standby
    this.#compared = caches.all
    this.#known = this.#compared
    this.#tables = caches.tables
  }

  get isFenced(): boolean {
    return this.fences.isFenced
  }

  markWritten(model: string, rows: readonly WrittenRow[]): void {
    this.#noteKnown(model)
    for (const cache of this.#caches.of(model)) {
      const { idFields, rowIdOf, fences } = cache
      const identified = rows.filter((row) => idFields.every((field) => row[field] !== undefined))
      if (idFields.length === 0) this.#markAllWritten(cache, 'dependency')
      else {
        try {
          this.fences.markWritten(fences, identified.map(rowIdOf))
        } catch {
          // The ids are not of the kind that the cache expects.
          this.#markAllWritten(cache, 'unknown')
        }
      }
    }
  }

  /** Reports unknown rows of all caches. */
  markEverything(reason: string): void {
    this.#noteKnown()
    for (const cache of this.#caches.all) this.#markAllWritten(cache, reason)
  }

  /** @param others the ids of caches whose rows are known, as their fields. @default no caches are left out */
  markAllWritten(model: string, reason: string, others: readonly (readonly string[])[] = []): void {
    this.#noteKnown(model)
    const leftOut = new Set(others.map((fields) => fields.join()))
    for (const cache of this.#caches.of(model))
      if (!leftOut.has(cache.idFields.join())) this.#markAllWritten(cache, reason)
  }

  /** Drops the negative entries of the model. */
  markCreated(model: string, reason: string): void {
    this.#noteKnown(model)
    for (const cache of this.#caches.of(model)) {
      if (cache.idFields.length === 0) this.#markAllWritten(cache, reason)
      else this.fences.markAllWritten(cache.fences, 'existence')
    }
  }

  /** Fences the entries of lookups that the rows enter, or all entries of a cache that has no key for one of them. */
  markJoined(model: string, rows: readonly WrittenRow[], changed?: FieldNames): void {
    this.#noteKnown(model)
    for (const { lookups, fences } of this.#caches.of(model)) {
      for (const lookup of lookups) {
        if (!mayEnter(lookup, changed)) continue
        // The row does not show what it is connected to.
        if (lookup.through !== undefined) this.fences.markAllWritten(fences, 'existence')
        else this.#markEntries(fences, lookup, rows)
      }
    }
  }

  /** Fences the entries of rows at the other side of a relation, or all entries of a cache that has no key for one of them. */
  markJoinedThrough(model: string, relation: string, rows: readonly WrittenRow[]): void {
    this.#noteKnown(model)
    for (const { lookups, fences } of this.#caches.of(model)) {
      for (const lookup of lookups) {
        const isUnknown = !lookup.key && !lookup.fields
        if (isUnknown || lookup.through === relation) this.#markEntries(fences, lookup, rows)
      }
    }
  }

  noteWrite(model?: string): void {
    this.#hasWritten = true
    if (model !== undefined) this.#noteModel(model)
  }

  #noteModel(model: string): void {
    this.#model ??= model
    if (model !== this.#model) (this.#otherModels ??= new Set()).add(model)
  }

  get #models(): ReadonlySet<string> {
    return new Set([...(this.#model === undefined ? [] : [this.#model]), ...(this.#otherModels ?? [])])
  }

  /** Fences the affected rows, and all rows of caches that were described since the write began. */
  async fence(): Promise<void> {
    // A transaction that only reads does not need the store.
    if (!this.#hasWritten && this.fences.isEmpty) return
    const fencing = this.fences.fence()
    const asking = handled(this.#caches.ask())
    await fencing
    this.#unanswered = await asking
    const all = this.#caches.all
    // Nearly always.
    if (all === this.#known) return
    const known = new Set(this.#known)
    const added = all.filter((cache) => !known.has(cache))
    for (const cache of added) this.#markAllWritten(cache, 'unknown')
    if (added.length > 0) await this.fences.fence()
  }

  end(end: 'known' | 'unknown' = 'known'): Promise<void> {
    // Nothing to release, nor caches to empty of which the write did not know.
    const isOver = this.fences.isEmpty && this.#unanswered === undefined
    return this.#standby && !isOver && end === 'known' ? this.#hold(this.#standby) : this.#end(end)
  }

  #hold(standby: StandbyFences): Promise<void> {
    this.fences.hold()
    standby.hold((later) => this.#end(later))
    return held
  }

  async #end(end: 'known' | 'unknown'): Promise<void> {
    await this.fences.end(end)
    this.#unanswered?.catchUp({ known: new Set(this.#known), models: this.#models, end })
  }

  /**
   * A cache that is missing from the list, because the catalogue was lost, counts as new when it is listed again. All do once more is known
   * of the writer's tables, as the rows may have been identified by what was known before.
   */
  #noteKnown(model?: string): void {
    this.#hasWritten = true
    if (model !== undefined) this.#noteModel(model)
    const { all, tables } = this.#caches
    if (all === this.#compared && tables === this.#tables) return
    const known = new Set(tables === this.#tables ? this.#known : [])
    this.#tables = tables
    this.#compared = all
    this.#known = all.filter((cache) => known.has(cache))
  }

  #markEntries(fences: RowFences, { keyOf, name }: AffectedLookup, rows: readonly WrittenRow[]): void {
    const keys = rows.map(keyOf)
    if (!keys.every((key) => key !== undefined)) return void this.fences.markAllWritten(fences, 'existence')
    const present = keys.filter((key) => key !== null)
    this.fences.markWritten(
      fences,
      present.map((key) => entryIdOf(name, key)),
    )
  }

  #markAllWritten({ onAllWritten, fences }: FencedCache, reason: string): void {
    if (this.fences.markAllWritten(fences, 'all')) onAllWritten(reason)
  }
}

const held = Promise.resolve()

/** Whether a write that changes these fields may let a row enter an entry of the lookup, or move in it. */
function mayEnter({ fields, through }: AffectedLookup, changed: FieldNames | undefined): boolean {
  if (!fields) return true
  // A new row is connected to no other row yet.
  if (!changed) return through === undefined
  return fields.some((field) => changed.has(field))
}
