import { asOwnQuery } from '../own-queries.js'
import { adapterOf } from './capture/capture-client.js'
import { bareClientOf, originalOf } from './internals.js'

type AnsweredRow = Readonly<Record<string, unknown>>

/**
 * Asks the database behind a client what the library wants to know, without its extensions, which lead elsewhere: to replicas, or to what
 * one tenant may see. It asks by the driver adapter, so that the application sees no query of its own. A client that is not extended shows
 * no adapter: its query log has the question.
 *
 * @returns no rows if the client is not Prisma's
 * @throws any error if the database does not answer, or refuses the question
 */
export async function askDatabase(
  client: object,
  sql: string,
  values: readonly string[] = [],
): Promise<readonly AnsweredRow[]> {
  const adapter = await adapterOf(client)
  if (adapter) {
    const argTypes = values.map(() => ({ scalarType: 'string', arity: 'scalar' }))
    const { columnNames, rows } = await adapter.queryRaw({ sql, args: values, argTypes }).catch(explain)
    return rows.map((row) => Object.fromEntries(columnNames.map((name, i) => [name, row[i]])))
  }
  if (!originalOf(client)) return []
  const bare = bareClientOf(client) as unknown as RawClient
  return asOwnQuery(async () => (await bare.$queryRawUnsafe?.(sql, ...values)) ?? [])
}

interface RawClient {
  $queryRawUnsafe?(sql: string, ...values: readonly string[]): Promise<readonly AnsweredRow[]>
}

/** What the server says stands in the cause of a driver adapter's error, whose message is only a kind. */
function explain(error: unknown): never {
  const { cause, message } = error as Error & { readonly cause?: { readonly originalMessage?: string } }
  throw new Error(cause?.originalMessage ?? message, { cause })
}
