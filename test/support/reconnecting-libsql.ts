import { PrismaLibSql } from '@prisma/adapter-libsql'

type Client = ReturnType<PrismaLibSql['createClient']>

/**
 * libsql 0.5 does not reset a statement that has waited for a lock in vain. The next write of its connection then takes the lock and keeps
 * it, whatever is reported: nothing is committed, and all others wait in vain as well. So a new connection follows, as by an application
 * that knows this. See tursodatabase/libsql-js#238.
 */
export class ReconnectingLibSql extends PrismaLibSql {
  override createClient(config: Parameters<PrismaLibSql['createClient']>[0]): Client {
    const client = super.createClient(config)
    const execute = client.execute.bind(client)
    const begin = client.transaction.bind(client)
    return Object.assign(client, {
      execute: (statement: string) =>
        execute(statement).catch(async (error: unknown) => {
          if (isBusy(error)) await client.reconnect()
          throw error
        }),
      async transaction(...mode: []) {
        const transaction = await begin(...mode)
        const commit = transaction.commit.bind(transaction)
        // Prisma takes it for ended.
        const commitOrEnd = () =>
          commit().catch(async (error: unknown) => {
            await transaction.rollback()
            throw error
          })
        return Object.assign(transaction, { commit: commitOrEnd })
      },
    })
  }
}

/** Extended codes have more bits. */
const isBusy = (error: unknown): boolean => (Number((error as { rawCode?: number }).rawCode) & 0xff) === 5
