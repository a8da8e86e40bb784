import type { Args } from '../internals.js'
import { argumentText } from './argument-text.js'

interface NamedQuery {
  readonly model: string
  readonly action: string
}

/**
 * Returns what decides the results of queries besides their arguments.
 *
 * @param needs the fields that computed fields read, by model; empty without computed fields
 * @param omitted what the client omits, by model; null for nothing
 */
export function resultHeadOf(
  { action, model }: NamedQuery,
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
