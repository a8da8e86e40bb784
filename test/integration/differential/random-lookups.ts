/** Lookups of the models, chosen at random, and whether writes have announced each row that enters one of them. */
import type { WatchedLookup, WriteUnit, WrittenRow } from 'model-cache/advanced'
import { type Model, models } from './models.ts'
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
}

/** How rows that entered a lookup were announced: by their keys, or with all entries of their model. */
export interface Entries {
  exact: number
  whole: number
}

export class RandomLookups {
  readonly entries: Entries = { exact: 0, whole: 0 }
  readonly #lookups = new Map<string, readonly WatchedLookup[]>()
  readonly #fenced = new Map<string, Announced>()

  choose(random: Random): void {
    this.#lookups.clear()
    for (const model of Object.values(models)) {
      const lookups = Array.from({ length: random.below(4) }, () => lookupOf(model, random))
      this.#lookups.set(model.name, lookups)
    }
  }

  of(model: string): readonly WatchedLookup[] {
    return this.#lookups.get(model) ?? []
  }

  /** A unit whose announcements count from its next fence on. */
  watch(unit: WriteUnit): WriteUnit {
    let marks: (() => void)[] = []
    const seen: Partial<WriteUnit> = {
      markAllWritten: (model) => marks.push(() => (this.#announced(model).isWhole = true)),
      markCreated: (model) => marks.push(() => (this.#announced(model).isWhole = true)),
      markEntered: (model, rows, changed) =>
        marks.push(() => this.#announced(model).entered.push({ rows, changed })),
      fence: async () => {
        for (const mark of marks) mark()
        marks = []
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

  /** A row that has entered a lookup of one of these models unannounced, for people. */
  unannounced(names: ReadonlySet<string>, before: Snapshot, after: Snapshot): string | undefined {
    for (const [name, rows] of after) {
      if (!names.has(name) || rows === before.get(name)) continue
      const former = new Map(before.get(name)?.map((row) => [idOf(name, row), row]))
      for (const row of rows)
        for (const lookup of this.of(name)) {
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

  #announced(model: string): Announced {
    const known = this.#fenced.get(model) ?? { isWhole: false, entered: [] }
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

function idOf(model: string, row: Args): string {
  return show(models[model]!.caches[0]!.map((field) => row[field]))
}

/** Whether a row may have entered an entry of a lookup, or moved in one. */
function enters({ fields }: WatchedLookup, old: Args | undefined, row: Args): boolean {
  return !old || (fields ?? Object.keys(row)).some((field) => show(old[field]) !== show(row[field]))
}
