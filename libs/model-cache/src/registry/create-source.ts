import type { AnyBoundDefinition } from '../definitions/bind-definition.js'
import { verifyModels } from '../definitions/verify-definition.js'
import { createLoadSource } from '../source/load-source.js'
import {
  createPrismaLoadSource,
  createPrismaSource,
  verifyPrismaSource,
} from '../source/prisma/prisma-source.js'
import { schemaFactsOf } from '../source/prisma/schema/describe-schema.js'
import type { Source } from '../source/source.js'

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
