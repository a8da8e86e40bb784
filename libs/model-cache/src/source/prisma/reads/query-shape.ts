import { isPlain } from '../../plain.js'
import type { Model, Models } from '../../schema-facts.js'
import { rowsTaken } from './rows-taken.js'

/** Stands for any value in a shape. `null` stands for itself, as a key or a list treats it in another way. */
export const anyValue = '?'

/** Names in arguments, without values: a part of a shape. */
export type Shaped =
  string | number | boolean | null | readonly Shaped[] | { readonly [name: string]: Shaped }

/** The arguments of a query without their values. */
export type ShapedArgs = Readonly<Record<string, Shaped>>

/** Names in the arguments of one query. Longer ones are not distinguished. */
const maxNames = 100

/**
 * Returns the arguments of a query without its values: `{ where: { teamId: '?', deletedAt: null }, take: 20 }`. Only names of the schema
 * and of Prisma are kept, so that a shape has nothing that a user has sent. Undefined if it is too long.
 */
export function queryShapeOf(models: Models, model: string, args: object): ShapedArgs | undefined {
  const shaper = new Shaper(models)
  const shape = shaper.args(models.get(model), args)
  return shaper.names > maxNames ? undefined : shape
}

const operators = new Set(
  (
    'equals in notIn not lt lte gt gte contains startsWith endsWith mode search has hasSome hasEvery isEmpty path ' +
    'string_contains string_starts_with string_ends_with array_contains array_starts_with array_ends_with'
  ).split(' '),
)
/** What conditions on relations may begin with. */
export const relationFilters: ReadonlySet<string> = new Set(['some', 'every', 'none', 'is', 'isNot'])
const sorts = new Set<unknown>(['asc', 'desc', 'first', 'last'])

class Shaper {
  readonly #models: Models
  names = 0

  constructor(models: Models) {
    this.#models = models
  }

  args(model: Model | undefined, args: object): ShapedArgs {
    return this.#each(args, (name, value) => {
      switch (name) {
        case 'where':
          return this.#where(model, value)
        case 'select':
        case 'include':
          return this.#selection(model, value)
        case 'omit':
          return this.#each(value, (field, flag) => (isFlag(model, field, flag) ? flag : undefined))
        case 'orderBy':
          return this.#listOf(value, (each) => this.#order(model, each))
        case 'take':
          return rowsTaken(value) === Infinity ? Number.MAX_SAFE_INTEGER : sizeOf(value)
        case 'skip':
          return sizeOf(value)
        case '_count':
        case '_sum':
        case '_avg':
        case '_min':
        case '_max':
          return typeof value === 'boolean'
            ? value
            : this.#each(value, (field, flag) =>
                field === '_all' || isFlag(model, field, flag) ? (flag as boolean) : undefined,
              )
        case 'by':
        case 'distinct':
          return [value].flat().filter((field) => model?.scalars.has(field as string)) as string[]
        case 'relationLoadStrategy':
          return value === 'join' || value === 'query' ? value : anyValue
        case 'cursor':
          return this.#where(model, value)
        default:
          return undefined
      }
    })
  }

  #where(model: Model | undefined, where: unknown): Shaped {
    return this.#each(where, (name, condition) => {
      if (name === 'AND' || name === 'OR' || name === 'NOT')
        return this.#listOf(condition, (each) => this.#where(model, each))
      if (model?.scalars.has(name)) return this.#condition(condition)
      const target = model?.relationTargets.get(name)
      if (target !== undefined) return this.#relation(this.#models.get(target), condition)
      const key = model?.uniqueKeys.get(name) ?? model?.nullableKeys.get(name)
      return key && Object.fromEntries(key.map((field) => [field, anyValue]))
    })
  }

  #condition(condition: unknown): Shaped {
    if (condition === null) return null
    if (!isPlain(condition)) return anyValue
    return this.#each(condition, (operator, operand) => {
      if (!operators.has(operator)) return undefined
      if (operator === 'not') return this.#condition(operand)
      return operand === null ? null : Array.isArray(operand) ? [anyValue] : anyValue
    })
  }

  #relation(target: Model | undefined, condition: unknown): Shaped {
    if (condition === null) return null
    const isFilter = isPlain(condition) && Object.keys(condition).every((name) => relationFilters.has(name))
    if (!isFilter) return this.#where(target, condition)
    return this.#each(condition, (_, each) => (each === null ? null : this.#where(target, each)))
  }

  #selection(model: Model | undefined, selection: unknown): Shaped {
    return this.#each(selection, (name, value) => {
      if (isFlag(model, name, value)) return value
      if (name === '_count') return typeof value === 'boolean' ? value : this.args(model, value as object)
      const target = model?.relationTargets.get(name)
      if (target === undefined) return undefined
      return typeof value === 'boolean' ? value : this.args(this.#models.get(target), value as object)
    })
  }

  #order(model: Model | undefined, order: unknown): Shaped {
    return this.#each(order, (name, direction) => {
      const target = model?.relationTargets.get(name)
      if (target !== undefined) return this.#order(this.#models.get(target), direction)
      if (!model?.scalars.has(name) && name !== '_count') return undefined
      return isPlain(direction) ? this.#each(direction, sortOf) : sortOf('sort', direction)
    })
  }

  /** What lists name several times, as the branches of an `OR`, is in the shape once. */
  #listOf(value: unknown, shape: (each: unknown) => Shaped): Shaped {
    if (!Array.isArray(value)) return shape(value)
    const shapes = new Map<string, Shaped>()
    for (const each of value.slice(0, maxNames)) {
      const shaped = shape(each)
      shapes.set(JSON.stringify(shaped), shaped)
    }
    return [...shapes.values()]
  }

  /** The names that are known, each with its shape; those for which there is none may be anything. */
  #each(given: unknown, shape: (name: string, value: unknown) => Shaped | undefined): ShapedArgs {
    const shaped: Record<string, Shaped> = {}
    if (!isPlain(given)) return shaped
    for (const name of Object.keys(given)) {
      if (given[name] === undefined) continue
      if (++this.names > maxNames) return shaped
      const each = shape(name, given[name])
      if (each === undefined) shaped[anyValue] = anyValue
      else shaped[name] = each
    }
    return shaped
  }
}

function isFlag(model: Model | undefined, field: string, value: unknown): value is boolean {
  return typeof value === 'boolean' && (model?.scalars.has(field) ?? false)
}

/** `'asc'`, or a part of `{ sort: 'asc', nulls: 'last' }`. */
function sortOf(name: string, value: unknown): Shaped | undefined {
  return (name === 'sort' || name === 'nulls') && sorts.has(value) ? (value as string) : undefined
}

/** Numbers that are rounded up, as there may be any. */
const sizes = [1, 5, 10, 20, 50, 100, 200, 500, 1_000]

/** Returns a number of rows rounded up to one of few; `'?'` for larger ones. */
export function sizeOf(value: unknown): number | typeof anyValue {
  return typeof value === 'number' && value >= 0
    ? ((value === 0 ? 0 : sizes.find((size) => value <= size)) ?? anyValue)
    : anyValue
}
