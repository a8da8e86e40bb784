import type { ModuleRef, ModulesContainer } from '@nestjs/core'
import type { AnyModelCacheDefinition } from '../cache/policy/definition.js'
import { missingPrismaError, ofMocks } from '../configuration-errors.js'
import { schemaFactsOf } from '../source/prisma/schema/describe-schema.js'
import type { ModelCacheModuleOptions } from './model-cache.options.js'
import { adapterConfigOf, isIntercepted, originalOf, schemaOf } from '../source/prisma/internals.js'
import { verifyPrimary } from '../registry/prisma-client.js'

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
  const name = (value: unknown): string => (typeof value === 'object' ? 'a client' : nameOf(value))
  verifyPrimary(client, standby, [name(primary), name(prisma)])
  return client
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
 * Warns of the Prisma clients that an application provides beside the extended one, with the same schema, and that are not extended: most
 * often the class of the client, in the `providers` of a second module. Clients that no module provides cannot be seen.
 *
 * @param prisma the extended client
 */
export function unextendedClients(prisma: object, modules: ModulesContainer): readonly string[] {
  const seen = new Set<object>()
  return [...modules.values()].flatMap((module) =>
    [...module.providers.values()].flatMap(({ instance, name }) => {
      const original = unextendedLike(prisma, instance)
      if (!original || seen.has(original)) return []
      seen.add(original)
      return [warningOf(String(name), module.name)]
    }),
  )
}

/** The constructed client behind a provider, if it may write to the database of the other one without that anyone notices. */
function unextendedLike(prisma: object, provided: unknown): object | undefined {
  try {
    const client = Object(provided) as object
    if (isIntercepted(client) || schemaOf(client) === '' || schemaOf(client) !== schemaOf(prisma))
      return undefined
    const [own, other] = [adapterConfigOf(prisma), adapterConfigOf(client)]
    return own !== undefined && other !== undefined && own !== other ? undefined : originalOf(client)
  } catch {
    // Providers may be proxies that answer at certain times only, or to certain properties.
    return undefined
  }
}

function warningOf(name: string, module: string): string {
  return (
    `The Prisma client ${name} of ${module} is not extended, and has the same schema as the one of ModelCacheModule.forRoot. Rows that it ` +
    'writes stay stale in the caches until their ttl ends. If it was created by mistake, as by listing its class in the `providers` of a ' +
    'second module, inject the extended client instead. Otherwise provide it with provideExtendedPrisma: with `replica: true` if it ' +
    'reads a replica, and with a `root` of its own if it has another database'
  )
}
