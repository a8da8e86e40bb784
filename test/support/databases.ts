/** The databases that specs, fuzz and bench run on. */
import { createMysqlDatabase } from './mysql-database.ts'
import { createDatabase, mysqlUrl } from './servers.ts'
import { createSqliteDatabase } from './sqlite-database.ts'
import type { TestDatabase } from './test-database.ts'
import { MYSQL_URL_VARIABLE } from './test-servers.ts'

export interface DatabaseKind {
  readonly name: string
  /** As in a Prisma schema. */
  readonly provider: 'postgresql' | 'mysql' | 'sqlite'
  /** Whether Prisma has createManyAndReturn and updateManyAndReturn on it. */
  readonly returnsMany: boolean
  /** Whether its server can be had. */
  readonly isAvailable: () => boolean
  /** Creates a fresh, empty database. */
  readonly create: () => Promise<TestDatabase>
}

const always = (): boolean => true
const hasMysql = (): boolean => Boolean(process.env[MYSQL_URL_VARIABLE])

/** MySQL stands for MariaDB as well: Prisma has one provider for both, and MYSQL_URL says which of them it is. */
export const allDatabases: readonly DatabaseKind[] = [
  {
    name: 'postgresql',
    provider: 'postgresql',
    returnsMany: true,
    isAvailable: always,
    create: createDatabase,
  },
  {
    // Text is compared as in tables of `prisma migrate`: `a`, `A`, `ä` and `a ` are equal.
    name: 'mysql',
    provider: 'mysql',
    returnsMany: false,
    isAvailable: hasMysql,
    create: () => createMysqlDatabase(mysqlUrl()),
  },
  {
    // Text is compared byte by byte.
    name: 'mysql-binary',
    provider: 'mysql',
    returnsMany: false,
    isAvailable: hasMysql,
    create: () => createMysqlDatabase(mysqlUrl(), 'utf8mb4_bin'),
  },
  {
    name: 'sqlite',
    provider: 'sqlite',
    returnsMany: true,
    isAvailable: always,
    create: () => createSqliteDatabase(),
  },
  {
    // As by better-sqlite3, which has one connection for everything.
    name: 'sqlite-shared',
    provider: 'sqlite',
    returnsMany: true,
    isAvailable: always,
    create: () => createSqliteDatabase('shared'),
  },
]

/**
 * Returns the databases that DATABASES names, as in `mysql,sqlite`; all that can be had but one, as in `-postgresql`; or all that can be had.
 *
 * @param known those on which a test can run
 * @throws if DATABASES names one that does not exist, or cannot be had
 */
export function chosenDatabases(
  known: readonly string[] = allDatabases.map(({ name }) => name),
  chosen: string | undefined = process.env.DATABASES,
): readonly DatabaseKind[] {
  const excluded = chosen?.startsWith('-') ? databaseNamed(chosen.slice(1)) : undefined
  const names = excluded || !chosen ? undefined : chosen.split(',').map((name) => name.trim())
  for (const name of names ?? []) databaseNamed(name)
  return allDatabases.filter(
    (kind) =>
      known.includes(kind.name) && kind !== excluded && (names?.includes(kind.name) ?? kind.isAvailable()),
  )
}

/** @throws if there is no such database */
export function kindNamed(name: string): DatabaseKind {
  const found = allDatabases.find((kind) => kind.name === name)
  const names = allDatabases.map((kind) => kind.name).join(', ')
  if (!found) throw new Error(`There is no database ${name} to test on. Choose from ${names}.`)
  return found
}

/** @throws if there is no such database, or it cannot be had */
export function databaseNamed(name: string): DatabaseKind {
  const found = kindNamed(name)
  if (found.isAvailable()) return found
  throw new Error(
    `${name} was chosen, but no server was found. Set MYSQL_URL, or see what the set-up reported.`,
  )
}
