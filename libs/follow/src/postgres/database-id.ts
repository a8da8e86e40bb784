import type pg from 'pg'
import { postgresId, postgresIdColumns } from 'model-cache/internal'
import { followError } from '../errors.js'
import { messageOf } from '../database-url.js'

/**
 * Returns the id by which processes list the database in the store; undefined if the role may not ask for it.
 *
 * @throws ModelCacheError (`E_FOLLOW`) if the database does not answer
 */
export async function databaseIdOf(client: pg.Client): Promise<string | undefined> {
  try {
    const { rows } = await client.query<Parameters<typeof postgresId>[0]>(
      `SELECT ${postgresIdColumns} FROM pg_control_system()`,
    )
    return postgresId(rows[0]!)
  } catch (error) {
    if (String((error as { code?: unknown }).code).startsWith('42')) return undefined
    throw followError(`cannot ask which database it is: ${messageOf(error)}.`, error)
  }
}
