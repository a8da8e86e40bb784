import { bindDefinition } from 'model-cache/advanced'
import {
  bindLookups,
  capitalized,
  createDefinition,
  defaultKeyOf,
  hasCode,
  idKeysOf,
  type Model,
  type SchemaFacts,
} from 'model-cache/internal'
import { foldOption } from './fold-option.js'

interface PossibleLookup {
  readonly name: string
  readonly by: readonly string[]
  readonly through?: string | undefined
  /** For a key of text that a collation compares. */
  readonly fold?: 'case'
}

/** The lookups that a cache of a model could have. */
export interface PossibleLookups {
  readonly unique: readonly PossibleLookup[]
  readonly lists: readonly PossibleLookup[]
}

/**
 * Returns the unique keys of a model besides its id, and the lists of its foreign keys and many-to-many relations: those that the start
 * of an application would not refuse.
 */
export function possibleLookupsOf(model: Model, facts: SchemaFacts): PossibleLookups {
  if (idKeysOf(model).size === 0) return { unique: [], lists: [] }
  const { idFields } = bindDefinition(createDefinition(definedFor(model)), facts)
  const test = lookupTestOf(model, facts)
  const isPossible = (kind: 'unique' | 'lists', { by, fold, name, through }: PossibleLookup): boolean =>
    test({ [kind]: { [name]: { ...(through === undefined ? { by } : { through }), ...(fold && { fold }) } } })
  const folded = (lookup: PossibleLookup): PossibleLookup => ({
    ...lookup,
    ...foldOption(facts.models, model, lookup),
  })
  const keys = [...model.uniqueKeys, ...model.nullableKeys].map(([name, by]) => folded({ name, by }))
  const unique = keys.filter(({ by }) => !isSame(by, idFields))
  return {
    unique: unique.filter((lookup) => isPossible('unique', lookup)),
    lists: listsOf(model)
      .map(folded)
      .filter(({ by }) => !keys.some((key) => isSame(key.by, by)))
      .filter((lookup) => isPossible('lists', lookup)),
  }
}

/**
 * Returns a test whether an application with some `unique` or `lists` would start, in a definition of rows with all fields of a model.
 *
 * @throws ConfigurationError if there is no such definition
 */
export function lookupTestOf(
  model: Model,
  facts: SchemaFacts,
): (lookups: { readonly unique?: object; readonly lists?: object }) => boolean {
  const defined = definedFor(model)
  const rows = bindDefinition(createDefinition(defined), facts)
  return (lookups) => {
    try {
      bindLookups(createDefinition({ ...defined, ...lookups } as never), rows, facts)
      return true
    } catch (error) {
      if (hasCode(error, 'E_INVALID_LOOKUP')) return false
      throw error
    }
  }
}

/** The options of a definition without lookups. */
function definedFor(model: Model) {
  return { model: model.name, id: printedKeyOf(model), ttl: '1m' as const }
}

function listsOf({ relations }: Model): readonly PossibleLookup[] {
  return [...relations.values()].flatMap(({ field, fields, isVisible, keyHolder }): PossibleLookup[] => {
    const name = capitalized(field)
    if (!isVisible || keyHolder === 'target') return []
    return keyHolder === 'this'
      ? [{ name: `of${name}`, by: fields }]
      : [{ name: `with${name}`, by: [], through: field }]
  })
}

function isSame(fields: readonly string[], others: readonly string[]): boolean {
  return fields.length === others.length && fields.every((field) => others.includes(field))
}

/** The key that a printed definition names, because it is not found otherwise: the primary key, or another one. */
export function printedKeyOf(model: Model): string | undefined {
  const keys = idKeysOf(model)
  if (keys.has(defaultKeyOf(model) ?? '')) return undefined
  const names = [...keys.keys()]
  return names.find((name) => keys.get(name)!.join() === model.primaryKey.join()) ?? names[0]
}
