import type { SqlDriverAdapterFactory } from '@prisma/client/runtime/client'

export interface Ear {
  /** Hears what goes to the database, which waits for it. */
  readonly sent?: (sql: string) => void | Promise<void>
  /** Hears of each transaction. */
  readonly began?: () => void
  /** Hears what the driver makes of an answer that has rows, while it is held. */
  readonly answered?: (sql: string, rows: readonly unknown[]) => void
}

/** An adapter whose statements somebody hears, as those of its transactions. */
export function heardAdapter(factory: SqlDriverAdapterFactory, ear: Ear): SqlDriverAdapterFactory {
  const wrap = <T extends object>(queryable: T): T =>
    new Proxy(queryable, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name)
        if (typeof value !== 'function') return value
        const call = (value as (...args: unknown[]) => unknown).bind(target)
        if (name === 'queryRaw' || name === 'executeRaw')
          return async (query: { sql: string }) => {
            await ear.sent?.(query.sql)
            const answer = await call(query)
            if (name === 'queryRaw') ear.answered?.(query.sql, (answer as { rows: unknown[] }).rows)
            return answer
          }
        if (name !== 'startTransaction') return call
        return async (...args: unknown[]) => {
          ear.began?.()
          return wrap((await call(...args)) as object)
        }
      },
    })
  // Whoever replaces `connect` here sends by way of what is heard, and is not heard itself.
  const { adapterName, provider } = factory
  return { adapterName, provider, connect: async () => wrap(await factory.connect()) }
}
