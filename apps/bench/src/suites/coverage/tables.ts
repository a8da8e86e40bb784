import type { SchemaFacts } from 'model-cache/advanced'

const types: Readonly<Record<string, string>> = {
  String: 'text',
  Int: 'integer',
  BigInt: 'bigint',
  Float: 'double precision',
  Boolean: 'boolean',
  DateTime: 'timestamp(3)',
  Decimal: 'numeric',
  Json: 'jsonb',
  Bytes: 'bytea',
}
const nativeTypes: Readonly<Record<string, string>> = { Uuid: 'uuid', Date: 'date', Time: 'time(3)' }

/** The tables of a schema, as SQL: columns and keys, and no constraints between tables. */
export function tablesOf({ models }: SchemaFacts, schema: string): string {
  const enums = [...schema.matchAll(/^enum (\w+) \{([^}]*)\}/gm)].map(
    ([, name, values]) =>
      `CREATE TYPE "${name}" AS ENUM (${values!
        .trim()
        .split(/\s+/)
        .map((value) => `'${value}'`)
        .join(', ')})`,
  )
  const tables = [...models.values()].map(({ name, primaryKey, scalars, uniqueKeys, nullableKeys }) => {
    const block = new RegExp(`^model ${name} \\{([\\s\\S]*?)^\\}`, 'm').exec(schema)![1]!
    const columns = [...scalars].map(([field, { isList, isNullable, nativeType = '', type }]) => {
      const named = new RegExp(`^\\s+${field}\\s+(\\w+)`, 'm').exec(block)![1]
      const sql = type === 'Enum' ? `"${named}"` : (nativeTypes[nativeType] ?? types[type]!)
      return `"${field}" ${sql}${isList ? '[]' : ''}${isNullable ? '' : ' NOT NULL'}`
    })
    const keys = [...uniqueKeys.values(), ...nullableKeys.values()]
      .filter((fields) => fields.join() !== primaryKey.join())
      .map((fields) => `UNIQUE (${quoted(fields)})`)
    const primary = primaryKey.length > 0 ? [`PRIMARY KEY (${quoted(primaryKey)})`] : []
    return `CREATE TABLE "${name}" (${[...columns, ...primary, ...keys].join(', ')})`
  })
  const joins = new Map(
    [...models.values()].flatMap((model) =>
      [...model.relations.values()].flatMap(({ joinTable, target }) => {
        if (!joinTable) return []
        const [a, b] = [model.name, target]
          .toSorted()
          .map((side) => types[models.get(side)!.scalars.get('id')!.type])
        return [
          [
            joinTable.name,
            `CREATE TABLE "${joinTable.name}" ("A" ${a} NOT NULL, "B" ${b} NOT NULL, PRIMARY KEY ("A", "B"))`,
          ],
        ]
      }),
    ),
  )
  return [...enums, ...tables, ...joins.values()].join(';\n')
}

/** SQL that relates some of the rows of many-to-many relations. */
export function joinsOf({ models }: SchemaFacts): readonly string[] {
  const joins = [...models.values()].flatMap(({ name, relations }) =>
    [...relations.values()].flatMap(({ joinTable, target }) =>
      joinTable && name <= target ? [{ name, table: joinTable.name, target }] : [],
    ),
  )
  return joins.map(
    ({ name, table, target }) =>
      `INSERT INTO "${table}" SELECT a."id", b."id" FROM "${name}" a, "${target}" b ` +
      `WHERE md5(a."id"::text || b."id"::text) < '2' ON CONFLICT DO NOTHING`,
  )
}

const quoted = (fields: readonly string[]): string => fields.map((field) => `"${field}"`).join(', ')
