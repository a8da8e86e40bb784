/** Lookups of the models, chosen at random, and whether writes have announced each row that enters one of them. */
import type { WatchedLookup, WriteUnit, WrittenRow } from 'model-cache/advanced'
import { joinRelations, type Model, models } from './models.ts'
import type { Args, Snapshot } from './random-write.ts'
import type { Random } from './random.ts'
import { show } from './show.ts'

/** What was announced of one model before a fence. */
interface Announced {
  /** Whether all entries of the model have ended. */
  isWhole: boolean
  readonly entered: {
    readonly rows: readonly WrittenRow[]
    readonly changed: ReadonlySet<string> | undefined
  }[]
  /** Rows at the other side of relations. */
  readonly through: { readonly relation: string; readonly rows: readonly WrittenRow[] }[]
}

/** How rows that entered a lookup were announced: by their keys, or with all entries of their model. */
export interface Entries {
  exact: number
  whole: number
}

export class RandomLookups {
  readonly entries: Entries = { exact: 0, whole: 0 }
  /** Of lookups through relations. */
  readonly entriesThrough: Entries = { exact: 0, whole: 0 }
  readonly #lookups = new Map<string, readonly WatchedLookup[]>()
  readonly #fenced = new Map<string, Announced>()
  readonly #models: Readonly<Record<string, Model>>

  /** @param own the models as the database has them */
  constructor(own: Readonly<Record<string, Model>>) {
    this.#models = own
  }

