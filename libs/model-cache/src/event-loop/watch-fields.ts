import type { BlockWatch } from './block-watch.js'

/** What is needed of a GraphQL schema; graphql-js has it. */
export interface FieldsOfSchema {
  getTypeMap(): Record<string, object>
}

type Resolve = (this: unknown, ...args: unknown[]) => unknown

interface Field {
  resolve?: Resolve | null
}

/**
 * Has the fields of a schema that have a resolver resolved in the name `Type.field`, for the metrics of blocks. For
 * `transformSchema` of GraphQLModule. Changes the schema itself, and returns it.
 */
export function watchFields<Schema extends FieldsOfSchema>(schema: Schema, watch: BlockWatch): Schema {
  watch.start()
  for (const [typeName, type] of Object.entries(schema.getTypeMap())) {
    if (typeName.startsWith('__') || !('getFields' in type)) continue
    const fields = (type as { getFields(): Record<string, Field> }).getFields()
    for (const [fieldName, field] of Object.entries(fields)) {
      if (typeof field.resolve === 'function') {
        field.resolve = inNameOf(watch, `${typeName}.${fieldName}`, field.resolve)
      }
    }
  }
  return schema
}

function inNameOf(watch: BlockWatch, name: string, resolve: Resolve): Resolve {
  return function (this: unknown, ...args) {
    return watch.run(name, () => resolve.apply(this, args))
  }
}
