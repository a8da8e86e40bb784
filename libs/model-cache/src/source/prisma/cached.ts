import { invalidOptionError } from '../../configuration-errors.js'
import { type CachedOptions, isOfTransaction, withCached } from './client-extensions.js'
import { readsOf, startedResultsOf } from './reads/answer-reads.js'

const known: ReadonlySet<string> = new Set([
  'ttl',
  'staleFor',
  'tables',
  'tags',
  'mayBeStale',
] satisfies (keyof CachedOptions)[])

/** Each of them is one key more in every read. */
const maxTags = 10

/** @throws ConfigurationError */
export function verifyTags(tags: readonly string[], option: string): void {
  const isTag = (tag: unknown): boolean => typeof tag === 'string' && tag !== ''
  if (!Array.isArray(tags) || !tags.every(isTag))
    throw invalidOptionError(option, tags, "a list of texts, as ['tenant:42']")
}

/**
 * Returns a view of an extended client whose queries are answered by results of the same queries, whatever models they read: until one of
 * these is written, or the `ttl` ends, which is a day at most. With `false`, the database answers.
 *
 * `invalidateTags` ends results with `tags` at once, whatever has been written.
 *
 * Raw queries are answered as well if `tables` names the models that they read. Writes, and queries in transactions, are those of the client: of a transaction, the view is its client itself.
 *
 * @param client of `extendPrisma` or `provideExtendedPrisma`, with `reads`
 * @throws ConfigurationError
 * @example
 * const top = await cached(prisma, { ttl: '1m' }).item.groupBy({ by: ['category'], _count: true })
 * const sums = await cached(prisma, { ttl: '1m', tables: ['AuctionBid'] }).$queryRaw`SELECT sum(amount) FROM "AuctionBid"`
 */
export function cached<Client extends object>(client: Client, options: CachedOptions | false): Client {
  const reads = readsOf(client)
  if (!reads) throw invalidOptionError('reads', undefined, 'set for a client whose queries `cached` answers')
  if (options === false) return (client as { readonly $uncached?: Client }).$uncached ?? client
  for (const [name, value] of Object.entries(options ?? {}))
    if (!known.has(name)) throw invalidOptionError(`cached.${name}`, value, 'no such option')
  if (options?.ttl === undefined)
    throw invalidOptionError('cached.ttl', undefined, "for how long results are kept, as '1m'")
  const { tables = [], tags = [] } = options
  verifyTags(tags, 'cached.tags')
  if (tags.length > maxTags) throw invalidOptionError('cached.tags', tags, `${maxTags} tags at most`)
  const models = reads.facts.models
  const unknown = tables.find((name) => !models.get(name)?.isVisible || models.get(name)?.isView)
  if (unknown !== undefined)
    throw invalidOptionError('cached.tables', unknown, 'models of the Prisma schema, which are no views')
  // A view of it would send its queries, and writes, outside of the transaction.
  return isOfTransaction(client) ? client : (withCached(client, options) as Client)
}

/**
 * Ends all results that a `cached` with one of these tags has kept, in all processes: at once, or with the transaction
 * of the caller. A result with a tag that shares a register may end with them.
 *
 * @throws ConfigurationError for a client without `reads`
 * @throws ModelCacheError (`E_NOT_STARTED`)
 * @example
 * await invalidateTags(prisma, ['tenant:42'])
 */
export async function invalidateTags(client: object, tags: readonly string[]): Promise<void> {
  const reads = readsOf(client)
  if (!reads) throw invalidOptionError('reads', undefined, 'set for a client whose results have tags')
  verifyTags(tags, 'invalidateTags.tags')
  await startedResultsOf(reads).invalidateTags(tags)
}
