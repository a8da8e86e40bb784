import type { Random } from '#prisma/demo/random.js'

type Row = Readonly<Record<string, unknown>>

/**
 * One place in the code of an application: the model and the operation, and its arguments. `a` returns the value of a field of a row, as
 * `customer.id`; all fields of one model in one query are those of the same row.
 */
export type CallSite = readonly [query: string, args: (a: (path: string) => unknown) => object]

/** A query of a call site, with values of rows. */
interface Query {
  readonly model: string
  readonly action: string
  readonly args: Row
}

/** Makes a query of a call site: values of one random row of each model. */
export function queryOf(
  [query, args]: CallSite,
  rows: ReadonlyMap<string, readonly Row[]>,
  random: Random,
): Query {
  const [delegate, action] = query.split('.') as [string, string]
  const chosen = new Map<string, Row>()
  const value = (path: string): unknown => {
    const [owner, field] = path.split('.') as [string, string]
    const known = chosen.get(owner)
    if (known && known[field] !== null) return known[field]
    const all = rows.get(modelOf(owner))!.filter((row) => row[field] !== null)
    const row = random.pick(all)
    if (!known) chosen.set(owner, row)
    return row[field]
  }
  return { model: modelOf(delegate), action, args: args(value) as Row }
}

type Clients = Readonly<Record<string, Readonly<Record<string, (args: object) => Promise<unknown>>>>>

export async function ask(client: object, { action, args, model }: Query): Promise<unknown> {
  try {
    return await (client as Clients)[model.charAt(0).toLowerCase() + model.slice(1)]![action]!(args)
  } catch (error) {
    const { code, message } = error as { code?: string; message: string }
    if (code === undefined)
      throw new Error(`${model}.${action} is no query of this schema: ${message}`, { cause: error })
    return { code }
  }
}

const modelOf = (delegate: string): string => delegate.charAt(0).toUpperCase() + delegate.slice(1)

/** A result as text; rows that SQL may return in any order are in the order of their texts. Fields of `orderBy` are in the order given. */
export function resultText(result: unknown, { args }: Query): string {
  const ordered = [args['orderBy'] ?? []].flat().flatMap((order) => Object.entries(order as Row))
  const fields = ordered.flatMap(([field, direction]) => (typeof direction === 'string' ? [field] : []))
  const order = Array.isArray(result)
    ? result.map((row) => fields.map((field) => textOf((row as Row)[field])))
    : []
  return `${textOf(result)} ${JSON.stringify(order)}`
}

function textOf(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(textOf).toSorted().join()}]`
  if (typeof value !== 'object' || value === null)
    return typeof value === 'bigint' ? `${value}n` : (JSON.stringify(value) ?? 'undefined')
  if (value instanceof Date) return `Date(${value.getTime()})`
  if ('toFixed' in value) return `Decimal(${String(value)})`
  return `{${Object.entries(value)
    .map(([key, inner]) => `${key}:${textOf(inner)}`)
    .join()}}`
}
