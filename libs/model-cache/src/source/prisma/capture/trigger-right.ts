import { plainQuery, type Queryable } from './adapter.js'
import { unquoted } from './sql-tokens.js'

/** Returns what MySQL grants to the user of a connection, and to its active roles. */
export async function readGrants(queryable: Queryable): Promise<readonly string[]> {
  const { rows } = await queryable.queryRaw(plainQuery('SHOW GRANTS'))
  return rows.map(([grant]) => String(grant))
}

/**
 * Whether a table of MySQL may have triggers that it does not show: it shows them only to users with the right TRIGGER to the table, of their
 * own or by an active role.
 *
 * @param grants of {@link readGrants}
 */
export async function mayHideTriggers(
  schema: string,
  table: string,
  grants: () => Promise<readonly string[]>,
): Promise<boolean> {
  try {
    return !grantsTriggers(await grants(), schema, table)
  } catch {
    return true
  }
}

/** `GRANT SELECT, TRIGGER ON a.* TO …`, whose names are in the quotes of the SQL mode. */
const onTables = /^(GRANT|REVOKE) (.+?) ON (\*|([`"]).+?\4)\.(\*|([`"]).+?\6) (?:TO|FROM) /

const hasRight = /(?:^|, )(?:ALL PRIVILEGES|TRIGGER)(?:,|$)/

/** @param grants of {@link readGrants}. MySQL may revoke a right for a part of what it has granted. */
export function grantsTriggers(grants: readonly string[], schema: string, table: string): boolean {
  const words = grants.flatMap((grant) => {
    const [, word, rights, schemas, , tables] = onTables.exec(grant) ?? []
    if (!word || !hasRight.test(rights!)) return []
    const isHere = tables === '*' ? matches(schemas!, schema) : isSame(schemas!, schema)
    return isHere && isSame(tables!, table) ? [word] : []
  })
  return words.includes('GRANT') && !words.includes('REVOKE')
}

function isSame(quoted: string, name: string): boolean {
  return quoted === '*' || unquoted(quoted, 'mysql').toLowerCase() === name.toLowerCase()
}

/** Whether the pattern of a right to all tables of schemas, such as `shop\_%`, has a schema among these. */
function matches(quoted: string, schema: string): boolean {
  if (quoted === '*') return true
  const pattern = unquoted(quoted, 'mysql').replaceAll(/\\?[^]/g, (one) => {
    if (one === '%') return '.*'
    return one === '_' ? '.' : one.slice(-1).replace(/[^\w]/, String.raw`\$&`)
  })
  return new RegExp(`^${pattern}$`, 'i').test(schema)
}
