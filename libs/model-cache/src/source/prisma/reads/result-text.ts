import type { Models } from '../../schema-facts.js'
import type { Args, QueryParams } from '../internals.js'
import { argumentText } from './argument-text.js'
import { returnsKeptOut } from './kept-out-fields.js'
import { modelsRead } from './models-read.js'
import { sentFor } from './sent-for-result.js'

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

/**
 * Returns the text of a query of a client that omits nothing and has no computed fields, or why no result answers it.
 *
 * @param query its arguments are plain objects
 */
export function plainResultTextOf(
  models: Models,
  query: NamedQuery & { readonly args: Args },
): { readonly text: string } | { readonly refusal: 'kept_out' | 'arguments' } {
  const { args } = query
  if (returnsKeptOut({ models, omittedOf: () => undefined, neededOf: () => [] }, query))
    return { refusal: 'kept_out' }
  const params: QueryParams = { ...query, dataPath: [] }
  const omitted = [...modelsRead(models, query)].map(() => null)
  const text = sentFor(models, params, args) && resultTextOf(resultHeadOf(query, [], omitted), [], args)
  return text === undefined ? { refusal: 'arguments' } : { text }
}
