import { Decimal } from '@prisma/client/runtime/client'
import { isPlain } from '../../plain.js'
import type { Args } from '../internals.js'

/**
 * The arguments of a query as text: equal texts stand for the same query. The order of fields counts, as that of what is selected may show
 * in the result; fields that are undefined do not, except in `omit`, where they take the place of what the client omits. Undefined for
 * arguments with values of which only Prisma knows what they mean: references to fields, nulls of Json, malformed texts.
 *
 * @param args a copy, of plain objects
 */
export function argumentText(args: unknown): string | undefined {
  return textOf(args, false)
}

/** @param countsUndefined whether the fields of an object that are undefined count */
function textOf(args: unknown, countsUndefined: boolean): string | undefined {
  switch (typeof args) {
    case 'string':
      return args.isWellFormed() ? JSON.stringify(args) : undefined
    case 'number':
      return Object.is(args, -0) ? '-0' : String(args)
    case 'boolean':
    case 'undefined':
      return String(args)
    case 'bigint':
      return `${args}n`
    case 'object':
      break
    default:
      return undefined
  }
  if (args === null) return 'null'
  if (Array.isArray(args)) return joined('[', args, argumentText)
  if (isPlain(args)) {
    const fieldText = (name: string): string | undefined => {
      const text = textOf(args[name], name === 'omit')
      return text === undefined ? undefined : `${JSON.stringify(name)}:${text}`
    }
    const given = Object.keys(args).filter((name) => countsUndefined || args[name] !== undefined)
    return joined('{', given, fieldText)
  }
  if (args instanceof Date) return Number.isNaN(args.getTime()) ? undefined : `@${args.toISOString()}`
  if (args instanceof Uint8Array) return `#${Buffer.from(args).toString('base64')}`
  return Decimal.isDecimal(args) ? `~${args.toString()}` : undefined
}

/** Whether any argument is undefined, which some clients refuse. */
export function hasUndefined(args: unknown): boolean {
  if (Array.isArray(args)) return args.some(hasUndefined)
  return args === undefined || (isPlain(args) && Object.values(args).some(hasUndefined))
}

function joined<T>(
  start: string,
  items: readonly T[],
  textOf: (item: T) => string | undefined,
): string | undefined {
  let text = start
  for (const item of items) {
    const one = textOf(item)
    if (one === undefined) return undefined
    text += `${one},`
  }
  return text
}

/**
 * Returns what decides the results of queries besides their arguments.
 *
 * @param needs the fields that computed fields read, by model; empty without computed fields
 * @param omitted what the client omits, by model; null for nothing
 */
export function resultHeadOf(
  { action, model }: { readonly action: string; readonly model: string },
  needs: readonly unknown[],
  omitted: readonly (Args | null)[],
): string {
  return `${model}.${action} ${JSON.stringify([needs, omitted])}`
}

/** Returns the text that stands for a query: equal texts have the same result. Undefined if only Prisma knows what it reads. */
export function resultTextOf(head: string, dataPath: readonly string[], args: Args): string | undefined {
  const text = argumentText(args)
  return text === undefined ? undefined : `${head} ${dataPath.join('.')} ${text}`
}
