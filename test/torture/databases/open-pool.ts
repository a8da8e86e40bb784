import pg from 'pg'

/** Connections to PostgreSQL that may be lost, also while they are in use; a statement fails then. */
export function openPool(connectionString: string, config: pg.PoolConfig = { max: 4 }): pg.Pool {
  const pool = new pg.Pool({ connectionString, ...config })
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))
  return pool
}
