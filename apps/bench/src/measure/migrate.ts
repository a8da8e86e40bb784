import pg from 'pg'
import { applyMigrations } from '#prisma/migrate.js'

/** Makes the demo's tables in an empty database. */
export async function migrate(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await applyMigrations({
      run: async (script) => void (await client.query(script)),
      rows: async (sql, parameters) => (await client.query(sql, parameters)).rows,
    })
  } finally {
    await client.end()
  }
}
