import type { AnyModelCacheDefinition } from '../cache/policy/definition.js'
import type { WirePlan } from '../codec/wire-plan.js'
import type { AnyBoundDefinition } from './bind-definition.js'
import {
  invalidSelectionError,
  materializedViewError,
  missingDependenciesError,
  missingViewTablesError,
  unknownModelError,
} from '../configuration-errors.js'
import { selectedKeptOut } from '../source/kept-out.js'
import { relatedModelsOf } from '../source/related-models.js'
import { omissionsOf, type RowShapeFacts, type Selection } from '../source/row-shape.js'
import type { Models, SchemaFacts } from '../source/schema-facts.js'
import type { SharedTables } from '../source/shared-tables.js'
import type { Tables } from '../source/tables.js'

/**
 * Checks a definition against the Prisma schema: its models, the models that its rows depend on, and its fields.
 *
 * @throws ConfigurationError
 */
export function verifyDefinition(facts: RowShapeFacts, definition: AnyBoundDefinition): void {
  const { models } = facts
  verifyModels(models, definition)
  verifyViews(models, definition)
  if (definition.load) return
  verifyDependencies(models, definition)
  if (!definition.schema) return
  verifyFields(facts, definition)
  verifyKeptOut(facts, definition)
}

/**
 * Checks that the client has the models of a definition, spelled as in the Prisma schema: writes are matched by these names.
 *
 * @throws ConfigurationError
 */
export function verifyModels(
  models: Models,
  { name, model, load, dependsOn }: AnyModelCacheDefinition,
): void {
  const known = [...models.values()].filter(({ isVisible }) => isVisible).map((visible) => visible.name)
  if (known.length === 0) return
  const isMisspelt = known.some((other) => other.toLowerCase() === model.toLowerCase())
  // A `load` may return rows that belong to no Prisma model.
  if (!known.includes(model) && (!load || isMisspelt)) throw unknownModelError(name, model, known)
  const unknown = dependsOn !== 'ttl' && dependsOn?.find((other) => !known.includes(other))
  if (unknown) throw unknownModelError(name, unknown, known, 'dependsOn')
}

/**
 * Checks that `dependsOn` covers the models that a definition reads through relations.
 *
 * @throws ConfigurationError
 */
export function verifyDependencies(
  models: Models,
  { name, model, dependsOn, selection }: AnyBoundDefinition,
): void {
  if (dependsOn === 'ttl') return
  const related = relatedModelsOf(models, model, selection)
  const missing = related.filter((other) => !dependsOn?.includes(other))
  if (missing.length === 0) return
  const reason = `its rows hold data of ${missing.join(', ')}`
  throw missingDependenciesError(name, reason, [...new Set([...(dependsOn ?? []), ...related])])
}

/**
 * Checks that `dependsOn` names tables of the views whose data the rows hold: no relation shows which these are.
 *
 * @throws ConfigurationError
 */
export function verifyViews(
  models: Models,
  { dependsOn, load, model, name, selection }: AnyBoundDefinition,
): void {
  const isView = (one: string): boolean => models.get(one)?.isView ?? false
  if (dependsOn === 'ttl' || dependsOn?.some((one) => !isView(one))) return
  const related = load ? [] : relatedModelsOf(models, model, selection)
  const view = [model, ...related, ...(dependsOn ?? [])].find(isView)
  if (view === undefined) return
  throw missingViewTablesError(name, view)
}

/**
 * Checks that writes can be known which change the rows of views that a cache holds, as the database describes these.
 *
 * @throws ConfigurationError
 */
export function verifySharedTables(name: string, { models }: Tables, shared: SharedTables): void {
  const [, ...others] = models
  const knowsTable = others.some((other) => !other.isJoin && shared.of(other)?.kind !== 'view')
  for (const table of models) {
    const rows = shared.of(table)
    if (rows?.isMaterialized) throw materializedViewError(name, table.model)
    if (rows?.isOpaque && !knowsTable) throw missingViewTablesError(name, table.model, opaque)
  }
}

