import { plainQuery, type Queryable } from './adapter.js'
import { unquoted } from './sql-tokens.js'

/** What MySQL grants to the user of a connection, and how it reads the names in that. */
export interface Rights {
  /** Of the user, and of its active roles. */
  readonly grants: readonly string[]
  /** Whether names of schemas and tables that differ by their case alone are others. */
  readonly isCased: boolean
  /** Whether a right may be revoked for one schema. Names of schemas are then no patterns. */
  readonly hasPartialRevokes: boolean
}

/** Asks MySQL for {@link Rights}. MariaDB has no partial revokes. */
export async function readRights(queryable: Queryable): Promise<Rights> {
  const { rows: grants } = await queryable.queryRaw(plainQuery('SHOW GRANTS'))
  const { rows: variables } = await queryable.queryRaw(
    plainQuery(`SHOW VARIABLES WHERE Variable_name IN ('lower_case_table_names', 'partial_revokes')`),
  )
  const settings = new Map(variables.map(([name, value]) => [name, String(value)] as const))
  return {
    grants: grants.map(([grant]) => String(grant)),
    isCased: (settings.get('lower_case_table_names') ?? '0') === '0',
    hasPartialRevokes: settings.get('partial_revokes') === 'ON',
  }
}

/**
 * Whether a table of MySQL may have triggers that it does not show: it shows them only to users with the right TRIGGER to the table, of their
 * own or by an active role.
 *
 * @param rights of {@link readRights}
 */
export async function mayHideTriggers(
  schema: string,
  table: string,
  rights: () => Promise<Rights>,
): Promise<boolean> {
  try {
    return !grantsTriggers(await rights(), schema, table)
  } catch {
    return true
  }
}

/** `GRANT SELECT, TRIGGER ON a.* TO …`, whose names are in the quotes of the SQL mode. */
const onTables =
  /^(GRANT|REVOKE) (.+?) ON (\*|([`"]).+?\4)\.(\*|([`"]).+?\6) (?:TO|FROM) (.+?)(?: WITH GRANT OPTION)?$/

const hasRight = /(?:^|, )(?:ALL PRIVILEGES|TRIGGER)(?:,|$)/

/** Whether the right to triggers of a table is granted for certain. MySQL may revoke a right for a part of what it has granted. */
export function grantsTriggers(
  { grants, hasPartialRevokes, isCased }: Rights,
  schema: string,
  table: string,
): boolean {
  const inCase = (name: string): string => (isCased ? name : name.toLowerCase())
  const here = grants.flatMap((grant) => {
    const [, word, rights, schemas, , tables, , user] = onTables.exec(grant) ?? []
    if (!word) return []
    const isPattern = tables === '*' && !(hasPartialRevokes && word === 'GRANT')
    const isIn = isPattern ? matches : isSame
    const isHere = isIn(inCase(schemas!), inCase(schema)) && isSame(inCase(tables!), inCase(table))
    const isOfSchema = tables === '*' && schemas !== '*'
    return isHere ? [{ word, hasRight: hasRight.test(rights!), isOfSchema, user }] : []
  })
  if (here.some(({ hasRight, word }) => hasRight && word === 'REVOKE')) return false
  const granted = here.filter(({ word }) => word === 'GRANT')
  // Of what a user or a role has in schemas, MySQL takes the one whose pattern is closest.
  const inSchema = Map.groupBy(
    granted.filter(({ isOfSchema }) => isOfSchema),
    ({ user }) => user,
  )
  return (
    granted.some(({ hasRight, isOfSchema }) => hasRight && !isOfSchema) ||
    [...inSchema.values()].some((ofUser) => ofUser.every(({ hasRight }) => hasRight))
  )
}

function isSame(quoted: string, name: string): boolean {
  return quoted === '*' || unquoted(quoted, 'mysql') === name
}

/** Whether the pattern of a right to all tables of schemas, such as `shop\_%`, has a schema among these. */
function matches(quoted: string, schema: string): boolean {
  if (quoted === '*') return true
  const pattern = unquoted(quoted, 'mysql').replaceAll(/\\?[^]/g, (one) => {
    if (one === '%') return '.*'
    return one === '_' ? '.' : one.slice(-1).replace(/[^\w]/, String.raw`\$&`)
  })
  return new RegExp(`^${pattern}$`).test(schema)
}
