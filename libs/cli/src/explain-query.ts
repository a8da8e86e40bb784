import {
  type CatalogueListing,
  delegateNameOf,
  describeSchemaText,
  isRead,
  modelKeys,
  modelsRead,
  registerIn,
  type ValkeyNodes,
} from 'model-cache/internal'
import { type Output, UsageError } from './command.js'
import { readPrismaSchema } from './prisma-schema.js'

/** `Item.findMany`, or `item.findMany`. */
export const isQueryName = (name: string): boolean => /^\w+\.(find\w+|count|aggregate|groupBy)$/.test(name)

/** Whether running processes keep the result of a query. */
export interface QueryExplanation {
  readonly model: string
  readonly action: string
  /** The models that it reads. */
  readonly models: readonly {
    readonly model: string
    /** Whether a process keeps results that read it. */
    readonly isKept: boolean
    /** Whether a write to it is running that the store knows of: nothing is stored until it has ended. */
    readonly isFenced: boolean
  }[]
}

/**
 * @param name of a model and an operation: `Item.findMany`
 * @param text the arguments, as JSON
 * @throws UsageError
 */
export async function explainQuery(
  {
    listed,
    namespace,
    nodes,
  }: { readonly nodes: ValkeyNodes; readonly namespace: string; readonly listed: CatalogueListing },
  {
    name,
    schema,
    text,
  }: { readonly name: string; readonly text: string; readonly schema: string | undefined },
  output: Output,
): Promise<QueryExplanation> {
  const { models } = describeSchemaText((await readPrismaSchema(output.folder, schema)).text)
  const [given, action] = name.split('.') as [string, string]
  const model = [...models.keys()].find((known) => known === given || delegateNameOf(known) === given)
  if (model === undefined) throw new UsageError(`The Prisma schema has no model "${given}".`)
  if (!isRead(action)) throw new UsageError(`"${action}" is no operation that reads.`)
  const read = [...modelsRead(models, { model, action, args: argumentsIn(text) })]
  const explained = async (each: string): Promise<QueryExplanation['models'][number]> => {
    const name = `${each}.results`
    if (!listed.caches.some((cache) => cache.name === name))
      return { model: each, isKept: false, isFenced: false }
    const { registerKey } = modelKeys(namespace, name)
    const register = (await nodes.nodeOf(registerKey).call('GET', registerKey)) as string | null
    return { model: each, isKept: true, isFenced: registerIn(register ?? '')?.isFenced ?? false }
  }
  return { model, action, models: await Promise.all(read.toSorted().map(explained)) }
}

/** @throws UsageError */
function argumentsIn(text: string): object {
  try {
    const args: unknown = JSON.parse(text)
    if (typeof args === 'object' && args !== null && !Array.isArray(args)) return args
  } catch {
    // As for other values.
  }
  throw new UsageError(`The arguments are ${text}; expected JSON, as {"where":{"name":"tea"}}.`)
}

/** What people read of it. */
export function printQuery({ action, model, models }: QueryExplanation, { line }: Output): void {
  const [kept, others] = [true, false].map((isKept) =>
    models.flatMap((each) => (each.isKept === isKept ? [each.model] : [])),
  )
  const fenced = models.flatMap((each) => (each.isFenced ? [each.model] : []))
  line(`${model}.${action}`)
  line(`  reads        ${models.map((each) => each.model).join(', ')}`)
  line(
    others!.length > 0
      ? `  no result    no process keeps results of ${others!.join(', ')}: \`reads.results\` needs all of these models`
      : `  result       kept, if rows do not answer the query, until ${kept!.join(' or ')} is written`,
  )
  if (fenced.length > 0)
    line(`  not stored   a write to ${fenced.join(', ')} is running, so nothing is stored until it has ended`)
}