const opaque =
  'what it reads cannot be determined, because it calls functions that may read any table, or because this role may not see its definition'

/**
 * Checks that `select` or `include` returns the fields of the schema. Rows that lack one would never be cached.
 *
 * @throws ConfigurationError
 */
export function verifyFields(
  facts: RowShapeFacts,
  { name, model, plan, selection }: AnyBoundDefinition,
): void {
  const problem = contradiction(facts, model, selection, plan, '')
  if (problem) throw invalidSelectionError(name, problem)
}

function contradiction(
  facts: RowShapeFacts,
  model: string,
  selection: Selection,
  plan: WirePlan,
  path: string,
): string | undefined {
  const fields = fieldsOf(plan)
  if (!fields) return undefined
  const { select, include } = selection
  const chosen = (select ?? include ?? {}) as Record<string, unknown>
  const relations = facts.models.get(model)?.relationTargets
  const isOmitted = omissionsOf(facts, model, selection)
  const isGiven = (field: string): boolean => {
    const value = chosen[field]
    if (value !== undefined) return value !== false
    return !select && !relations?.has(field) && field !== '_count' && !isOmitted(field)
  }
  const lacking = fields.find(({ name, optional }) => !optional && !isGiven(name))
  if (lacking) {
    const found = `its schema has "${path}${lacking.name}", which`
    if (isOmitted(lacking.name))
      return `${found} \`omit\` leaves out, of the definition or of the Prisma client, so no row would match; name it in a \`select\` or remove it from the schema.`
    const option = select ? 'select' : 'include'
    return `${found} \`${option}\` leaves out, so no row would match; add it to \`${option}\` or remove it from the schema.`
  }
  for (const [field, value] of Object.entries(chosen)) {
    const part = fields.find(({ name }) => name === field)
    if (!part && value) {
      return `\`${select ? 'select' : 'include'}\` has "${path}${field}", which its schema lacks; add it to the schema or leave it out.`
    }
    const nested = part && selectionIn(value, relations?.has(field) ?? false)
    const problem =
      nested && contradiction(facts, relations?.get(field) ?? model, nested, part.plan, `${path}${field}.`)
    if (problem) return problem
  }
  return undefined
}

/** What a selection selects of a field; undefined where its value does not say. */
function selectionIn(value: unknown, isRelation: boolean): Selection | undefined {
  if (typeof value === 'object' && value !== null)
    return isRelation || 'select' in value || 'include' in value ? value : undefined
  // The fields of its rows, and none of their relations.
  return value === true && isRelation ? { include: {} } : undefined
}

/** The fields of an object, or of the objects in a list; undefined for other plans. */
function fieldsOf(plan: WirePlan): Extract<WirePlan, { kind: 'object' }>['fields'] | undefined {
  if (plan.kind === 'array') return fieldsOf(plan.items)
  return plan.kind === 'object' ? plan.fields : undefined
}

/**
 * Checks that a schema by hand has no field that the Prisma schema marks `/// @cache(omit)`.
 *
 * @throws ConfigurationError
 */
export function verifyKeptOut(
  facts: RowShapeFacts,
  { name, model, plan, selection }: AnyBoundDefinition,
): void {
  const field = keptOutIn(facts, model, selection, plan)
  if (field === undefined) return
  throw invalidSelectionError(
    name,
    `its schema has "${field}", which is marked \`/// @cache(omit)\` in the Prisma schema; remove one of the two.`,
  )
}

function keptOutIn(
  facts: RowShapeFacts,
  modelName: string,
  selection: Selection | undefined,
  plan: WirePlan,
): string | undefined {
  if (plan.kind === 'array') return keptOutIn(facts, modelName, selection, plan.items)
  if (plan.kind === 'union')
    return plan.branches.map((branch) => keptOutIn(facts, modelName, selection, branch.plan)).find(isFound)
  // JSON, which has whatever is selected.
  if (plan.kind !== 'object') return selection && selectedKeptOut(facts, modelName, selection)
  const model = facts.models.get(modelName)
  const chosen = (selection?.select ?? selection?.include ?? {}) as Record<string, unknown>
  const found = plan.fields.map(({ name, plan: part }): string | undefined => {
    if (model?.scalars.get(name)?.isKeptOut) return name
    const target = model?.relationTargets.get(name)
    const nested = target && keptOutIn(facts, target, selectionIn(chosen[name], true), part)
    return nested && `${name}.${nested}`
  })
  return found.find(isFound)
}

