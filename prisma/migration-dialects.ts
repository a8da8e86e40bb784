/** How migrations are applied to each kind of database. */

export type Provider = 'postgresql' | 'mysql' | 'sqlite'

export interface MigrationDialect {
  /** Of the migrations, in prisma/. */
  readonly folder: string
  /** Keeps other processes from migrating meanwhile, as Prisma's engine does; none where the transaction does. */
  readonly lock?: { readonly take: string; readonly release: string }
  readonly begin: string
  /** The columns of `_prisma_migrations` as Prisma's engine has them, so that `prisma migrate deploy` can be used on the same database. */
  readonly history: string
  /** Returns a row if there is a history. */
  readonly findHistory: string
}

/** The advisory lock that Prisma's engine takes on PostgreSQL. */
const PRISMA_LOCK = 72_707_369

const historyOf = (types: {
  readonly id: string
  readonly checksum: string
  readonly name: string
  readonly moment: string
  readonly now: string
  readonly count: string
}): string => `
  id                  ${types.id} PRIMARY KEY NOT NULL,
  checksum            ${types.checksum} NOT NULL,
  finished_at         ${types.moment},
  migration_name      ${types.name} NOT NULL,
  logs                TEXT,
  rolled_back_at      ${types.moment},
  started_at          ${types.moment} NOT NULL DEFAULT ${types.now},
  applied_steps_count ${types.count} NOT NULL DEFAULT 0`

const texts = { id: 'VARCHAR(36)', checksum: 'VARCHAR(64)', name: 'VARCHAR(255)' }

export const migrationDialects: Readonly<Record<Provider, MigrationDialect>> = {
  postgresql: {
    folder: 'migrations',
    lock: {
      take: `SELECT pg_advisory_lock(${PRISMA_LOCK})`,
      release: `SELECT pg_advisory_unlock(${PRISMA_LOCK})`,
    },
    begin: 'BEGIN',
    history: historyOf({ ...texts, moment: 'TIMESTAMPTZ', now: 'now()', count: 'INTEGER' }),
    findHistory: `SELECT 1 AS found WHERE to_regclass('_prisma_migrations') IS NOT NULL`,
  },
  // It commits each CREATE TABLE at once.
  mysql: {
    folder: 'mysql/migrations',
    lock: {
      take: `SELECT GET_LOCK('prisma_migrate', 60)`,
      release: `SELECT RELEASE_LOCK('prisma_migrate')`,
    },
    begin: 'BEGIN',
    history: historyOf({
      ...texts,
      moment: 'DATETIME(3)',
      now: 'CURRENT_TIMESTAMP(3)',
      count: 'INTEGER UNSIGNED',
    }),
    findHistory: `SELECT 1 AS found FROM information_schema.tables
      WHERE table_schema = DATABASE() AND table_name = '_prisma_migrations'`,
  },
  sqlite: {
    folder: 'sqlite/migrations',
    begin: 'BEGIN IMMEDIATE',
    history: historyOf({
      id: 'TEXT',
      checksum: 'TEXT',
      name: 'TEXT',
      moment: 'DATETIME',
      now: 'current_timestamp',
      count: 'INTEGER UNSIGNED',
    }),
    findHistory: `SELECT 1 AS found FROM sqlite_master WHERE name = '_prisma_migrations'`,
  },
}