  choose(random: Random): void {
    this.#lookups.clear()
    for (const model of Object.values(this.#models)) {
      const lookups = Array.from({ length: random.below(4) }, () => lookupOf(model, random))
      const through = joinRelations.filter((join) => join.model.name === model.name && random.chance(50))
      this.#lookups.set(model.name, [...lookups, ...through.map((join) => lookupThrough(join, random))])
    }
  }

  of(model: string): readonly WatchedLookup[] {
    return this.#lookups.get(model) ?? []
  }

  /**
   * A unit whose announcements count from its next fence on.
   *
   * @param coarse counts what marks more than its rows
   */
  watch(unit: WriteUnit, coarse: Record<string, number>): WriteUnit {
    let marks: (() => void)[] = []
    const found = new Set<string>()
    const markWhole = (kind: string) => (model: string, reason: string) => {
      if (reason !== 'unbounded') found.add(`${kind}: ${reason}`)
      marks.push(() => (this.#announced(model).isWhole = true))
    }
    const seen: Partial<WriteUnit> = {
      markAllWritten: markWhole('all rows'),
      markCreated: markWhole('new rows'),
      markJoined: (model, rows, changed) =>
        marks.push(() => this.#announced(model).entered.push({ rows, changed })),
      markJoinedThrough: (model, relation, rows) =>
        marks.push(() => this.#announced(model).through.push({ relation, rows })),
      fence: async () => {
        for (const mark of marks) mark()
        marks = []
        for (const kind of found) coarse[kind] = (coarse[kind] ?? 0) + 1
        found.clear()
      },
    }
    return new Proxy(unit, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name, target)
        if (typeof value !== 'function') return value
        const watched = seen[name as 'fence'] as ((...args: unknown[]) => unknown) | undefined
        return (...args: unknown[]) => {
          void watched?.(...args)
          return value.apply(target, args) as unknown
        }
      },
    })
  }

  /** Forgets what was announced, before the next write. */
  reset(): void {
    this.#fenced.clear()
  }

  /** A row that has entered a lookup of one of these models unannounced, or left one through a relation, for people. */
  unannounced(names: ReadonlySet<string>, before: Snapshot, after: Snapshot): string | undefined {
    for (const name of names) {
      const lookup = this.of(name).find((lookup) => !this.#areAnnouncedThrough(name, lookup, before, after))
      if (lookup)
        return `${name} through ${lookup.through}, watching ${lookup.fields?.join()}\n  announced: ${show([...this.#announced(name).through])}`
    }
    for (const [name, rows] of after) {
      if (!names.has(name) || rows === before.get(name)) continue
      const former = new Map(before.get(name)?.map((row) => [idOf(name, row), row]))
      for (const row of rows)
        for (const lookup of this.of(name)) {
          if (lookup.through !== undefined) continue
          const old = former.get(idOf(name, row))
          if (!enters(lookup, old, row) || this.#isAnnounced(name, lookup, row)) continue
          const key = lookup.key?.join() ?? 'unknown fields'
          return `${name} by ${key}, watching ${lookup.fields?.join()}\n  before: ${show(old)}\n  after:  ${show(row)}\n  announced: ${show([...this.#announced(name).entered].map(({ rows, changed }) => ({ rows, changed: changed && [...changed] })))}`
        }
    }
    return undefined
  }

  #isAnnounced(model: string, lookup: WatchedLookup, row: Args): boolean {
    const { key } = lookup
    if (key?.some((field) => row[field] === null)) return true
    const { isWhole, entered } = this.#announced(model)
    const concerning = entered.filter(
      ({ changed }) => !changed || !lookup.fields || lookup.fields.some((field) => changed.has(field)),
    )
    const known = concerning.flatMap(({ rows }) => rows)
    if (key && known.some((one) => key.every((field) => show(one[field]) === show(row[field])))) {
      this.entries.exact++
      return true
    }
    const hasUnknown = known.some((one) => !key || !key.every((field) => one[field] !== undefined))
    if (isWhole || hasUnknown) this.entries.whole++
    return isWhole || hasUnknown
  }

  #areAnnouncedThrough(name: string, lookup: WatchedLookup, before: Snapshot, after: Snapshot): boolean {
    if (lookup.through === undefined) return true
    const relation = `${name}.${lookup.through}`
    const [former, joined] = [listedRows(name, relation, before), listedRows(name, relation, after)]
    const [rowsBefore, rowsAfter] = [rowsById(name, before), rowsById(name, after)]
    const changed = [
      // Readers find out that a row is gone.
      ...[...former].filter(([text, { id }]) => !joined.has(text) && rowsAfter.has(id)),
      ...[...joined].filter(
        ([text, { id }]) => !former.has(text) || enters(lookup, rowsBefore.get(id), rowsAfter.get(id)!),
      ),
    ].map(([, listed]) => listed)
    return changed.every(({ key }) => this.#isAnnouncedThrough(name, lookup, key))
  }

  #isAnnouncedThrough(model: string, { fields, key: names, through }: WatchedLookup, key: Args): boolean {
    const announced = this.#announced(model)
    const rows = announced.through.flatMap(({ relation, rows }) => (relation === through ? rows : []))
    if (rows.some((row) => names!.every((field) => show(row[field]) === show(key[field])))) {
      this.entriesThrough.exact++
      return true
    }
    const isWhole =
      announced.isWhole ||
      rows.some((row) => names!.some((field) => row[field] === undefined)) ||
      announced.entered.some(({ changed }) => fields!.some((field) => changed?.has(field)))
    if (isWhole) this.entriesThrough.whole++
    return isWhole
  }

  #announced(model: string): Announced {
    const known = this.#fenced.get(model) ?? { isWhole: false, entered: [], through: [] }
    this.#fenced.set(model, known)
    return known
  }
}

function lookupOf({ fields, relations, caches }: Model, random: Random): WatchedLookup {
  if (random.chance(5)) return { key: undefined, fields: undefined, through: undefined }
  const foreign = Object.values(relations).flatMap((relation) => relation.fields)
  const names = Object.keys(fields).filter((name) => !fields[name]!.isList && fields[name]!.type !== 'Json')
  const one = (): string => random.pick(foreign.length > 0 && random.chance(60) ? foreign : names)
  const key = [...new Set([one(), ...(random.chance(25) ? [one()] : [])])]
  // The order of a list ends with the id.
  const watched = [...random.some(names, 25), ...caches[0]!]
  return { key, fields: [...new Set([...key, ...watched])], through: undefined }
}

function lookupThrough(
  { field, model, target }: (typeof joinRelations)[number],
  random: Random,
): WatchedLookup {
  const watched = [...random.some(Object.keys(model.fields), 10), ...model.caches[0]!]
  return { key: target.unique[0]!.fields, fields: [...new Set(watched)], through: field }
}

/** A row by its id in the cache, in the entry of a row at the other side of a relation. */
interface Listed {
  readonly id: string
  readonly key: Args
}

/** Entries name rows by their ids, whatever the primary keys by which join tables name them. */
function listedRows(model: string, relation: string, snapshot: Snapshot): ReadonlyMap<string, Listed> {
  const keyOf = (row: Args): string => show(models[model]!.unique[0]!.fields.map((field) => row[field]))
  const ids = new Map(snapshot.get(model)?.map((row) => [keyOf(row), idOf(model, row)]))
  const listed = (snapshot.get(relation) ?? []).map(({ row, key }) => ({
    id: ids.get(keyOf(row as Args))!,
    key: key as Args,
  }))
  return new Map(listed.map((one) => [show(one), one]))
}

function rowsById(model: string, snapshot: Snapshot): ReadonlyMap<string, Args> {
  return new Map(snapshot.get(model)?.map((row) => [idOf(model, row), row]))
}

function idOf(model: string, row: Args): string {
  return show(models[model]!.caches[0]!.map((field) => row[field]))
}

/** Whether a row may have entered an entry of a lookup, or moved in one. */
function enters({ fields }: WatchedLookup, old: Args | undefined, row: Args): boolean {
  return !old || (fields ?? Object.keys(row)).some((field) => show(old[field]) !== show(row[field]))
}
