/** Why a query goes to the database. A fixed set of values, suitable as a metric label. */
export type BypassReason =
  /** It is part of a transaction, or runs while the caller is in one. */
  | 'transaction'
  /** Another operation than those that are answered: `aggregate`, `groupBy`. */
  | 'operation'
  /** The `where` is not exactly an id, or a list of ids, of a cache, nor what one of its lookups finds. */
  | 'condition'
  /** An id, or the key of a lookup, is missing, of another type than its field, or in another form than a row has it. */
  | 'id_value'
  /** It names more ids or keys than one statement has parameters for: Prisma divides the query, or refuses it. */
  | 'too_many_ids'
  /** It asks for relations, or for `_count`, that no caches have. */
  | 'relations'
  /** It asks for fields that the cache lacks, or for none. */
  | 'fields'
  /** The database alone knows the order of the rows. */
  | 'order'
  /** `take`, `skip`, `cursor` or `distinct` that could leave out rows, or that is not the length of the list. */
  | 'paging'
  /** It wants a part of a list, or its length: to read all of its rows costs this process more than the database's answer. */
  | 'costs'
  /** An argument that is none of the above, or is not a plain value. */
  | 'argument'
  /** The row does not exist, and Prisma has an error for that. */
  | 'not_found'
  /** A row is missing to which another row leads. One of them was read before a write, the other after it. */
  | 'apart'
  /** It was sent through `$uncached`. */
  | 'uncached'
  /** The cache does not exist yet, or cannot answer queries. */
  | 'not_registered'
  /** Prisma behaves differently than expected, or an extension replaces how queries are sent. */
  | 'unsupported_client'
  /** The cache has failed. */
  | 'error'

/** `'shadowed'`: the database answered, and the cache was compared with it. `'result'`: the result of the same query answered. */
export type QueryOutcome = 'answered' | 'shadowed' | 'result' | BypassReason

/** Reasons by how far planning got, the furthest last. */
const closeness: readonly BypassReason[] = [
  'condition',
  'id_value',
  'too_many_ids',
  'relations',
  'fields',
  'argument',
  'order',
  'paging',
]

/** The reason of what came closer to an answer. */
export function closestOf(one: BypassReason | undefined, other: BypassReason): BypassReason {
  return one !== undefined && closeness.indexOf(one) >= closeness.indexOf(other) ? one : other
}
