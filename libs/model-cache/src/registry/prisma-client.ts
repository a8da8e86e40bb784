import { invalidOptionError, missingPrismaError, prismaInternalsError } from '../configuration-errors.js'
import type { ConsistencyOptions, ModelCacheWrites } from '../protocol/index.js'
import { coordinatorOf, readsReplica } from '../source/prisma/extended-clients.js'
import { verifyHooks } from '../source/prisma/reads/verify-hooks.js'
import { verifyReads } from '../source/prisma/reads/verify-reads.js'
import { verifyExtension } from '../source/prisma/verify-extension.js'
import { verifyProvider } from '../source/prisma/verify-provider.js'
import { schemaFactsOf } from '../source/prisma/schema/describe-schema.js'
import type { AnyBoundDefinition } from '../definitions/bind-definition.js'
import { verifyModels } from '../definitions/verify-definition.js'
import { createLoadSource } from '../source/load-source.js'
import {
  createPrismaLoadSource,
  createPrismaSource,
  verifyPrismaSource,
} from '../source/prisma/prisma-source.js'
import type { Source } from '../source/source.js'

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

/**
 * @param names of the two, for the message
 * @throws ConfigurationError unless the first is the client of the primary of PostgreSQL whose standby the second one reads
 */
export function verifyPrimary(
  primary: object | undefined,
  standby: object,
  names: readonly [primary: string, standby: string] = ['a client', 'a client'],
): asserts primary is object {
  const isExtended = primary !== undefined && coordinatorOf(primary) === coordinatorOf(standby)
  if (
    isExtended &&
    readsReplica(standby) &&
    !readsReplica(primary) &&
    schemaFactsOf(standby).provider === 'postgresql'
  )
    return
  throw invalidOptionError(
    'primary',
    names[0],
    'the client that writes to the primary, extended for the same caches, beside a `prisma` of a standby of PostgreSQL that is extended ' +
      `with { replica: true }; \`prisma\` is ${names[1]}`,
  )
}

/** @throws ConfigurationError when Prisma does not know the model, its id or its selection */
export async function createSource(
  definition: AnyBoundDefinition,
  prisma: object | undefined,
  primary?: object,
): Promise<Source<unknown, unknown>> {
  const models = prisma && schemaFactsOf(prisma).models
  if (models) verifyModels(models, definition)
  const { name, model, idFields, selection, schema, load } = definition
  if (load) {
    return prisma
      ? createPrismaLoadSource(load, prisma, { ...definition, primary })
      : createLoadSource(load, prisma)
  }
  if (!prisma)
    throw missingPrismaError(
      name,
      'the registry has started without a client',
      'Give `start` the extended Prisma client, or the definition a `load`.',
    )
  const options = { name, model, idFields, ...selection, primary }
  // A derived selection is what the Prisma schema says.
  if (schema) await verifyPrismaSource(prisma, options)
  return createPrismaSource(prisma, options)
}
