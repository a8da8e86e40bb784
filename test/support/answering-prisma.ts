/** A PrismaClient that answers what a test says, and says what it was asked. */
/** A query: `'Lot.findMany'` and its arguments, or `'raw'` SQL and its values. */
export type AskedOfPrisma = readonly [query: string, args: unknown]

/** What the client returns for a query, or throws. */
export type PrismaAnswer = (query: string, args: never) => unknown

/**
 * A client without extensions. Its queries need a transaction. On MySQL, the name of a query says whether it has locked what it found.
 *
 * @param models the names of the models
 * @param prepare what the library does to a client for reads that lock
 */
export async function answeringPrisma(
  provider: string,
  models: readonly string[],
  answer: PrismaAnswer,
  prepare: (client: object) => void,
) {
  const asked: AskedOfPrisma[] = []
  const ask = (query: string, args: unknown): unknown => {
    asked.push([query, args])
    const result = answer(query, args as never)
    if (result instanceof Error) throw result
    return result
  }
  let sent = ''
  const transaction = {
    queryRaw: async ({ sql }: { readonly sql: string }): Promise<unknown> => {
      sent = sql
      return undefined
    },
  }
  const adapter = { connect: async () => ({ startTransaction: async () => transaction }) }
  const query = (name: string) => (args: object) => ({
    requestTransaction: async () => {
      await transaction.queryRaw({ sql: 'SELECT' })
      return ask(sent === 'SELECT' ? name : `${name} ${sent.replace('SELECT ', '')}`, args)
    },
  })
  const client: Record<string, unknown> = {
    _activeProvider: provider,
    _engineConfig: { adapter },
    $queryRawUnsafe: (sql: string, ...values: readonly unknown[]) => ({
      requestTransaction: async () => ask(`raw ${sql}`, values),
    }),
  }
  for (const model of models) {
    const delegate = { findMany: query(`${model}.findMany`), count: query(`${model}.count`) }
    client[model.charAt(0).toLowerCase() + model.slice(1)] = delegate
  }
  prepare(client)
  await (await adapter.connect()).startTransaction()
  return { asked, ask, client }
}
