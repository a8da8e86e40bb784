import type { ModuleRef } from '@nestjs/core'
import type { AnyModelCacheDefinition } from '../cache/policy/definition.js'
import type { ModelCacheWrites } from '../protocol/index.js'
import type { AnyBoundDefinition } from '../definitions/bind-definition.js'
import { verifyModels } from '../definitions/verify-definition.js'
import {
  invalidOptionError,
  missingPrismaError,
  ofMocks,
  prismaInternalsError,
} from '../configuration-errors.js'
import { createLoadSource } from '../source/load-source.js'
import { coordinatorOf, readsReplica } from '../source/prisma/extended-clients.js'
import {
  createPrismaLoadSource,
  createPrismaSource,
  verifyPrismaSource,
} from '../source/prisma/prisma-source.js'
import { verifyHooks } from '../source/prisma/reads/verify-hooks.js'
import { verifyProvider } from '../source/prisma/verify-provider.js'
import { verifyReads } from '../source/prisma/reads/verify-reads.js'
import { schemaFactsOf } from '../source/prisma/schema/describe-schema.js'
import { verifyExtension } from '../source/prisma/verify-extension.js'
import type { Source } from '../source/source.js'
import type { ModelCacheModuleOptions } from './model-cache.options.js'

/**
 * Returns the client from the options of `forRoot`, or the one provided under the token there.
 *
 * @throws ConfigurationError
 */
export function resolvePrisma(
  prisma: ModelCacheModuleOptions['prisma'],
  moduleRef: ModuleRef,
  definition: AnyModelCacheDefinition,
): object | undefined {
  if (typeof prisma === 'object' || prisma === undefined) {
    if (!prisma && !definition.load)
      throw missingPrismaError(
        definition.name,
        'ModelCacheModule.forRoot has no `prisma`, or it is undefined because two files import each other',
        provideIt,
      )
    if (prisma) refuseOthers(prisma, prisma.constructor?.name ?? 'the given object', definition)
    return prisma
  }
  const token = typeof prisma === 'function' ? prisma.name : String(prisma)
  const client = resolve(prisma, token, moduleRef, definition)
  if (!client) {
    throw missingPrismaError(
      definition.name,
      `${token} resolves to ${client === null ? 'null' : 'undefined'}`,
      'Have the factory that provides it return the client.',
    )
  }
  refuseOthers(client, token, definition)
  return client
}

/**
 * Returns the client of the primary, where `prisma` reads from a standby; undefined if the option is not given.
 *
 * @throws ConfigurationError
 */
export function resolvePrimary(
  { prisma, primary }: Pick<ModelCacheModuleOptions, 'prisma' | 'primary'>,
  standby: object,
  moduleRef: ModuleRef,
): object | undefined {
  if (primary === undefined) return undefined
  const client = findPrisma(primary, moduleRef)
  const isExtended = client !== undefined && coordinatorOf(client) === coordinatorOf(standby)
  if (
    isExtended &&
    readsReplica(standby) &&
    !readsReplica(client) &&
    schemaFactsOf(standby).provider === 'postgresql'
  )
    return client
  const name = (value: unknown): string => (typeof value === 'object' ? 'a client' : nameOf(value))
  throw invalidOptionError(
    'primary',
    name(primary),
    'the client that writes to the primary, provided by provideExtendedPrisma, beside a `prisma` of a standby of PostgreSQL that is ' +
      `provided with { replica: true }; \`prisma\` is ${name(prisma)}`,
  )
}

function nameOf(token: unknown): string {
  return typeof token === 'function' ? token.name : String(token)
}

/** Returns the client as {@link resolvePrisma} does; undefined if there is none. */
export function findPrisma(
  prisma: ModelCacheModuleOptions['prisma'],
  moduleRef: ModuleRef,
): object | undefined {
  if (typeof prisma === 'object' || prisma === undefined) return prisma
  try {
    return moduleRef.get<object | null | undefined>(prisma as string, { strict: false }) ?? undefined
  } catch {
    return undefined
  }
}

/** Rows of a definition with a schema of its own may come from anything that has the methods of a model. */
function refuseOthers(client: object, token: string, { load, name, schema }: AnyModelCacheDefinition): void {
  const isPrisma = (value: unknown): boolean => schemaFactsOf(Object(value) as object).models.size > 0
  if (isPrisma(client)) return
  const property = Object.keys(client).find((key) => isPrisma((client as Record<string, unknown>)[key]))
  if (property !== undefined) {
    throw missingPrismaError(
      name,
      `${token} is not a Prisma client; its \`${property}\` is one`,
      `Provide that one, \`provideExtendedPrisma('PRISMA', (service) => service.${property}, [${token}])\`, and give ` +
        "ModelCacheModule.forRoot `prisma: 'PRISMA'`.",
    )
  }
  if (load || schema) return
  throw missingPrismaError(
    name,
    `${token} is not a Prisma client: it has no Prisma schema`,
    `${provideIt} ${ofMocks}.`,
  )
}

const provideIt =
  'Give `prisma: PrismaService` to ModelCacheModule.forRoot and provide PrismaService in an imported module, or give the ' +
  'definition a `load`.'

function resolve(
  prisma: Exclude<ModelCacheModuleOptions['prisma'], undefined>,
  token: string,
  moduleRef: ModuleRef,
  { name }: AnyModelCacheDefinition,
): object | null | undefined {
  try {
    return moduleRef.get<object | null | undefined>(prisma as string, { strict: false })
  } catch (error) {
    // Compared by name, since Nest does not export the class.
    if ((error as Error).constructor.name !== 'InvalidClassScopeException')
      throw missingPrismaError(name, `no module provides ${token}`, provideIt, error)
    throw missingPrismaError(
      name,
      `${token} is request-scoped or transient`,
      'Caches live as long as the application: provide it, and what it injects, in the default scope.',
      error,
    )
  }
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
  options: ModelCacheModuleOptions,
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
      "Provide it with provideExtendedPrisma, or give forRoot `writes: 'manual'` to call `invalidate` yourself"
    return [`The Prisma client ${problem}${strict}. ${remedy}`]
  }
  const losses = await verifyExtension(prisma)
  if (losses.length > 0 && mode === 'strict') throw prismaInternalsError(losses)
  // A query that the database answers is never wrong, so that strict mode allows it.
  return [...losses, ...verifyProvider(prisma), ...verifyHooks(prisma), ...(await verifyReads(prisma))]
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
  const options = { name, model, idFields, ...selection, primary }
  // A derived selection is what the Prisma schema says.
  if (schema) await verifyPrismaSource(prisma!, options)
  return createPrismaSource(prisma!, options)
}
