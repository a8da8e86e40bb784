import type { ModuleRef } from '@nestjs/core'
import type { AnyModelCacheDefinition } from '../cache/definition.js'
import { compilePlan } from '../codec/compile-plan.js'
import type { WirePlan } from '../codec/wire-plan.js'
import { MissingPrismaError, PrismaInternalsError } from '../errors.js'
import { isExtendedPrisma } from '../source/extend-prisma.js'
import { canonicalIdsOf } from '../source/canonical-ids.js'
import { createLoadSource } from '../source/load-source.js'
import { createPrismaSource, verifyPrismaSource } from '../source/prisma-source.js'
import type { Source } from '../source/source.js'
import { verifyExtension } from '../source/verify-extension.js'
import type { ModelCacheModuleOptions } from './model-cache.options.js'

/**
 * The client that forRoot was given, or that is provided under the token it was given.
 *
 * @throws MissingPrismaError
 */
export function resolvePrisma(
  prisma: ModelCacheModuleOptions['prisma'],
  moduleRef: ModuleRef,
  definition: AnyModelCacheDefinition,
): object | undefined {
  if (typeof prisma === 'object' || prisma === undefined) {
    if (!prisma && !definition.load)
      throw new MissingPrismaError(definition.name, 'forRoot was given no `prisma`')
    return prisma
  }
  try {
    return moduleRef.get<object>(prisma, { strict: false })
  } catch (error) {
    const token = typeof prisma === 'function' ? prisma.name : String(prisma)
    throw new MissingPrismaError(definition.name, `no module provides ${token}`, error)
  }
}

/**
 * What is lost of consistency with this client, in words; empty when all is well.
 *
 * @throws PrismaInternalsError in strict mode, when an extended client behaves otherwise than expected
 */
export async function lossesWith(prisma: object, mode: 'available' | 'strict'): Promise<readonly string[]> {
  if (!isExtendedPrisma(prisma)) {
    const loss =
      "The Prisma client is not extended by extendPrisma, so that only `invalidate` tells of writes, and mode 'strict' has no effect"
    return mode === 'strict' ? [loss] : []
  }
  const losses = await verifyExtension(prisma)
  if (losses.length > 0 && mode === 'strict') throw new PrismaInternalsError(losses)
  return losses
}

/** @throws ConfigurationError when Prisma does not know the model, its id or its selection */
export async function createSource(
  definition: AnyModelCacheDefinition,
  prisma: object | undefined,
): Promise<Source<unknown, unknown>> {
  const { name, model, idFields, include, load } = definition
  if (load) {
    const isCanonical = prisma && canonicalIdsOf(prisma, model, idFields)
    return { ...createLoadSource<unknown, unknown>(load, prisma), isCanonical }
  }
  // Just the fields of the schema: a row must not have more when it comes from Prisma than when it is read back.
  const select = definition.select ?? (include ? undefined : selectionOf(definition))
  const options = { name, model, idFields, ...(select && { select }), ...(include && { include }) }
  await verifyPrismaSource(prisma!, options)
  return createPrismaSource(prisma!, options)
}

function selectionOf({ schema, name }: AnyModelCacheDefinition): object | undefined {
  const fields = fieldsOf(compilePlan(schema, name))
  return fields && Object.fromEntries(fields.map((field) => [field, true]))
}

function fieldsOf(plan: WirePlan): readonly string[] | undefined {
  if (plan.kind === 'union') return plan.branches.flatMap((branch) => fieldsOf(branch.plan) ?? [])
  return plan.kind === 'object' ? plan.fields.map((field) => field.name) : undefined
}
