import slotOf from 'cluster-key-slot'
import { InvalidIdError } from '../../errors.js'
import type { GuardedKey } from '../backend/store.js'
import { hashOf } from './hash.js'
import { entryIn, escapePart, expectedFields, keyKinds } from './lookup-key.js'
import type { RowId } from './row-id.js'

/**
 * The keys of one model. The braces are a cluster's hash tag: all keys of a bucket share one slot, so that one command can read
 * many rows from a cluster.
 *
 * ```
 * <namespace>:{<name>:<bucket>}:<id>:<fingerprint>              a row
 * <namespace>:{<name>:<bucket>}:<id>:<fingerprint>:l            its guard
 * <namespace>:{<name>:<bucket>}:<lookup>=<key>:<fingerprint>    an entry of a lookup; its guard is like that of a row
 * <namespace>:{<name>}:register                                 the model's epochs, fences and fingerprints
 * <namespace>:{<name>}:written                                  the channel that announces its writes
 * <namespace>:{catalogue}                                       the caches of the namespace
 * <namespace>:{catalogue}:epoch                                  the catalogue epoch, without which no row counts
 * <namespace>:{databases}                                       the processes, and the database that each reads
 * <namespace>:{warm}:<caches>                                   the lease of the process that has warmed these caches up
 * ```
 */
export interface KeySpace<Row, Id> extends ModelKeys {
  /** @throws InvalidIdError */
  toRowId(id: Id): RowId
  /** Copies what can change of an id, such as the fields of a composite one, so that later changes have no effect. */
  snapshot(id: Id): Id
  /** @throws InvalidIdError */
  rowIdOf(row: Row): RowId
  /** Whether a row, of any id, has this row id. */
  isRow(row: Row, rowId: RowId): boolean
  /**
   * The key of a row.
   *
   * @param hash `hashOf` the row id, for callers that need it as well
   */
  keyOf(rowId: RowId, hash?: number): string
  /** The key and guard of a row under any fingerprint, or of the entry of a lookup, which has one fingerprint. */
  guardedKeyOf(rowId: RowId, fingerprint: string): GuardedKey
}

/** The keys of a model as a whole. */
export interface ModelKeys {
  readonly registerKey: string
  /** The channel that announces writes to other processes. */
  readonly channel: string
}

export function modelKeys(namespace: string, name: string): ModelKeys {
  return { registerKey: `${namespace}:{${name}}:register`, channel: `${namespace}:{${name}}:written` }
}

/** The key of the catalogue; see {@link Catalogue}. */
export function catalogueKey(namespace: string): string {
  return `${namespace}:{catalogue}`
}

/** The key of the catalogue epoch. */
export function catalogueEpochKey(namespace: string): string {
  return `${catalogueKey(namespace)}:epoch`
}

/** The key of the databases that processes read; see {@link DatabaseEntries}. */
export function databasesKey(namespace: string): string {
  return `${namespace}:{databases}`
}

/** The beginning of the keys whose leases have processes that warm caches up, or have done so of late; and of the channels of that. */
export function warmKey(namespace: string): string {
  return `${namespace}:{warm}`
}

/** The key of a row's guard. */
export function guardOf(key: string): string {
  return `${key}:l`
}

/** The prefix that all keys of one bucket share, and no others. */
export function bucketOf(key: string): string {
  return key.slice(0, key.indexOf('}'))
}

/** The parts of the key of a row, or of another key of its form; undefined for one of another form. */
export function rowKeyIn(
  namespace: string,
  key: string,
): { readonly name: string; readonly rowId: string; readonly fingerprint: string } | undefined {
  const before = `${namespace}:{`
  const end = key.indexOf('}:', before.length)
  if (!key.startsWith(before) || end < 0) return undefined
  const tag = key.slice(before.length, end)
  const row = key.slice(end + 2)
  const [name, id] = [tag.lastIndexOf(':'), row.lastIndexOf(':')]
  if (name < 1 || id < 0) return undefined
  return { name: tag.slice(0, name), rowId: row.slice(0, id), fingerprint: row.slice(id + 1) }
}

/** A field of the id of a model. */
export interface IdField {
  readonly name: string
  readonly kind: IdKind
}

export type IdKind = keyof typeof idKinds

export function isIdKind(kind: unknown): kind is IdKind {
  return typeof kind === 'string' && Object.hasOwn(idKinds, kind)
}

const { bigint, date, day, number, string } = keyKinds

/** The kinds of keys that id fields have. */
const idKinds = { string, number, bigint, date, day }

/** The kinds whose values are objects. */
const dateKinds: ReadonlySet<IdKind> = new Set(['date', 'day'])