const isFound = (field: string | undefined): boolean => field !== undefined

/**
 * What an application should change about a definition, in sentences.
 *
 * @param hashesKeys whether keys of the store hold hashes of ids
 */
export function warningsOf(
  definition: AnyBoundDefinition,
  facts: SchemaFacts | undefined,
  hashesKeys: boolean,
): readonly string[] {
  const { idFields, lookups, name, plan, schema } = definition
  const warnings: string[] = []
  const secrets = unselectedSecrets(definition, plan)
  if (secrets.length > 0) {
    const [them, they] = secrets.length === 1 ? ['it', 'it is'] : ['them', 'they are']
    const keys = new Set([...idFields, ...lookups.flatMap(({ by }) => by)])
    const inKeys = hashesKeys ? [] : secrets.filter((field) => keys.has(field))
    warnings.push(
      `ModelCache "${name}": ${secrets.join(', ')} may be secret, and will be copied to the store. ` +
        (inKeys.length > 0
          ? `Rows are read by ${inKeys.join(', ')}, so the keys of the store have it in clear text: set \`atRest.hashKeys\`, or read ` +
            'these rows from the database. '
          : '') +
        (schema
          ? `Remove ${them} from the schema and from the loaded rows, or list ${them} in \`select\` if this is intended.`
          : `List ${them} in \`omit\`, mark ${them} \`/// @cache(omit)\` in the Prisma schema, or list ${them} in \`select\` if ` +
            `${they} meant to be cached.`),
    )
  }
  const untyped = facts ? untypedOmissions(facts.models, definition) : []
  if (untyped.length > 0) {
    const omit = untyped.map((field) => `${field}: true`).join(', ')
    warnings.push(
      `ModelCache "${name}": the Prisma schema keeps ${untyped.join(', ')} out of its rows by \`/// @cache(omit)\`, but ` +
        `their type does not know it. Add \`omit: { ${omit} }\` to the definition, so that code which reads it does not compile.`,
    )
  }
  return warnings
}

/** Returns the fields that the Prisma schema keeps out of a derived row, while the type of the definition still has them. */
function untypedOmissions(
  models: Models,
  { model, schema, select, omit }: AnyModelCacheDefinition,
): readonly string[] {
  if (schema || select) return []
  // Without a schema its rows come from the model, so there is one.
  const keptOut = [...models.get(model)!.scalars].filter(([, { isKeptOut }]) => isKeptOut)
  return keptOut
    .map(([field]) => field)
    .filter((field) => !(omit as Record<string, unknown> | undefined)?.[field])
}

/** Returns the fields whose names look like secrets and that no `select` lists. */
export function unselectedSecrets(selection: Selection, plan: WirePlan, path = ''): readonly string[] {
  const chosen = (selection.select ?? {}) as Record<string, unknown>
  return (fieldsOf(plan) ?? []).flatMap((field) => {
    const nested = (chosen[field.name] ?? {}) as Selection
    if (namesSecret(field.name) && !chosen[field.name]) return [path + field.name]
    return unselectedSecrets(nested, field.plan, `${path}${field.name}.`)
  })
}

/** Matches whole words of a camel- or snake-case name; passwords also within a word, as in `userpassword`. */
const secret = /[Pp]assw(or)?d|((^|_)(secret|token|hash)|Secret|Token|Hash)s?(?![a-z])/

/** Whether the name of a field looks like that of a secret. */
export function namesSecret(field: string): boolean {
  return secret.test(field)
}
