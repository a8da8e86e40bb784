import { type MysqlConnection, rowsOf } from './connect.js'

/** The variables of a server, by their names. */
export type Variables = ReadonlyMap<string, string>

export async function readVariables(client: MysqlConnection): Promise<Variables> {
  const rows = await rowsOf<{ Variable_name: string; Value: string }>(client, 'SHOW GLOBAL VARIABLES')
  return new Map(rows.map(({ Variable_name: name, Value: value }) => [name.toLowerCase(), value]))
}

export const isMariadb = (variables: Variables): boolean =>
  /mariadb/i.test(`${variables.get('version')} ${variables.get('version_comment')}`)

export function versionOf(variables: Variables): readonly [major: number, minor: number] {
  const [major = 0, minor = 0] = (variables.get('version') ?? '').split('.').map(Number)
  return [major, minor]
}
