import {
  type PrismaPromise,
  type PrismaTransaction,
  clientMethodsOf,
  probeOf,
  type QueryParams,
  runtimeModelsOf,
  transactionOf,
} from './internals.js'
import { describeSchema } from './schema/describe-schema.js'

/**
 * Checks without a connection that Prisma's internals behave as `extendPrisma` assumes. Returns one sentence per broken assumption
 * with its consequence; an empty list means that all of them hold. Accepts the client before or after it was extended, and does not
 * change it.
 */
export async function verifyExtension(client: object): Promise<readonly string[]> {
  const losses: string[] = []
  const check = async (loss: string, holds: () => unknown): Promise<void> => {
    const reason = await attempt(holds)
    if (reason !== undefined) losses.push(`${loss} (${reason})`)
  }

  losses.push(...problemsOf(client))
  const model = Object.keys(runtimeModelsOf(client))[0]
  if (model === undefined) return [...losses, 'The client has no models, so no write is captured']

  const seen: QueryParams[] = []
  const transactions: string[] = []
  const actions: string[] = []
  const open = () => openProbe(client, seen, transactions, actions)
  await check('Queries take another way to the database, so no write is captured', async () => {
    await createOn(open(), model)
    const [query] = seen
    return seen.length === 1 && query!.model === model && query!.action === 'create' && query!.args?.data
  })
  await check(
    'A query cannot be put into a transaction, so rows that only its result shows are fenced too late',
    async () => {
      const transaction: PrismaTransaction = { kind: 'itx', id: 'model-cache' }
      await createOn(open(), model).requestTransaction(transaction)
      return seen.at(-1)?.transaction?.id === transaction.id
    },
  )
  await check('Writes in a transaction cannot be recognised, so they are fenced before it ends', async () => {
    const probe = open()
    await probe.$transaction(async (tx: object) => {
      const transaction = transactionOf(tx)
      await createOn(tx, model)
      const other = seen.at(-1)?.transaction
      if (!transaction || transaction.id !== other?.id) throw new Error('another transaction was seen')
    })
    return transactionOf(probe) === undefined && transactions.at(-1) === 'callback'
  })
  await check(
    'The end of a transaction cannot be observed, so its rows are not stored for `fenceMs` after it',
    () => actions.join() === 'start,commit',
  )
  await check('Batches cannot be recognised, so their queries are fenced one by one', async () => {
    const probe = open()
    await probe.$transaction([createOn(probe, model), createOn(probe, model)])
    const [first, second] = seen.slice(-2).map((query) => query.transaction)
    return transactions.at(-1) === 'array' && first?.kind === 'batch' && first.id === second?.id
  })
  await check(
    'Queries of a batch do not show what they are, so they invalidate all rows if only their result shows the rows',
    () => {
      const { spec } = createOn(open(), model)
      return spec?.action === 'create' && spec.model === model
    },
  )
  return losses
}

/** The models whose writes cannot be planned exactly, one sentence per reason. */
function problemsOf(client: object): readonly string[] {
  const models = [...describeSchema(client).models.values()].filter(({ problem }) => problem !== undefined)
  return [...Map.groupBy(models, ({ problem }) => problem!)].map(([problem, affected]) => {
    const names = affected.map(({ name }) => name).join(', ')
    return `It is unknown which rows a write to ${names} affects, so each invalidates all rows of its model and of all related models (${problem})`
  })
}

/** A client whose queries and transactions end before the database. */
function openProbe(
  client: object,
  seen: QueryParams[],
  transactions: string[],
  actions: string[],
): ReturnType<typeof probeOf> {
  const { transactArray, transactCallback } = clientMethodsOf(client)
  return probeOf(
    client,
    {
      async query(params) {
        seen.push(params)
        return null
      },
      transactArray(transaction) {
        transactions.push('array')
        return transactArray.call(this, transaction)
      },
      transactCallback(transaction) {
        transactions.push('callback')
        return transactCallback.call(this, transaction)
      },
    },
    {
      async transaction(action) {
        actions.push(action)
        return { id: 'model-cache' }
      },
    },
  )
}

/** Builds a query; nothing runs before it is awaited. */
function createOn(client: object, model: string): PrismaPromise {
  return (client as Record<string, { create(args: object): PrismaPromise }>)[model]!.create({ data: {} })
}

/** The reason why an assumption does not hold; undefined if it does. */
async function attempt(holds: () => unknown): Promise<string | undefined> {
  try {
    return (await holds()) ? undefined : 'it behaves differently'
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}
