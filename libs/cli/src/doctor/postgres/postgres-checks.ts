import { type Check } from '../doctor.js'
import { fault, type Finding } from '../finding.js'
import type { PostgresContext } from './postgres-context.js'

/** The checks of PostgreSQL. `pg` is loaded for them alone, since it is an optional package. */
export function postgresChecks(context: PostgresContext): readonly Check[] {
  return [{ id: 'postgres.server', run: () => checkPostgres(context) }]
}

async function checkPostgres(context: PostgresContext): Promise<readonly Finding[]> {
  const { url } = context
  if (url === undefined || url === '')
    return [
      fault(
        'note',
        'postgres.url',
        'PostgreSQL was not checked: there is no URL.',
        'Its settings are unknown.',
        'Give --database, set DATABASE_URL, or name it in prisma.config.ts.',
      ),
    ]
  if (!/^(postgres(ql)?):\/\//.test(url))
    return [
      fault(
        'note',
        'postgres.url',
        'The database was not checked: its URL is not one of PostgreSQL, MariaDB or MySQL.',
        'Caches work with any database of Prisma, but the log can be followed of PostgreSQL, MariaDB and MySQL alone.',
      ),
    ]
  try {
    await import('pg')
  } catch {
    return [
      fault(
        'warning',
        'postgres.package',
        'PostgreSQL was not checked: the package pg is not installed.',
        'Its settings are unknown, and its log cannot be followed.',
        'npm install pg',
      ),
    ]
  }
  const { checkDatabase } = await import('./check-database.js')
  return checkDatabase({ ...context, url })
}
