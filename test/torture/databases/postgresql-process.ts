import { followPostgres } from '@model-cache/follow'
import { machineTime } from '../clock.ts'
import { deleteUsers, insertUsers, updateUsers, userId, valuesOf } from '../users.ts'
import { openWatchedPrisma } from '../watched-prisma.ts'
import { openPool } from './open-pool.ts'
import type { DatabaseWriter, ProcessDatabase } from './process-database.ts'

export const processDatabase = (url: string): ProcessDatabase => ({
  openPrisma: (onQuery, send) => openWatchedPrisma(url, onQuery, undefined, send),
  openWriter: (connections) => openWriter(url, connections),
  follow: (slot, primaryUrl) =>
    followPostgres({
      url,
      ...(slot !== undefined && { slot }),
      ...(primaryUrl !== undefined && { primary: { url: primaryUrl } }),
    }),
})

function openWriter(url: string, max: number): DatabaseWriter {
  const pool = openPool(url, { max, connectionTimeoutMillis: 2_000, query_timeout: 5_000 })
  return {
    async commit(users, replaces) {
      const values = valuesOf(users)
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
