import { type Connection, createConnection, createPool } from 'mariadb'
import { Redis } from 'ioredis'
import { openDatabase } from '#prisma/database.js'
import { applyMigrations } from '#prisma/migrate.js'
import { mysqlConnectionOf } from '../../../support/mysql-database.ts'
import { prepareMariadb, startMariadb } from '../../../support/start-mariadb.ts'
import type { SingleServer } from '../../servers/single-server.ts'
import { numbers } from '../../users.ts'
import { ROWS } from '../judge-reads.ts'
import type { FollowedDatabase } from './followed-database.ts'
import { insertUsers, valuesOfUsers } from './mysql-users.ts'

/** As a server that is not for tests: the follower gets a transaction when it is on disk. */
const SETTINGS = [
  '--innodb-flush-log-at-trx-commit=1',
  '--innodb-doublewrite=ON',
  '--sync-binlog=1',
  '--max-connections=500',
]

export async function openMariadb(valkey: SingleServer): Promise<FollowedDatabase> {
  const files = await prepareMariadb(SETTINGS)
  let server = await startMariadb(files)
  const url = server.url.replace(/mysql$/, 'followed')
  const connection = { ...mysqlConnectionOf(new URL(url)), multipleStatements: true }
  const admin = await createConnection(connection)
  await admin.query('CREATE DATABASE followed COLLATE utf8mb4_unicode_ci')
  await admin.end()
  const migrated = await openDatabase({ url })
  await migrated.withSession(applyMigrations)
  await migrated.close()
  const pool = createPool({ ...connection, database: 'followed', connectionLimit: 2 })
  const use = async <T>(work: (session: Connection) => Promise<T>): Promise<T> => {
    const session = await pool.getConnection()
    try {
      return await work(session)
    } finally {
      await session.release()
    }
  }
  const users = numbers(ROWS)
  await pool.query(insertUsers(users), valuesOfUsers(users, 0))
  const store = new Redis(valkey.url.replace(/^valkey/, 'redis'))
  store.on('error', () => {})
  return {
    title: `MariaDB ${server.version}`,
    url,
    run: (script) => use(async (session) => void (await session.query(script))),
    rows: <Row>(sql: string) => use((session) => session.query<Row[]>(sql)),
    async crash() {
      await server.stop()
      server = await startMariadb(files)
    },
    end: () =>
      use(async (session) => {
        const [row] = await session.query<{ File: string; Position: bigint }[]>('SHOW MASTER STATUS')
        return String(positionOf(row!.File, row!.Position))
      }),
    async hasTaken(end) {
      const note = await store.get(NOTE)
      return BigInt(/"position":"(\d+)"/.exec(note ?? '')?.[1] ?? 0) >= BigInt(end)
    },
    forget: async () => void (await store.del(NOTE)),
    async close() {
      store.disconnect()
      await pool.end()
      await server.stop()
      await files.remove()
    },
  }
}

/** Of the follower: how far the caches have taken the log. */
const NOTE = 'mc:{follow}:log:mysql:followed'

/** As a follower notes it. */
const positionOf = (file: string, offset: bigint | number): bigint =>
  BigInt(/\d+$/.exec(file)![0]) * (1n << 40n) + BigInt(offset)
