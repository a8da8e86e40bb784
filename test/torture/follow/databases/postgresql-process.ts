import pg from 'pg'
import { followPostgres } from 'model-cache/follow'
import { machineTime } from '../../clock.ts'
import { deleteUsers, insertUsers, updateUsers, userId, valuesOf } from '../../users.ts'
import { openDatabase } from '../../watched-prisma.ts'
import { CITIES } from '../judge-reads.ts'
import type { DatabaseWriter, ProcessDatabase } from './process-database.ts'

export const processDatabase = (url: string): ProcessDatabase => ({
  openPrisma: (onQuery) => openDatabase(url, onQuery),
  openWriter: (connections) => openWriter(url, connections),
  follow: (slot, primaryUrl) =>
    followPostgres({
      url,
      ...(slot !== undefined && { slot }),
      ...(primaryUrl !== undefined && { primary: { url: primaryUrl } }),
    }),
})

function openWriter(connectionString: string, max: number): DatabaseWriter {
  const pool = new pg.Pool({
    connectionString,
    max,
    connectionTimeoutMillis: 2_000,
    query_timeout: 5_000,
  })
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))
  return {
    async commit(rows, versions, replaces) {
      const values = valuesOf(rows, versions, CITIES)
      const client = await pool.connect()
      let isOver = false
      try {
        await client.query('BEGIN')
        if (replaces) await client.query(deleteUsers, [values[0]])
        const [name, text] = replaces ? ['insert', insertUsers] : ['update', updateUsers]
        await client.query({ name, text, values })
        const at = machineTime()
        await client.query('COMMIT')
        isOver = true
        return machineTime() - at
      } finally {
        client.release(!isOver)
      }
    },
    async versionOf(row) {
      const sql = 'SELECT rating FROM "User" WHERE id = $1'
      const { rows } = await pool.query<{ rating: number }>(sql, [userId(row)])
      return rows[0]?.rating
    },
  }
}
