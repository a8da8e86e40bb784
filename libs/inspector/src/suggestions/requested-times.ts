import {
  type ClientQueries,
  isPlain,
  type Model,
  relationFilters,
  type SchemaFacts,
} from 'model-cache/internal'

type Given = Readonly<Record<string, unknown>>

/** The models whose rows queries order by a time, or select by a range of times, each with the first such field: they may be a history. */
export function requestedTimes(facts: SchemaFacts, { models }: ClientQueries): ReadonlyMap<string, string> {
  const finder = new TimeFinder(facts)
  for (const { args, model } of models.flatMap(({ bypassed }) => bypassed)) finder.addArgs(model, args)
  return finder.found
}

class TimeFinder {
  readonly found = new Map<string, string>()
  readonly #facts: SchemaFacts

  constructor(facts: SchemaFacts) {
    this.#facts = facts
  }

  addArgs(name: string, args: unknown): void {
    const model = this.#facts.models.get(name)
    if (!model || !isPlain(args)) return
    for (const member of [args['orderBy']].flat())
      for (const field of isPlain(member) ? Object.keys(member) : []) this.#add(model, field)
    this.#addWhere(model, args['where'])
    for (const selection of [args['select'], args['include']]) this.#addSelection(model, selection)
  }

  #addSelection(model: Model, selection: unknown): void {
    for (const [field, given] of isPlain(selection) ? Object.entries(selection) : []) {
      const target = field === '_count' ? model.name : model.relationTargets.get(field)
      if (target !== undefined) this.addArgs(target, given)
    }
  }

  #addWhere(model: Model, where: unknown): void {
    if (Array.isArray(where)) return where.forEach((each) => this.#addWhere(model, each))
    for (const [name, condition] of isPlain(where) ? Object.entries(where) : []) {
      const target = this.#facts.models.get(model.relationTargets.get(name) ?? '')
      if (name === 'AND' || name === 'OR' || name === 'NOT') this.#addWhere(model, condition)
      else if (target) for (const inner of filtersIn(condition)) this.#addWhere(target, inner)
      else if (isPlain(condition) && ranges.some((operator) => operator in condition)) this.#add(model, name)
    }
  }

  #add({ name, scalars }: Model, field: string): void {
    if (scalars.get(field)?.type === 'DateTime' && !this.found.has(name)) this.found.set(name, field)
  }
}

const ranges = ['lt', 'lte', 'gt', 'gte']

/** The conditions on a relation, with `some` and so on, or without. */
function filtersIn(condition: unknown): readonly unknown[] {
  const names = isPlain(condition) ? Object.keys(condition) : []
  return names.length > 0 && names.every((name) => relationFilters.has(name))
    ? Object.values(condition as Given)
    : [condition]
}
