/** The schemas of the demo for databases other than PostgreSQL, for which it is written. */

/** Returns the schema for another provider, beside its own migrations. */
export function deriveDemoSchema(schema: string, provider: 'mysql' | 'sqlite'): string {
  // Only PostgreSQL has lists of values. As Json they are the same arrays.
  const withoutLists = schema.replaceAll(/\b(?:String|Int)\[\]/g, 'Json')
  const derived =
    provider === 'mysql'
      ? withUnlimitedText(withoutLists)
      : withoutLists.replaceAll(/ +@db\.\w+\([\d, ]+\)/g, '')
  return `// Derived from ../schema.prisma by \`npm run generate\`.\n${derived}`.replace(
    'provider = "postgresql"',
    `provider = "${provider}"`,
  )
}

/** A \`String\` of MySQL has 191 characters at most. A column of an index has to; the others get \`TEXT\`, as PostgreSQL has it. */
function withUnlimitedText(schema: string): string {
  return schema.replaceAll(/^model \w+ \{[^]*?\n\}/gm, (model) => {
    const indexed = new Set(
      Array.from(model.matchAll(/(?:@@\w+\(|fields: )\[([^\]]*)\]/g), ([, fields]) =>
        fields!.split(', '),
      ).flat(),
    )
    return model.replaceAll(/^ +(\w+) +String\b(?!.*@(?:id|unique)).*$/gm, (line, field: string) =>
      indexed.has(field) ? line : `${line} @db.Text`,
    )
  })
}
