import { describeModels } from './writes/data-model.js'
import {
  bareClientOf,
  extendWith,
  type PrismaPromise,
  type PrismaTransaction,
  runtimeModelsOf,
  transactionOf,
  withoutEngine,
} from './writes/prisma-internals.js'

/**
 * Checks that Prisma behaves inside as `extendPrisma` assumes, without a connection. Each sentence of the list says what
 * is lost; an empty list says that all is well. Takes the client before or after it was extended.
 */
export async function verifyExtension(client: object): Promise<readonly string[]> {
  const losses: string[] = []
  const check = async (loss: string, holds: () => unknown): Promise<void> => {
    const reason = await attempt(holds)
    if (reason !== undefined) losses.push(`${loss} (${reason})`)
  }

  losses.push(...problemsOf(client))
  const model = Object.keys(runtimeModelsOf(client))[0]
  if (model === undefined) return [...losses, 'The client has no models, so no write is seen']

  const seen: (PrismaTransaction | undefined)[] = []
  const probe = probeOf(client, seen)
  await check('Query hooks are not called, so no write is seen', async () => {
    await createOn(probe, model)
    return seen.length === 1
  })
  await check(
    'A query cannot be put into a transaction, so rows that only its result tells are fenced too late',
    async () => {
      const transaction: PrismaTransaction = { kind: 'itx', id: 'model-cache' }
      await createOn(probe, model).requestTransaction(transaction)
      return seen.at(-1)?.id === transaction.id
    },
  )
  await check('Writes in a transaction cannot be told from others, so they are fenced before it ends', () =>
    probe.$transaction(async (tx: object) => {
      const transaction = transactionOf(tx)
      await createOn(tx, model)
      if (!transaction || transaction.id !== seen.at(-1)?.id) throw new Error('another transaction was seen')
      return transactionOf(probe) === undefined
    }),
  )
  await check(
    'Queries of a batch do not say what they are, so what only their result tells are all rows',
    () => {
      const { spec } = createOn(probe, model)
      return spec?.action === 'create' && spec.model === model
    },
  )
  return losses
}

/** Which models cannot be planned exactly, one sentence for all that share the reason. */
function problemsOf(client: object): readonly string[] {
  const models = [...describeModels(client).values()].filter(({ problem }) => problem !== undefined)
  return [...Map.groupBy(models, ({ problem }) => problem!)].map(([problem, affected]) => {
    const names = affected.map(({ name }) => name).join(', ')
    return `It is unknown which rows a write to ${names} affects, so each invalidates all rows of its model and of all related models (${problem})`
  })
}

/** A client whose queries end in its hook, and whose transactions are none. */
function probeOf(client: object, seen: (PrismaTransaction | undefined)[]): ReturnType<typeof bareClientOf> {
  const probe = extendWith(bareClientOf(client), ['create'], async ({ params }) => {
    seen.push(params.transaction)
    return null
  })
  withoutEngine(probe)
  return probe
}

/** Lazy: nothing happens before it is awaited. */
function createOn(client: object, model: string): PrismaPromise {
  return (client as Record<string, { create(args: object): PrismaPromise }>)[model]!.create({ data: {} })
}

/** Why something does not hold, or undefined when it does. */
async function attempt(holds: () => unknown): Promise<string | undefined> {
  try {
    return (await holds()) ? undefined : 'it behaves otherwise'
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}
