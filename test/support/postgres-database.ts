import { createHash, randomBytes } from 'node:crypto'
import { PrismaPg } from '@prisma/adapter-pg'
import pg from 'pg'
import type { TestDatabase } from './test-database.ts'

/**
 * Creates a fresh database with a name of its own on the server of an administrator's URL. It is dropped whoever is connected.
 *
 * @param template the database of which it is a copy. @default an empty one
 */
export async function createPostgresDatabase(
  adminUrl: string,
  template = 'template1',
): Promise<TestDatabase> {
  const name = `test_${randomBytes(6).toString('hex')}`
  await execute(adminUrl, `CREATE DATABASE ${name} TEMPLATE ${template}`)
  const url = new URL(adminUrl)
  url.pathname = `/${name}`
  const session = lazySession(url.href)
  // Prepared, as tests send long queries again and again.
  const rows = async <Row>(text: string): Promise<Row[]> => {
    const name = createHash('sha1').update(text).digest('hex')
    return (await (await session.open()).query({ name, text })).rows as Row[]
  }
  return {
    url: url.href,
    adapter: (max, role) =>
      new PrismaPg({
        connectionString: url.href,
        ...(max && { max }),
        ...(role && { options: `-c role=${role}` }),
      }),
    run: async (script) => void (await (await session.open()).query(script)),
    rows,
    rowsOfAll: (queries) => Promise.all(queries.map((sql) => rows<object>(sql))),
    async breakConnections() {
      const others = 'datname = current_database() AND pid <> pg_backend_pid()'
      await rows(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE ${others}`)
    },
    async drop() {
      await session.close()
      await execute(adminUrl, untilUnused(name), `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)
    },
  }
}

/** Gives a database that nobody uses any more another name. */
export async function renamePostgresDatabase(
  adminUrl: string,
  { url }: TestDatabase,
  name: string,
): Promise<void> {
  const old = new URL(url).pathname.slice(1)
  await execute(adminUrl, untilUnused(old), `ALTER DATABASE ${old} RENAME TO ${name}`)
}

export async function dropPostgresDatabase(adminUrl: string, name: string): Promise<void> {
  await execute(adminUrl, `DROP DATABASE IF EXISTS ${name}`)
}

/** Waits a second at most: a closed pool may still be ending its connections, and fails on those that are terminated. */
const untilUnused = (name: string): string => `DO $$ BEGIN FOR attempt IN 1..40 LOOP
  EXIT WHEN NOT EXISTS (SELECT FROM pg_stat_activity WHERE datname = '${name}');
  PERFORM pg_sleep(0.025), pg_stat_clear_snapshot();
END LOOP; END $$`

/** A connection that opens when it is first needed: most tests bring their own. */
function lazySession(connectionString: string): { open(): Promise<pg.Client>; close(): Promise<void> } {
  let opening: Promise<pg.Client> | undefined
  const open = async (): Promise<pg.Client> => {
    const client = new pg.Client({ connectionString })
    await client.connect()
    return client
  }
  return { open: () => (opening ??= open()), close: async () => (await opening)?.end() }
}

async function execute(url: string, ...statements: readonly string[]): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    for (const statement of statements) await client.query(statement)
  } finally {
    await client.end()
  }
}
