import { InvalidIdError } from '../errors.js'
import type { GuardedKey } from '../store/store.js'
import { bucketTags } from './bucket-tags.js'
import { hashOf } from './hash.js'
import type { RowId } from './row-id.js'

/**
 * The keys of one model. The braces are a cluster's hash tag: all keys of a row share one slot, and the rows of a bucket do,
 * so that a cluster is asked for many rows with one command.
 *
 * ```
 * <namespace>:{<name>:<bucket>}:<id>:<fingerprint>      a row
 * <namespace>:{<name>:<bucket>}:<id>:<fingerprint>:l    who may write it
 * <namespace>:{<name>}:register                         what all processes know of the model
 * <namespace>:{<name>}:written                          the channel on which they tell of writes
 * <namespace>:{catalogue}                               which caches there are
 * <namespace>:{catalogue}:word                          the word of the catalogue, without which no row counts
 * ```
 */
export interface KeySpace<Row, Id> {
  readonly registerKey: string
  /** Over which processes tell each other of writes. */
  readonly channel: string
  /** @throws InvalidIdError */
  toRowId(id: Id): RowId
  /** The id as it is now: fields of a composite id, copied. */
  snapshot(id: Id): Id
  /** @throws InvalidIdError */
  rowIdOf(row: Row): RowId
  /** Whether a row, which may be anybody's, is this one. */
  isRow(row: Row, rowId: RowId): boolean
  /** The key of a row. */
  keyOf(rowId: RowId): string
  /** The key of a row of another schema version, and its guard. */
  guardedKeyOf(rowId: RowId, fingerprint: string): GuardedKey
}

/** The keys of a model as a whole. */
export function modelKeys(
  namespace: string,
  name: string,
): Pick<KeySpace<unknown, unknown>, 'registerKey' | 'channel'> {
  return { registerKey: `${namespace}:{${name}}:register`, channel: `${namespace}:{${name}}:written` }
}

/** The key of the catalogue; see {@link Catalogue}. */
export function catalogueKey(namespace: string): string {
  return `${namespace}:{catalogue}`
}

/** The guard of a row, by its key. */
export function guardOf(key: string): string {
  return `${key}:l`
}

/** What keys of one bucket, and no others, have in common. */
export function bucketOf(key: string): string {
  return key.slice(0, key.indexOf('}'))
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

/** The kinds of id fields, and how a value of each is told from one that is not. */
const idKinds = {
  // Text that is not well formed does not survive UTF-8, so two such ids could share a key.
  // NUL is what PostgreSQL refuses in a text; one such id would fail the query of all.
  string: {
    expected: 'a well-formed string without NUL',
    accepts: (value) => typeof value === 'string' && value.isWellFormed() && !value.includes('\0'),
  },
  number: {
    expected: 'a finite number, safe if it is whole',
    accepts: (value) => Number.isFinite(value) && (Number.isSafeInteger(value) || !Number.isInteger(value)),
  },
  bigint: { expected: 'a bigint', accepts: (value) => typeof value === 'bigint' },
} satisfies Record<string, { expected: string; accepts(value: unknown): boolean }>

export function createKeySpace<Row, Id>(options: {
  readonly namespace: string
  readonly name: string
  /** How many buckets the rows of the model are divided into: a power of two, up to 1,024. */
  readonly buckets: number
  readonly id: readonly IdField[]
  readonly fingerprint: string
}): KeySpace<Row, Id> {
  const { namespace, name, buckets, id, fingerprint } = options
  const before = bucketTags(name, buckets).map((tag) => `${namespace}:{${tag}}:`)
  const after = `:${fingerprint}`
  const rowOf = (rowId: RowId): string => {
    const id = String(rowId)
    return before[hashOf(id) & (buckets - 1)] + id
  }
  const keyOf = (rowId: RowId): string => rowOf(rowId) + after
  const guardedKeyOf = (rowId: RowId, print: string): GuardedKey => {
    const key = `${rowOf(rowId)}:${print}`
    return { key, guard: guardOf(key) }
  }
  const parts = id.map((field) => ({ field: field.name, ...idKinds[field.kind] }))
  const common = { ...modelKeys(namespace, name), keyOf, guardedKeyOf }

  if (parts.length === 1) {
    const { field, expected, accepts } = parts[0]!
    const toRowId = (id: unknown): RowId => {
      if (!accepts(id)) throw new InvalidIdError(name, expected, id)
      return id as RowId
    }
    const rowIdOf = (row: Row): RowId => toRowId((row as Record<string, unknown>)[field])
    const isRow = (row: Row, rowId: RowId): boolean => (row as Record<string, unknown>)[field] === rowId
    return { ...common, toRowId, snapshot: (id) => id, rowIdOf, isRow }
  }

  const expected = `an object { ${parts.map((part) => `${part.field}: ${part.expected}`).join(', ')} }`
  const toRowId = (id: unknown): RowId => {
    const fields = id as Record<string, unknown> | null | undefined
    let rowId = ''
    for (let i = 0; i < parts.length; i++) {
      const { field, accepts } = parts[i]!
      const value = fields?.[field]
      if (!accepts(value)) throw new InvalidIdError(name, expected, id)
      if (i > 0) rowId += ':'
      rowId += escapePart(String(value))
    }
    return rowId
  }
  const snapshot = (id: Id): Id => {
    const copy: Record<string, unknown> = {}
    for (const { field } of parts) copy[field] = (id as Record<string, unknown>)[field]
    return copy as Id
  }
  const isRow = (row: Row, rowId: RowId): boolean => {
    try {
      return toRowId(row) === rowId
    } catch {
      return false
    }
  }
  return { ...common, toRowId, snapshot, rowIdOf: toRowId, isRow }
}

/** Keeps `a:b` + `c` apart from `a` + `b:c`. */
const escapePart = (text: string): string =>
  text.includes('%') || text.includes(':') ? text.replaceAll('%', '%25').replaceAll(':', '%3A') : text
