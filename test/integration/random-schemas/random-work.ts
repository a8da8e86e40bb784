/** Writes of a random schema by a client of Prisma, alone or in transactions. */
import type { Random } from '../differential/random.ts'
import { type Query, randomQuery } from './random-nested-write.ts'
import { randomRawQuery } from './random-raw-write.ts'
import type { Rows } from './random-rows.ts'
import type { Schema } from './random-schema.ts'

type Method = (...args: readonly unknown[]) => PromiseLike<unknown>
export type Client = Record<string, Record<string, Method>> & {
  $transaction(work: unknown): Promise<unknown>
  $disconnect(): Promise<void>
}

/** One write, or several in one transaction. */
export interface Work {
  readonly form: 'alone' | 'batch' | 'callback' | 'callback that goes on after errors'
  readonly queries: readonly Query[]
}

export function randomWork(random: Random, schema: Schema, rows: Rows): Work {
  const form = random.chance(75)
    ? 'alone'
    : random.pick(['batch', 'callback', 'callback that goes on after errors'] as const)
  const count = form === 'alone' ? 1 : 1 + random.below(3)
  const queries = Array.from({ length: count }, () =>
    random.chance(15) ? randomRawQuery(random, schema, rows) : randomQuery(random, schema, rows),
  )
  return { form, queries }
}

/** What the application sees of it. A write that is refused has changed nothing, unless it is caught. */
export async function run(client: Client, { form, queries }: Work): Promise<string> {
  const refusals: string[] = []
  const send = async (tx: Client): Promise<unknown[]> => {
    const results: unknown[] = []
    for (const query of queries) {
      const sent = Promise.resolve(call(tx, query))
      const isCaught = form === 'callback that goes on after errors'
      results.push(
        await (isCaught ? sent.catch((error: unknown) => void refusals.push(refusal(error))) : sent),
      )
    }
    return results
  }
  try {
    const results = await (form === 'alone'
      ? send(client)
      : client.$transaction(form === 'batch' ? queries.map((query) => call(client, query)) : send))
    return JSON.stringify([results, refusals])
  } catch (error) {
    return [...refusals, refusal(error)].join(', then ')
  }
}

export function isRaw({ operation }: Query): boolean {
  return operation.startsWith('$')
}

function call(client: Client, query: Query): PromiseLike<unknown> {
  const { args, model, operation } = query
  if (isRaw(query))
    return (client as unknown as Record<string, Method>)[operation]!(...(args as readonly unknown[]))
  return client[`${model[0]!.toLowerCase()}${model.slice(1)}`]![operation]!(args)
}

/** What Prisma throws where a one-to-one relation has several rows, as it may through a view. */
const ofSeveral = 'Expected zero or one element'

/** @throws what is not an error of Prisma */
function refusal(error: unknown): string {
  if (error instanceof Error && error.message.startsWith(ofSeveral)) return error.message
  const { code, meta, name } = error as { code?: string; meta?: { modelName?: string }; name: string }
  if (!(error instanceof Error) || !name.startsWith('PrismaClient')) throw error
  return [name, code, meta?.modelName].join(' ')
}
