import { createDefinition } from '../cache/policy/definition.js'
import { hasCode } from '../errors.js'
import type { Model, SchemaFacts } from '../source/schema-facts.js'
import { bindDefinition } from './bind-definition.js'
import { bindLookups } from './bind-lookups.js'
import { idKeysOf, printedKeyOf } from './id-keys.js'

interface PossibleLookup {
  readonly name: string
  readonly by: readonly string[]
  readonly through?: string | undefined
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
  const defined = { model: model.name, id: printedKeyOf(model), ttl: '1m' as const }
  const rows = bindDefinition(createDefinition(defined), facts)
  const isPossible = (kind: 'unique' | 'lists', { name, by, through }: PossibleLookup): boolean => {
    const options = through === undefined ? { by } : { through }
    try {
      bindLookups(createDefinition({ ...defined, [kind]: { [name]: options } }), rows, facts)
      return true
    } catch (error) {
      if (hasCode(error, 'E_INVALID_LOOKUP')) return false
      throw error
    }
  }
  const keys = [...model.uniqueKeys, ...model.nullableKeys].map(([name, by]) => ({ name, by }))
  const unique = keys.filter(({ by }) => !isSame(by, rows.idFields))
  return {
    unique: unique.filter((lookup) => isPossible('unique', lookup)),
    lists: listsOf(model)
      .filter(({ by }) => !keys.some((key) => isSame(key.by, by)))
      .filter((lookup) => isPossible('lists', lookup)),
  }
}

function listsOf({ relations }: Model): readonly PossibleLookup[] {
  return [...relations.values()].flatMap(({ field, fields, isVisible, keyHolder }): PossibleLookup[] => {
    const name = field.charAt(0).toUpperCase() + field.slice(1)
    if (!isVisible || keyHolder === 'target') return []
    return keyHolder === 'this'
      ? [{ name: `of${name}`, by: fields }]
      : [{ name: `with${name}`, by: [], through: field }]
  })
}

function isSame(fields: readonly string[], others: readonly string[]): boolean {
  return fields.length === others.length && fields.every((field) => others.includes(field))
}
