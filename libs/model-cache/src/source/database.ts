import type { SharedTables } from './shared-tables.js'

/** What a database says of itself, as far as it can be determined. All texts are printable, and none is secret. */
export interface DatabaseDescription {
  /** What is the same for all connections to one database, also by way of its replicas and of whichever of them is promoted. */
  readonly id: string
  /** The schema that holds its tables; `''` if models name theirs. */
  readonly schema: string
  /** Changes when the database goes on from an earlier state: a promoted replica, a restored backup, a schema that was created again. */
  readonly history: string
  /** How far the database has got within its history: it only grows. Undefined if that is unknown. */
  readonly position?: string | undefined
  /** For people: `database "shop" (PostgreSQL 7301…, 10.0.0.5:5432)`. */
  readonly name: string
}

/** The columns of a query from `pg_control_system()` that {@link postgresId} takes. Branches of Neon differ in nothing but a setting. */
export const postgresIdColumns = `system_identifier::text AS system, current_database()::text AS name,
  coalesce(current_setting('neon.timeline_id', true), '') AS branch`

/** Returns the id of a PostgreSQL database: the number of the system that its server belongs to, a branch of that, and its name. */
export function postgresId(of: {
  readonly system: string
  readonly branch: string
  readonly name: string
}): string {
  return ['postgresql', of.system, ...(of.branch ? [of.branch] : []), of.name].join('/')
}

/** Returns the id of a database that `prisma migrate` has made, by its first migration: replicas, backups and copies have it as well. */
export function migratedId({ id, name }: { readonly id: string; readonly name: string }): string {
  return ['migrated', id, ...(name ? [name] : [])].join('/')
}

/** WHOSE ROWS. The database that a client reads and writes. */
export interface Database {
  /**
   * Asks the database what it is; undefined if it cannot be determined.
   *
   * @throws any error if the database does not answer
   */
  describe(): Promise<DatabaseDescription | undefined>
  /**
   * Asks which of its tables share rows; undefined if the database refuses to say. Leave it out if none do.
   *
   * @throws any error if the database does not answer
   */
  sharedTables?(): Promise<SharedTables | undefined>
}
