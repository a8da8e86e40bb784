import { possibleLookupsOf } from '@model-cache/inspector/internal'
import { describeSchemaText, shapeOf } from 'model-cache/internal'
import { printDefinition } from './print-definition.js'
import { readPrismaSchema } from './prisma-schema.js'
import { UsageError } from './command.js'

export interface PrintOptions {
  /** The Prisma model. */
  readonly model: string | undefined
  /** The file or folder of the Prisma schema. @default the project's */
  readonly schema?: string | undefined
  /** How the module imports the generated client. @default where the schema's generator puts it */
  readonly client?: string | undefined
}

/**
 * Returns the definition of a model, with its ArkType schema, as the source of a module.
 *
 * @param folder where the project is
 * @throws UsageError, ConfigurationError
 */
export async function print(folder: string, { model, schema, client }: PrintOptions): Promise<string> {
  const found = await readPrismaSchema(folder, schema)
  const facts = describeSchemaText(found.text)
  const known = [...facts.models.values()].filter(({ isVisible }) => isVisible)
  const names = known.map(({ name }) => name).join(', ')
  if (model === undefined) throw new UsageError(`Name a model: ${names}.`)
  const described = known.find(({ name }) => name === model)
  if (!described)
    throw new UsageError(`The Prisma schema has no model "${model}"; it has ${names || 'none'}.`)
  const shape = shapeOf({ name: model, model }, facts)
  const lookups = possibleLookupsOf(described, facts)
  return printDefinition({ model: described, shape, lookups, client: client ?? found.client })
}