export function createKeySpace<Row, Id>(options: {
  readonly namespace: string
  readonly name: string
  /** The number of buckets that the model's rows are divided into: a power of two, up to 1,024. */
  readonly buckets: number
  readonly id: readonly IdField[]
  readonly fingerprint: string
  /** What stands for an id, or for the key of an entry. @default the id itself */
  readonly hashId?: ((text: string) => string) | undefined
  /** The lookups of the model; an entry has the fingerprint of its lookup. */
  readonly lookups?: readonly { readonly name: string; readonly fingerprint: string }[]
}): KeySpace<Row, Id> {
  const { namespace, name, buckets, hashId, id, lookups = [] } = options
  const before = bucketTags(name, buckets).map((tag) => `${namespace}:{${tag}}:`)
  const after = `:${options.fingerprint}`
  const fingerprints = new Map(lookups.map((lookup) => [lookup.name, lookup.fingerprint]))
  const inBucket = (text: string, hash = hashOf(text)): string => before[hash & (buckets - 1)] + text
  // The bucket of a hashed id says nothing of the id either.
  const rowOf: (rowId: RowId, hash?: number) => string = hashId
    ? (rowId) => inBucket(hashId(String(rowId)))
    : (rowId, hash) => inBucket(String(rowId), hash)
  const textOfKey = hashId ?? ((key: string) => key)
  const keyOf = (rowId: RowId, hash?: number): string => rowOf(rowId, hash) + after
  const guardedKeyOf = (rowId: RowId, fingerprint: string): GuardedKey => {
    const entry = entryIn(rowId)
    const key = entry
      ? `${inBucket(`${entry.lookup}=${textOfKey(entry.key)}`)}:${fingerprints.get(entry.lookup)}`
      : `${rowOf(rowId)}:${fingerprint}`
    return { key, guard: guardOf(key) }
  }
  const parts = id.map((field) => ({ field: field.name, ...idKinds[field.kind] }))
  const [{ accepts, expected, field }] = parts as [(typeof parts)[number]]
  const common = { ...modelKeys(namespace, name), keyOf, guardedKeyOf }

  if (parts.length === 1 && !dateKinds.has(id[0]!.kind)) {
    const toRowId = (id: unknown): RowId => {
      if (!accepts(id)) throw new InvalidIdError(name, expected, id)
      return id as RowId
    }
    const rowIdOf = (row: Row): RowId => toRowId((row as Record<string, unknown>)[field])
    const isRow = (row: Row, rowId: RowId): boolean => (row as Record<string, unknown>)[field] === rowId
    return { ...common, toRowId, snapshot: (id) => id, rowIdOf, isRow }
  }

  const expectedOfAll = expectedFields(id)
  const rowIdOf = (row: unknown): RowId => {
    const fields = row as Record<string, unknown> | null | undefined
    let rowId = ''
    for (let i = 0; i < parts.length; i++) {
      const { field, accepts } = parts[i]!
      const value = fields?.[field]
      if (!accepts(value)) throw new InvalidIdError(name, expectedOfAll, row)
      if (i > 0) rowId += ':'
      rowId += escapePart(String(value instanceof Date ? value.getTime() : value))
    }
    return rowId
  }
  const isRow = (row: Row, rowId: RowId): boolean => {
    try {
      return rowIdOf(row) === rowId
    } catch {
      return false
    }
  }
  if (parts.length === 1) {
    const toRowId = (id: unknown): RowId => {
      if (!accepts(id)) throw new InvalidIdError(name, expected, id)
      return String((id as Date).getTime())
    }
    return { ...common, toRowId, snapshot: copied, rowIdOf, isRow }
  }
  const snapshot = (id: Id): Id => {
    const copy: Record<string, unknown> = {}
    for (const { field } of parts) copy[field] = copied((id as Record<string, unknown>)[field])
    return copy as Id
  }
  return { ...common, toRowId: rowIdOf, snapshot, rowIdOf, isRow }
}

/** Dates can be changed. */
function copied<T>(value: T): T {
  return value instanceof Date ? (new Date(value) as T) : value
}

/** The number of slots in a Valkey or Redis cluster. */
export const slotCount = 16_384

/**
 * Chooses hash tags for the buckets of a model, `<name>:<n>`, with evenly spread cluster slots: bucket i of b has its slot in
 * the i-th of b equal ranges. All tools assign slots to nodes in ranges, so the nodes get equal
 * shares of the buckets, give or take one. Each number is the smallest one with such a slot, so all processes choose the same.
 *
 * @param count a power of two, up to 1,024
 */
export function bucketTags(name: string, count: number): readonly string[] {
  const tags = Array<string | undefined>(count).fill(undefined)
  const rangeSize = slotCount / count
  for (let n = 0, found = 0; found < count; n++) {
    const tag = `${name}:${n}`
    const bucket = Math.floor(slotOf(tag) / rangeSize)
    if (tags[bucket] !== undefined) continue
    tags[bucket] = tag
    found++
  }
  return tags as readonly string[]
}
