import { PrismaPg } from '@prisma/adapter-pg'
import { callbackify } from 'node:util'
import pg from 'pg'
import { PrismaClient } from '#prisma/client/client.js'

const MAX_CONNECTIONS = 10

export type Query = (...args: unknown[]) => unknown
/** Sends a query: perhaps another one, or to another database. */
export type Send = (query: Query, args: readonly unknown[]) => unknown

/**
 * Connects Prisma to PostgreSQL, and watches its queries.
 *
 * @param onQuery called with each statement
 * @param beforeAnswer awaited when the database has answered, before Prisma learns of it
 */
export function openWatchedPrisma(
  url: string,
  onQuery: (sql: string) => void,
  beforeAnswer?: (sql: string) => Promise<void>,
  send: Send = (query, args) => query(...args),
): PrismaClient {
  const pool = new pg.Pool({ connectionString: url, max: MAX_CONNECTIONS })
  pool.on('connect', (client) => {
    const ask = client.query.bind(client) as Query
    const query: Query = (...args) => send(ask, args)
    client.query = ((...args: unknown[]) => {
      const sql = textOf(args[0])
      onQuery(sql)
      return beforeAnswer ? answerLater(query, args, () => beforeAnswer(sql)) : query(...args)
    }) as typeof client.query
  })
  return new PrismaClient({ adapter: new PrismaPg(pool) })
}

export const textOf = (query: unknown): string =>
  typeof query === 'string' ? query : (query as { text: string }).text

/** The pool passes a callback, a transaction awaits a promise. */
function answerLater(query: Query, args: readonly unknown[], wait: () => Promise<void>): unknown {
  const answer = async (given: readonly unknown[]): Promise<unknown> => {
    const result = await query(...given)
    await wait()
    return result
  }
  const callback = args.at(-1)
  if (typeof callback !== 'function') return answer(args)
  return callbackify(answer)(args.slice(0, -1), callback as (error: Error | null, result: unknown) => void)
}
