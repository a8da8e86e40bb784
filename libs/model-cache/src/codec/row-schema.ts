/**
 * What the library uses of an ArkType: the TypeScript type of its values, and its JSON Schema. It is described by its structure, so
 * that neither the library nor its declarations need ArkType: an application that writes a schema has imported it.
 */
export interface RowSchema {
  readonly infer: unknown
  toJsonSchema(options: never): object
}
