import { invalidOptionError } from '../../configuration-errors.js'
import { type CachedOptions, withCached } from './client-extensions.js'
import { readsOf } from './reads/answer-reads.js'

const known: ReadonlySet<string> = new Set([
  'ttl',
  'staleFor',
  'tables',
  'mayBeStale',
] satisfies (keyof CachedOptions)[])

/**
 * Returns a view of an extended client whose queries are answered by results of the same queries, whatever models they read: until one of
 * these is written, or the `ttl` ends, which is a day at most. With `false`, the database answers.
 *
 * Raw queries are answered as well if `tables` names the models that they read. Writes, and queries in transactions, are those of the client.
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
  const { tables = [] } = options
  const models = reads.facts.models
  const unknown = tables.find((name) => !models.get(name)?.isVisible || models.get(name)?.isView)
  if (unknown !== undefined)
    throw invalidOptionError('cached.tables', unknown, 'models of the Prisma schema, which are no views')
  return withCached(client, options) as Client
}
