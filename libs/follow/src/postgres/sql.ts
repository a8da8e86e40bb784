/** An identifier in SQL. */
export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`

/** A text in SQL. */
export const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`

export const tableName = ({ name, schema }: { readonly schema: string; readonly name: string }): string =>
  `${quoted(schema)}.${quoted(name)}`
