import type { Source } from '../../source/source.js'
import type { BoundLookup } from '../policy/lookup-options.js'
import type { EntryKeys } from './entry-keys.js'
import type { LookupEntry } from './lookup-entry.js'
import type { Matcher } from './matcher.js'

export interface LookupSourceOptions<Row, Id> {
  readonly lookup: BoundLookup
  readonly matcher: Matcher
  readonly keys: EntryKeys<Row>
  /** The source of the rows. */
  readonly source: Source<Row, Id>
  /** Returns the id of a row, without anything that changes with the row. */
  readonly idOf: (row: Row) => unknown
  /** Called with the number of lists that are too long to be stored. */
  readonly onTooLong: (lists: number) => void
}

type Fields = Readonly<Record<string, unknown>>

/** Keys of one query. Compound ones cost Prisma noticeable time each. */
const keysPerQuery = { single: 500, compound: 50 }

/**
 * Loads entries together with their rows: the keys of one call are one query. A key whose rows are limited is a query of its own, as
 * SQL limits whole results.
 */
export function createLookupSource<Row, Id>({
  idOf,
  keys,
  lookup,
  matcher,
  onTooLong,
  source,
}: LookupSourceOptions<Row, Id>): Source<LookupEntry<Row>, unknown> {
  const { by, limit, orderBy, where } = lookup
  const isConditional = Object.keys(where).length > 0
  const most = by.length > 1 ? keysPerQuery.compound : keysPerQuery.single
  // Rows that are found through a relation do not show by which of several keys.
  const isShareable = limit === undefined && matcher.rowsHoldKey
  return {
    maxIds: isShareable ? Math.min(most, source.maxIds ?? most) : 1,
    load,
    isOwnTransaction: (client) => source.isOwnTransaction?.(client) ?? true,
    isCanonical: keys.isComparable,
    watchLoad: source.watchLoad,
    primary: source.primary,
    canonicalOf: (key) => (keys.isComparable(key) ? key : undefined),
    mayBlameOneId: (error) => source.mayBlameOneId(error),
  }

  async function load(requested: readonly unknown[], client?: object): Promise<LookupEntry<Row>[]> {
    const byForm = Map.groupBy(requested, (key) => keys.isComparable(key))
    const together = byForm.get(true) ?? []
    if (together.length < 2) return loadEach(requested, client)
    // Only the database knows which rows the others have: a row of one of them may show one of these.
    const others = byForm.get(false) ?? []
    return [...(await loadSeveral(together, client)), ...(await loadEach(others, client))]
  }

  async function loadOne(key: unknown, client?: object): Promise<readonly LookupEntry<Row>[]> {
    const loadedAtMs = performance.now()
    const rows = await find(conditionOf(lookup, key), client)
    const text = keys.textOf(key)
    // The database may take a row for one of this key that has another value.
    const areExact = !matcher.rowsHoldKey || rows.every((row) => matcher.keyOf(row as Fields) === text)
    return entryOf(key, { rows, areExact, loadedAtMs, client })
  }

  async function loadSeveral(requested: readonly unknown[], client?: object): Promise<LookupEntry<Row>[]> {
    const loadedAtMs = performance.now()
    const rows = await find(anyOf(lookup, requested), client)
    const groups = requested.map((): Row[] => [])
    const byKey = new Map(requested.map((key, i) => [keys.textOf(key), groups[i]!]))
    for (const row of rows) {
      const group = byKey.get(matcher.keyOf(row as Fields) ?? '')
      // Only the database knows which of the keys the row belongs to.
      if (!group) return loadEach(requested, client)
      group.push(row)
    }
    return requested.flatMap((key, i) =>
      entryOf(key, { rows: groups[i]!, areExact: true, loadedAtMs, client }),
    )
  }

  async function loadEach(requested: readonly unknown[], client?: object): Promise<LookupEntry<Row>[]> {
    const entries: LookupEntry<Row>[] = []
    // In sequence: a transaction has one connection, and the load one permit.
    for (const key of requested) entries.push(...(await loadOne(key, client)))
    return entries
  }

  function find(condition: object, client: object | undefined): Promise<readonly Row[]> {
    const query = { where: isConditional ? { AND: [where, condition] } : condition, orderBy }
    return source.find!(limit === undefined ? query : { ...query, take: limit }, client)
  }

  /** @returns the entry; nothing for a unique key that no row has */
  function entryOf(key: unknown, { areExact, client, loadedAtMs, rows }: Loaded<Row>): LookupEntry<Row>[] {
    if (lookup.kind === 'unique' && rows.length === 0) return []
    const isShort = limit !== undefined || rows.length <= lookup.maxRows
    if (!isShort) onTooLong(1)
    // The condition must hold here as it does in the database, as each read checks it here.
    const isStorable =
      areExact && isShort && keys.isComparable(key) && rows.every((row) => matcher.fulfils(row as Fields))
    const orderDigest = matcher.orderDigestOf(rows)
    const mayLag = source.primary !== undefined && client === undefined
    return [{ key: keys.textOf(key), ids: rows.map(idOf), orderDigest, rows, isStorable, loadedAtMs, mayLag }]
  }
}

/** What the database has for a key. */
interface Loaded<Row> {
  readonly rows: readonly Row[]
  readonly areExact: boolean
  readonly loadedAtMs: number
  readonly client: object | undefined
}

function conditionOf({ by, description, isCompound, through }: BoundLookup, key: unknown): Fields {
  if (through !== undefined) return { [through]: { some: { [description.key[0]!.name]: key } } }
  if (!isCompound) return { [by[0]!]: key }
  return Object.fromEntries(by.map((field) => [field, (key as Fields)[field]]))
}

function anyOf(lookup: BoundLookup, requested: readonly unknown[]): object {
  const conditions = requested.map((key) => conditionOf(lookup, key))
  const { by, description } = lookup
  // Prisma has no `in` for truth values.
  if (by.length > 1 || description.key[0]!.kind === 'boolean') return { OR: conditions }
  const [field] = by
  return { [field!]: { in: conditions.map((condition) => condition[field!]) } }
}
