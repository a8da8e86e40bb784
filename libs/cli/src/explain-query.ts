import {
  type CatalogueListing,
  delegateNameOf,
  describeSchemaText,
  isRead,
  modelKeys,
  modelsRead,
  registerIn,
  registerNameOf,
  type ValkeyNodes,
} from 'model-cache/internal'
import { type Output, UsageError } from './command.js'
import { type ExplainedResult, explainResult } from './explain-result.js'
import { readPrismaSchema } from './prisma-schema.js'

/** `Item.findMany`, or `item.findMany`. */
export const isQueryName = (name: string): boolean => /^\w+\.(find\w+|count|aggregate|groupBy)$/.test(name)

/** Whether running processes keep the result of a query, and what is stored. */
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
  /** The result of the query; null if no process keeps it. */
  readonly result: ExplainedResult | null
}

/**
 * @param name of a model and an operation: `Item.findMany`
 * @param text the arguments, as JSON
 * @throws UsageError
 */
export async function explainQuery(
  place: { readonly nodes: ValkeyNodes; readonly namespace: string; readonly listed: CatalogueListing },
  {
    name,
    schema,
    text,
  }: { readonly name: string; readonly text: string; readonly schema: string | undefined },
  output: Output,
): Promise<QueryExplanation> {
  const { listed, namespace, nodes } = place
  const facts = describeSchemaText((await readPrismaSchema(output.folder, schema)).text)
  const { models } = facts
  const [given, action] = name.split('.') as [string, string]
  const model = [...models.keys()].find((known) => known === given || delegateNameOf(known) === given)
  if (model === undefined) throw new UsageError(`The Prisma schema has no model "${given}".`)
  if (!isRead(action)) throw new UsageError(`"${action}" is no operation that reads.`)
  const args = argumentsIn(text)
  const read = [...modelsRead(models, { model, action, args })]
  const explained = async (each: string): Promise<QueryExplanation['models'][number]> => {
    const name = registerNameOf(each)
    if (!listed.caches.some((cache) => cache.name === name))
      return { model: each, isKept: false, isFenced: false }
    const { registerKey } = modelKeys(namespace, name)
    const register = (await nodes.nodeOf(registerKey).call('GET', registerKey)) as string | null
    return { model: each, isKept: true, isFenced: registerIn(register ?? '')?.isFenced ?? false }
  }
  const kept = await Promise.all(read.toSorted().map(explained))
  const isKept = kept.every((each) => each.isKept)
  const result = isKept ? await explainResult(place, facts, { model, action, args }, read) : null
  return { model, action, models: kept, result }
}

/** @throws UsageError */
function argumentsIn(text: string): Readonly<Record<string, unknown>> {
  try {
    const args: unknown = JSON.parse(text)
    if (typeof args === 'object' && args !== null && !Array.isArray(args))
      return args as Readonly<Record<string, unknown>>
  } catch {
    // As for other values.
  }
  throw new UsageError(`The arguments are ${text}; expected JSON, as {"where":{"name":"tea"}}.`)
}

/** What people read of it. */
export function printQuery({ action, model, models, result }: QueryExplanation, { line }: Output): void {
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
  if (result) for (const text of resultLines(result)) line(text)
  if (fenced.length > 0)
    line(`  not stored   a write to ${fenced.join(', ')} is running, so nothing is stored until it has ended`)
}

const reasons = {
  not_cached: 'nothing is stored for these arguments, spelled and ordered so',
  expired: 'the time of the result has ended',
  undecodable: 'what is stored is damaged',
  invalidated: 'a result is stored, and does not count any more',
} as const

const unknown: Readonly<Record<Extract<ExplainedResult, { unknown: string }>['unknown'], string>> = {
  arguments: 'only Prisma knows what these arguments find, so no result answers them',
  kept_out: 'it returns fields that must not be cached, so no result answers it',
  form: 'results are encrypted or compressed, so only the application knows its key',
  schema:
    'running processes have another schema, or a client with `omit`, so only the application knows its key',
  keys: 'results of its models end by so many fields that only the application knows its key',
  version: 'another version of model-cache keeps the results: run the command of that version',
}

function resultLines(result: ExplainedResult): readonly string[] {
  if ('unknown' in result) return [`  unknown      ${unknown[result.unknown]}`]
  const { endedBy, key, stored } = result
  const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`
  if (stored.isHit)
    return [
      `  hit          stored ${seconds(stored.ageMs)} ago, expires in ${seconds(stored.expiresInMs)}, ${stored.length} bytes`,
      `  key          ${key}`,
    ]
  const reason = reasons[stored.reason as keyof typeof reasons] ?? stored.reason
  const ended = endedBy.length > 0 ? `: changed since: ${endedBy.join(', ')}` : ''
  return [
    `  miss         ${reason}${ended}`,
    `  key          ${key}`,
    '               that of a client without computed fields, and of no view of `cached`; a Date is not its text.',
    '               `explainQuery` in the application knows it for its client.',
  ]
}
