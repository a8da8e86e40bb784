import {
  anyValue,
  isPlain,
  type Model,
  type ScalarColumn,
  type SchemaFacts,
  type ShapedArgs,
} from 'model-cache/internal'

type Fields = Readonly<Record<string, unknown>>

/** Returns arguments of a shape: those of a query that is planned as the queries of this shape are. */
export function typedArguments(facts: SchemaFacts, model: string, shape: ShapedArgs): Fields {
  return new Typer(facts).args(facts.models.get(model), shape)
}

class Typer {
  readonly #facts: SchemaFacts

  constructor(facts: SchemaFacts) {
    this.#facts = facts
  }

  args(model: Model | undefined, shape: Fields): Fields {
    return each(shape, (name, value) => {
      if (name === 'where' || name === 'cursor') return this.#where(model, value)
      if (name !== 'select' && name !== 'include') return value
      return each(value, (field, selected) => {
        if (!isPlain(selected)) return selected
        const target = field === '_count' ? model : this.#targetOf(model, field)
        return this.args(target, selected)
      })
    })
  }

  #where(model: Model | undefined, where: unknown): unknown {
    if (Array.isArray(where)) return where.map((each) => this.#where(model, each))
    return each(where, (name, condition) => {
      const scalar = model?.scalars.get(name)
      if (scalar) return this.#condition(scalar, condition)
      const target = this.#targetOf(model, name)
      if (!target) return this.#where(model, condition)
      const isFilter =
        isPlain(condition) &&
        Object.keys(condition).every((filter) => /^(some|every|none|is|isNot)$/.test(filter))
      return isFilter
        ? each(condition, (_, inner) => this.#where(target, inner))
        : this.#where(target, condition)
    })
  }

  #condition(scalar: ScalarColumn, condition: unknown): unknown {
    if (condition === anyValue) return this.#valueOf(scalar, 0)
    if (Array.isArray(condition)) return [0, 1].map((n) => this.#valueOf(scalar, n))
    return isPlain(condition) ? each(condition, (_, operand) => this.#condition(scalar, operand)) : condition
  }

  #valueOf({ databaseValues, nativeType, type }: ScalarColumn, n: number): unknown {
    switch (type) {
      case 'String':
        return nativeType === 'Uuid' ? `00000000-0000-4000-8000-00000000000${n}` : `${n}`
      case 'Int':
      case 'Float':
        return n
      case 'BigInt':
        return BigInt(n)
      case 'Boolean':
        return n === 0
      case 'DateTime':
        return new Date(n * 86_400_000)
      case 'Decimal':
        return new this.#facts.Decimal(`${n}`)
      case 'Bytes':
        return new Uint8Array([n])
      case 'Enum':
        return [...(databaseValues?.keys() ?? [])].at(n) ?? [...(databaseValues?.keys() ?? [])][0]
      default:
        return anyValue
    }
  }

  #targetOf(model: Model | undefined, field: string): Model | undefined {
    const target = model?.relationTargets.get(field)
    return target === undefined ? undefined : this.#facts.models.get(target)
  }
}

function each(fields: unknown, map: (name: string, value: unknown) => unknown): Fields {
  if (!isPlain(fields)) return fields as Fields
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, map(name, value)]))
}
