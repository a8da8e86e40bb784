import { prismaInternalsError } from '../configuration-errors.js'
import type { ConsistencyOptions, ModelCacheWrites } from '../protocol/index.js'
import { coordinatorOf } from '../source/prisma/extended-clients.js'
import { verifyHooks } from '../source/prisma/reads/verify-hooks.js'
import { verifyReads } from '../source/prisma/reads/verify-reads.js'
import { verifyExtension } from '../source/prisma/verify-extension.js'
import { verifyProvider } from '../source/prisma/verify-provider.js'

interface LossesOptions {
  readonly writes?: 'manual'
  readonly consistency?: ConsistencyOptions
}

/**
 * Describes which consistency guarantees this client does not give; empty if it gives all of them.
 *
 * @throws ConfigurationError in strict mode, if an extended client behaves differently than expected; in any mode, if query
 *   extensions would miss queries that `reads` answers
 */
export async function lossesWith(
  prisma: object,
  writes: ModelCacheWrites,
  options: LossesOptions,
): Promise<readonly string[]> {
  const mode = options.consistency?.mode ?? 'available'
  const coordinator = coordinatorOf(prisma)
  if (coordinator !== writes) {
    if (!coordinator && options.writes === 'manual') return []
    const strict = mode === 'strict' ? ", and mode 'strict' has no effect" : ''
    const problem = coordinator
      ? 'announces its writes to the caches of another root'
      : 'is not extended, so that its writes leave outdated rows in the cache until `invalidate` is called'
    const remedy =
      'Provide it with provideExtendedPrisma, or without Nest, give the `writes` of its registry to extendPrisma. With ' +
      "`writes: 'manual'`, you call `invalidate` yourself"
    return [`The Prisma client ${problem}${strict}. ${remedy}`]
  }
  const losses = await verifyExtension(prisma)
  if (losses.length > 0 && mode === 'strict') throw prismaInternalsError(losses)
  // A query that the database answers is never wrong, so that strict mode allows it.
  return [...losses, ...verifyProvider(prisma), ...verifyHooks(prisma), ...(await verifyReads(prisma))]
}
