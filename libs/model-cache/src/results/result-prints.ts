import { hash } from 'node:crypto'
import type { Relation, SchemaFacts } from '../source/schema-facts.js'
import { tablesOf } from '../source/tables.js'

/** Raise it whenever the bytes of a stored result change. */
const wireVersion = 5

/** What decides the results of queries of a model, besides the queries: 11 characters. */
export function modelPrintOf(facts: SchemaFacts, model: string): string {
  return printOf([wireVersion, shapeOf(facts, model)])
}

/** What the results of queries have in common that read the same models, with the same options. */
export interface PrintedResults {
  /** The options of `cached`, as JSON; `''` for queries of the client itself. */
  readonly own: string
  /** The models that they read, in order of their names. */
  readonly models: readonly {
    /** The print by {@link modelPrintOf}. */
    readonly print: string
    /** The fields by whose values results of the model end, in order. */
    readonly by: readonly string[]
  }[]
  /** The name of the form in which they are stored; undefined for that of their codec. */
  readonly form: string | undefined
}

/** The fingerprint of results: 11 characters. */
export function resultPrintOf({ form, models, own }: PrintedResults): string {
  const prints = models.map(({ by, print }) => [print, by])
  return printOf([own, ...prints, ...(form === undefined ? [] : [form])])
}

/** What stands for a query in the key of its result: 43 characters. */
export function resultDigestOf(text: string): string {
  return hash('sha256', text, 'base64url')
}

function printOf(value: unknown): string {
  return resultDigestOf(JSON.stringify(value)).slice(0, 11)
}

function shapeOf(facts: SchemaFacts, model: string): unknown {
  const known = facts.models.get(model)
  if (!known) return null
  const { relations, relationTargets, scalars } = known
  const tables = tablesOf(facts, { model, dependsOn: [], fields: [...scalars.keys()], relations: [] })
  return [
    tables?.models[0],
    [...relationTargets],
    Array.from(relations.values(), whatJoins),
    facts.omittedOf(model) ?? null,
  ]
}

/** What decides which rows a relation has. */
function whatJoins({ field, fields, isList, joinTable, references, targetField }: Relation): unknown {
  return [field, targetField, fields, references, isList, joinTable ?? null]
}
