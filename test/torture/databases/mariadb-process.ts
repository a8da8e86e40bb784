import { PrismaMariaDb } from '@prisma/adapter-mariadb'
import type { SqlDriverAdapterFactory } from '@prisma/client/runtime/client'
import { createPool } from 'mariadb'
import { followMysql } from '@model-cache/follow'
import type { PrismaClient } from '#prisma/client/client.js'
import { PrismaClient as MysqlClient } from '#prisma/mysql/client/client.js'
import { mysqlConnectionOf } from '../../support/mysql-database.ts'
import { machineTime } from '../clock.ts'
import { userId } from '../users.ts'
import type { DatabaseWriter, ProcessDatabase } from './process-database.ts'

const connectionOf = (url: string) => ({
  ...mysqlConnectionOf(new URL(url)),
  database: new URL(url).pathname.slice(1),
})

export const processDatabase = (url: string): ProcessDatabase => ({
  openPrisma: (onQuery) =>
    new MysqlClient({
      adapter: watched(new PrismaMariaDb({ ...connectionOf(url), connectionLimit: 10 }), onQuery),
    }) as unknown as PrismaClient,
  openWriter: (connections) => openWriter(url, connections),
  follow: () => followMysql({ url }),
})

function watched(factory: SqlDriverAdapterFactory, onQuery: (sql: string) => void): SqlDriverAdapterFactory {
  return {
    provider: factory.provider,
    adapterName: factory.adapterName,
    async connect() {
      const adapter = await factory.connect()
      const queryRaw = adapter.queryRaw.bind(adapter)
      adapter.queryRaw = (query) => {
        onQuery(query.sql)
        return queryRaw(query)
      }
      return adapter
    },
  }
}

function openWriter(url: string, connectionLimit: number): DatabaseWriter {
  const pool = createPool({
    ...connectionOf(url),
    connectionLimit,
    acquireTimeout: 2_000,
    connectTimeout: 2_000,
    socketTimeout: 5_000,
  })
  return {
    async commit(users, replaces) {
      const values = users.flatMap(({ city, email, id, rating }) => [id, rating, city, email])
      const session = await pool.getConnection()
      let isOver = false
      try {
        await session.query('START TRANSACTION')
        if (replaces) await session.query('DELETE FROM `User` WHERE id IN (?)', [users.map(({ id }) => id)])
        await session.query(`${insertOf(users.length)} ${replaces ? '' : OR_UPDATE}`, values)
        const at = machineTime()
        await session.query('COMMIT')
        isOver = true
        return machineTime() - at
      } finally {
        if (isOver) void session.release().catch(() => {})
        else session.destroy()
      }
    },
    async versionOf(row) {
      const sql = 'SELECT rating FROM `User` WHERE id = ?'
      const rows = await pool.query<{ rating: number }[]>(sql, [userId(row)])
      return rows[0]?.rating
    },
  }
}

const insertOf = (users: number): string =>
  `INSERT INTO \`User\` (id, rating, city, email, firstName, lastName, displayName, country, locale, timezone, updatedAt)
   VALUES ${Array.from({ length: users }, () => `(?, ?, ?, ?, 'A', 'bidder', 'A bidder', 'NZ', 'en', 'UTC', now())`).join()}`
const OR_UPDATE =
  'ON DUPLICATE KEY UPDATE rating = VALUES(rating), city = VALUES(city), email = VALUES(email)'
