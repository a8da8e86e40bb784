import { connectingMethods } from './capture/capture-client.js'
import {
  adapterFactoryOf,
  type PrismaPromise,
  engineOf,
  probeOf,
  type QueryParams,
  runtimeModelsOf,
  transactionOf,
} from './internals.js'
import { describeSchema } from './schema/describe-schema.js'

/**
 * Checks without a connection that Prisma's internals behave as `extendPrisma` assumes. Returns one sentence per broken
 * assumption with its consequence; an empty list means that all of them hold. Accepts the client before or after it was extended, and does not change it.
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
  await check('The client has no driver adapter that can be watched, so no write is captured', () => {
    const engine = engineOf(client)
    return (
      typeof adapterFactoryOf(client)?.connect === 'function' &&
      connectingMethods.every((method) => typeof engine[method] === 'function')
    )
  })
  await check(
    'Queries take another way to the database, so a client that connects too early is not noticed',
    async () => {
      await createOn(openProbe(client, seen), model)
      const [query] = seen
      return seen.length === 1 && query!.model === model && query!.action === 'create' && query!.args?.data
    },
  )
  await check('Transactions cannot be recognised, so caches are read in them', async () => {
    const probe = openProbe(client, seen)
    let isRecognised = false
    await probe.$transaction(async (tx: object) => {
      const transaction = transactionOf(tx)
      await createOn(tx, model)
      isRecognised = transaction !== undefined && transaction.id === seen.at(-1)?.transaction?.id
    })
    return isRecognised && transactionOf(probe) === undefined
  })
  return losses
}

/** The models whose writes cannot be planned exactly, one sentence per reason. */
function problemsOf(client: object): readonly string[] {
  const models = [...describeSchema(client).models.values()].filter(({ problem }) => problem !== undefined)
  return [...Map.groupBy(models, ({ problem }) => problem!)].map(([problem, affected]) => {
    const names = affected.map(({ name }) => name).join(', ')
    return `It is unknown which rows a write to ${names} affects, so each invalidates all rows of all models (${problem})`
  })
}

/** A client whose queries and transactions end before the database. */
function openProbe(client: object, seen: QueryParams[]): ReturnType<typeof probeOf> {
  return probeOf(
    client,
    {
      async query(params) {
        seen.push(params)
        return null
      },
    },
    { transaction: async () => ({ id: 'model-cache' }) },
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
