import type { CallSite } from './corpus/call-site.ts'

type Row = Readonly<Record<string, unknown>>
type Fields = Readonly<Record<string, unknown>>

/** A client, as far as call sites use it. */
export type Asked = Readonly<Record<string, Readonly<Record<string, (args: object) => Promise<unknown>>>>>

/** A query of a call site, with values of rows. */
export interface Query {
  readonly model: string
  readonly action: string
  readonly args: Fields
}

/** Makes a query of a call site: values of one random row of each model. */
export function queryOf([query, args]: CallSite, rows: ReadonlyMap<string, readonly Row[]>, random: () => number): Query {
  const [delegate, action] = query.split('.') as [string, string]
  const chosen = new Map<string, Row>()
  const value = (path: string): unknown => {
    const [owner, field] = path.split('.') as [string, string]
    const known = chosen.get(owner)
    if (known && known[field] !== null) return known[field]
    const all = rows.get(modelOf(owner))!.filter((row) => row[field] !== null)
    const row = all[Math.floor(random() * all.length)]!
    if (!known) chosen.set(owner, row)
    return row[field]
  }
  return { model: modelOf(delegate), action, args: args(value) as Fields }
}

export async function ask(client: object, { action, args, model }: Query): Promise<unknown> {
  try {
    return await (client as Asked)[model.charAt(0).toLowerCase() + model.slice(1)]![action]!(args)
  } catch (error) {
    const { code, message } = error as { code?: string; message: string }
    if (code === undefined) throw new Error(`${model}.${action} is no query of this schema: ${message}`, { cause: error })
    return { code }
  }
}

const modelOf = (delegate: string): string => delegate.charAt(0).toUpperCase() + delegate.slice(1)

/** A result as text; rows that SQL may return in any order are in the order of their texts. Fields of `orderBy` are in the order given. */
export function resultText(result: unknown, { args }: Query): string {
  const ordered = [args['orderBy'] ?? []].flat().flatMap((order) => Object.entries(order as Fields))
  const fields = ordered.flatMap(([field, direction]) => (typeof direction === 'string' ? [field] : []))
  const order = Array.isArray(result) ? result.map((row) => fields.map((field) => textOf((row as Row)[field]))) : []
  return `${textOf(result)} ${JSON.stringify(order)}`
}

function textOf(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(textOf).toSorted().join()}]`
  if (typeof value !== 'object' || value === null) return typeof value === 'bigint' ? `${value}n` : (JSON.stringify(value) ?? 'undefined')
  if (value instanceof Date) return `Date(${value.getTime()})`
  if ('toFixed' in value) return `Decimal(${String(value)})`
  return `{${Object.entries(value).map(([key, inner]) => `${key}:${textOf(inner)}`).join()}}`
}
