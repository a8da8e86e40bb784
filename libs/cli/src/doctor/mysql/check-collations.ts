import { type MysqlConnection, rowsOf, schemasIn } from '@model-cache/follow/internal'
import type { CatalogueListing } from 'model-cache/internal'
import { fault, type Finding, ok } from '../finding.js'

interface FoundColumn {
  readonly schema: string
  readonly table: string
  readonly name: string
  readonly collation: string
}

/** A column by whose text a lookup finds rows, and what the definition says of it. */
interface ComparedColumn extends Omit<FoundColumn, 'collation'> {
  readonly lookup: string
  readonly option: 'fold' | 'caseSensitive'
}

/** Compares what definitions say of the text of keys, `fold` or `caseSensitive`, with the collations of the columns. */
export async function checkCollations(
  client: MysqlConnection,
  caches: CatalogueListing['caches'],
  database: string,
): Promise<readonly Finding[]> {
  const compared = caches.flatMap((cache) => comparedColumns(cache, database))
  if (compared.length === 0) return []
  const found = await rowsOf<FoundColumn>(
    client,
    `SELECT TABLE_SCHEMA AS \`schema\`, TABLE_NAME AS \`table\`, COLUMN_NAME AS name, COLLATION_NAME AS collation
      FROM information_schema.COLUMNS WHERE TABLE_SCHEMA IN (?) AND COLLATION_NAME IS NOT NULL`,
    [[...new Set(compared.map(({ schema }) => schema))]],
  )
  const collations = new Map(found.map((column) => [keyOf(column), column.collation]))
  const faults = compared.flatMap((column) => {
    const collation = collations.get(keyOf(column))
    if (collation === undefined || needed(collation) === column.option) return []
    const { lookup, name, option, table } = column
    return fault(
      'error',
      'mysql.collation',
      `${lookup} has \`${option}\`, but \`${table}\`.\`${name}\` has the collation ${collation}.`,
      'The library and the database take other keys for equal, so that entries have rows of other keys, or lack some.',
      needed(collation) === 'fold'
        ? "Write `fold: 'case'` instead of `caseSensitive: true`."
        : "Write `caseSensitive: true` instead of `fold: 'case'`.",
    )
  })
  return faults.length > 0
    ? faults
    : [ok('mysql.collation', 'The collations of keys compare text as definitions say.')]
}

function comparedColumns(
  { description }: CatalogueListing['caches'][number],
  database: string,
): readonly ComparedColumn[] {
  const { lookups = [], name: cache, tables } = description ?? {}
  const [own] = tables?.provider === 'mysql' ? tables.models : []
  if (!own) return []
  const { name: table, schema } = schemasIn(database)(own)
  return lookups.flatMap(({ key = [], name: lookup, through }) =>
    key.flatMap(({ folds, kind, name }) => {
      const column = own.columns.find(({ field }) => field === name)?.column
      if (!folds || through !== undefined || column === undefined) return []
      const option = kind === 'casedString' ? 'caseSensitive' : 'fold'
      return { schema, table, name: column, lookup: `${cache}.${lookup}`, option }
    }),
  )
}

/** A collation of Japanese that tells letters of either case apart may tell kana apart as well: `_ks`. */
function needed(collation: string): ComparedColumn['option'] {
  return /_(?:bin|cs|cs_ks)$/.test(collation) ? 'caseSensitive' : 'fold'
}

/** Names of databases and tables have one case in a schema, though the server may ignore it. */
function keyOf({ name, schema, table }: Pick<FoundColumn, 'name' | 'schema' | 'table'>): string {
  return JSON.stringify([schema, table, name].map((part) => part.toLowerCase()))
}
