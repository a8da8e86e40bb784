import { startPgbouncer } from '../../../support/start-pgbouncer.ts'
import type { ChaosDatabase } from './chaos-database.ts'
import { openChaosPostgresql } from './postgresql.ts'

/** PostgreSQL, which pods reach through a pooler in transaction mode. */
export async function openChaosPgbouncer(): Promise<ChaosDatabase> {
  const database = await openChaosPostgresql()
  const { statementMs } = database.access
  const pooler = await startPgbouncer(database.url, { connections: 20, statementMs })
  return {
    ...database,
    title: `${database.title} behind PgBouncer`,
    poolerUrl: pooler.url,
    access: { ...database.access, name: 'pgbouncer' },
    async close() {
      await pooler.stop()
      await database.close()
    },
  }
}
