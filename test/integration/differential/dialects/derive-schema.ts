/** The schemas of the differential tests for databases other than PostgreSQL, for which they are written. */

/** A pattern, and what replaces it. */
export type Rule = readonly [pattern: RegExp, replacement: string]

export type OtherProvider = 'mysql' | 'sqlite'

const ofAll: readonly Rule[] = [
  // Lists of values, and what only PostgreSQL has.
  [/^ +\w+ +\w+\[\](?!.*@relation)(?= *(?:@default|@db|\/\/|$)).*\n/gm, ''],
  [/^ +\w+ +Unsupported.*\n/gm, ''],
  [/, "partialIndexes"/, ''],
  [/, where: \{[^}]*\}/g, ''],
  [/^ +@@schema\(.*\n/gm, ''],
  [/^(?:\/\/\/.*\n)?model (?:Lists|Unreadable|Refused) \{[^}]*\}\n/gm, ''],
  [/^ +schemas +=.*\n/gm, ''],
]

const rules: Readonly<Record<OtherProvider, readonly Rule[]>> = {
  mysql: [
    ...ofAll,
    [/@db\.Citext/g, ''],
    [/@db\.Uuid/g, '@db.Char(36)'],
    [/@db\.Timestamp(?:tz)?\((\d)\)/g, '@db.DateTime($1)'],
    [/@db\.Timetz/g, '@db.Time'],
    [/@db\.(?:Inet|Xml)/g, ''],
    [/@db\.(?:Var)?Bit(?=\(\d\))/g, '@db.VarChar'],
    [/@db\.Money/g, '@db.Decimal(19, 2)'],
    [/@db\.Oid/g, '@db.UnsignedInt'],
    [/@db\.Real/g, '@db.Float'],
    [/(\w+ +Bytes +@id)/g, '$1 @db.VarBinary(8)'],
    // Neither Prisma nor the client finds a new row whose key the database makes, other than by counting.
    [/@id @default\(dbgenerated\("\w+\(\)"\)\)/g, '@id'],
    [/^( +at +DateTime) +@default\(dbgenerated\("\w+\(\)"\)\)/gm, '$1'],
    // InnoDB refuses it.
    [/onDelete: SetDefault/g, 'onDelete: Cascade'],
  ],
  sqlite: [
    ...ofAll,
    [/ @db\.\w+(?:\([^)]*\))?/g, ''],
    // Its defaults cannot count.
    [/(@id|@unique) @default\(dbgenerated\("\w+\(\)"\)\)/g, '$1'],
    [/^( +at +DateTime) +@default\(dbgenerated\("\w+\(\)"\)\)/gm, '$1'],
  ],
}

/** @param models of the schema; a field of their type is a relation */
export function deriveSchema(schema: string, provider: OtherProvider): string {
  const models = new Set(Array.from(schema.matchAll(/^(?:model|view) (\w+)/gm), ([, name]) => name))
  const [[lists, none], ...others] = rules[provider] as [Rule, ...Rule[]]
  const withoutLists = schema.replaceAll(lists, (line) =>
    models.has(/^ +\w+ +(\w+)/.exec(line)?.[1] ?? '') ? line : none,
  )
  const derived = others.reduce(
    (text, [pattern, replacement]) => text.replace(pattern, replacement),
    withoutLists,
  )
  return derived
    .replace('provider = "postgresql"', `provider = "${provider}"`)
    .replace(/output( +)= "[^"]*"/, `output$1= "./${provider}"`)
}
